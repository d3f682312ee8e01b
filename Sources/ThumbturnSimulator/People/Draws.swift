#if Server
import ThumbturnCore
import ThumbturnTelemetry

/// Chance that can be looked up: the same seed, person and session give the same numbers, under every policy, on any machine and with
/// any number of threads.
///
/// All arithmetic is that of IEEE 754 alone, because `exp` and `log` of the systems differ in their last bits.
package struct Draws: Sendable {
    private var generator: RepeatableGenerator

    /// Begins the draws of one session of one person; session 0 is for what the person is like.
    package init(seed: UInt64, person: Int, session: Int) {
        let mixed = RepeatableGenerator.mixed
        // The offsets keep the three numbers apart where they are equal.
        generator = RepeatableGenerator(
            seed: mixed(mixed(seed) ^ mixed(UInt64(person) &+ 0x1000_0000)) ^ mixed(UInt64(session) &+ 0x2000_0000))
    }

    /// A number above 0 and below 1.
    package mutating func unit() -> Double { (Double(generator.next() >> 12) + 0.5) * 0x1p-52 }

    /// Whether something of this probability happens. Takes one number always, so that the later ones stay the same.
    package mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    /// A number from the standard normal distribution.
    package mutating func normal() -> Double { Arithmetic.normalQuantile(unit()) }

    /// A time from a log-normal distribution, in whole milliseconds.
    package mutating func time(_ times: Times, slower factor: Double = 1) -> Duration {
        let milliseconds = times.median * factor * Arithmetic.exp(times.spread * normal())
        return .milliseconds(Int64(min(milliseconds, 3_600_000)))
    }
}

/// A log-normal distribution of times.
package struct Times: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case median, spread }

    /// The median, in milliseconds.
    package var median: Double
    /// The standard deviation of the logarithm: with 0.5 about two thirds are between 0.6 and 1.65 medians.
    package var spread: Double

    package init(median: Double, spread: Double) {
        self.median = median
        self.spread = spread
    }
}

/// Functions whose results have the same bits on every machine.
package enum Arithmetic {
    private static let (upperLog2, lowerLog2) = (0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45)

    /// The exponential function, within 1e-14 of its value, for arguments from -700 to 700.
    package static func exp(_ x: Double) -> Double {
        let x = min(max(x, -700), 700)
        let power = (x * 1.4426950408889634).rounded()
        let rest = x - power * upperLog2 - power * lowerLog2
        var sum = 1.0
        for term in stride(from: 18.0, through: 1.0, by: -1.0) { sum = 1 + sum * rest / term }
        return Double(sign: .plus, exponent: Int(power), significand: sum)
    }

    /// The natural logarithm of a number above 0, within 1e-14.
    package static func log(_ x: Double) -> Double {
        var (mantissa, exponent) = (x.significand, Double(x.exponent))
        if mantissa > 1.4142135623730951 { (mantissa, exponent) = (mantissa / 2, exponent + 1) }
        let ratio = (mantissa - 1) / (mantissa + 1)
        let square = ratio * ratio
        var sum = 0.0
        for odd in stride(from: 23.0, through: 1.0, by: -2.0) { sum = 1 / odd + square * sum }
        return 2 * ratio * sum + exponent * upperLog2 + exponent * lowerLog2
    }

    private static let central = (
        over: [
            -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690, -30.66479806614716, 2.506628277459239,
        ],
        under: [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572]
    )
    private static let tail = (
        over: [
            -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
            2.938163982698783,
        ],
        under: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416]
    )

    /// The quantile of the standard normal distribution, within 1.2e-9 of its size: P. J. Acklam's rational approximation.
    package static func normalQuantile(_ p: Double) -> Double {
        func polynomial(_ factors: [Double], _ x: Double) -> Double { factors.reduce(0) { $0 * x + $1 } }
        if p > 0.97575 { return -normalQuantile(1 - p) }
        guard p < 0.02425 else {
            let (q, r) = (p - 0.5, (p - 0.5) * (p - 0.5))
            return q * polynomial(central.over, r) / (polynomial(central.under, r) * r + 1)
        }
        let q = (-2 * log(p)).squareRoot()
        return polynomial(tail.over, q) / (polynomial(tail.under, q) * q + 1)
    }
}
#endif
