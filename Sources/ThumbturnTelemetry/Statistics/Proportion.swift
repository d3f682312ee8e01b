#if Server
internal import Foundation

/// How many of a number of unlocks something is true of.
package struct Proportion: Hashable, Sendable {
    /// Of how many it is true.
    package var count: Int
    /// How many there are.
    package var total: Int

    /// Makes a proportion. A count is never more than the total.
    package init(_ count: Int, of total: Int) {
        self.total = max(total, 0)
        self.count = min(max(count, 0), self.total)
    }

    /// From 0 to 1; nil of nothing.
    package var rate: Double? { total == 0 ? nil : Double(count) / Double(total) }

    /// The proportion of the others: this one without a part of it.
    func without(_ part: Proportion) -> Proportion { Proportion(count - part.count, of: total - part.total) }

    static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.count + rhs.count, of: lhs.total + rhs.total) }

    /// The score interval of the true rate (Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
    /// 1927).
    ///
    /// - Parameter z: how many standard errors it reaches to each side: 1.96 for 95 %.
    package func interval(z: Double) -> ClosedRange<Double> {
        guard let rate else { return 0...1 }
        let n = Double(total)
        let centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
        let reach = z / (1 + z * z / n) * (rate * (1 - rate) / n + z * z / (4 * n * n)).squareRoot()
        return max(centre - reach, 0)...min(centre + reach, 1)
    }

    /// The interval of this true rate minus another one, of independent samples (Newcombe, "Interval Estimation for the
    /// Difference Between Independent Proportions", 1998, method 10); nil where one of them is of nothing.
    package func difference(from other: Proportion, z: Double) -> ClosedRange<Double>? {
        guard let rate, let otherRate = other.rate else { return nil }
        let (own, others) = (interval(z: z), other.interval(z: z))
        let difference = rate - otherRate
        func root(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
        let low = difference - root(rate - own.lowerBound, others.upperBound - otherRate)
        let high = difference + root(own.upperBound - rate, otherRate - others.lowerBound)
        return low...high
    }
}

/// The standard normal distribution.
enum Normal {
    /// How many standard errors to each side an interval needs, so that all of several intervals hold together with 95 %: each of
    /// them may miss with a chance of 5 % divided by their number (Bonferroni).
    static func reach(ofIntervals number: Int) -> Double { quantile(1 - 0.025 / Double(max(number, 1))) }

    /// The value that this part of the distribution does not exceed, by bisection of the distribution's function.
    static func quantile(_ part: Double) -> Double {
        var (low, high) = (-40.0, 40.0)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if erfc(-middle / 2.0.squareRoot()) / 2 < part { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
#endif
