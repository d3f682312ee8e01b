#if Tools
import Foundation

/// Whether two samples of times differ, by the method of dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my code
/// constant time?", 2017): Welch's t over all samples and over the fastest ones, cropped at a hundred percentiles,
/// because a rare interruption would hide a small difference.
struct WelchTest: Sendable {
    /// The numbers of samples.
    let counts: (Int, Int)
    let means: (Double, Double)
    /// Welch's t over all samples.
    let t: Double
    /// The t that is farthest from 0 among all crops, and the share of the samples that its crop kept.
    let worst: (t: Double, kept: Double)

    init(_ first: [Double], _ second: [Double]) {
        let pooled = (first + second).sorted()
        t = Self.t(first, second)
        var worst = (t: t, kept: 1.0)
        for index in 1...100 where !pooled.isEmpty {
            let kept = 1 - pow(0.5, 10 * Double(index) / 100)
            let limit = pooled[min(pooled.count - 1, Int(kept * Double(pooled.count)))]
            let (left, right) = (first.filter { $0 < limit }, second.filter { $0 < limit })
            guard min(left.count, right.count) >= 100 else { continue }
            let t = Self.t(left, right)
            if abs(t) > abs(worst.t) { worst = (t, kept) }
        }
        self.worst = worst
        counts = (first.count, second.count)
        means = (Self.mean(first), Self.mean(second))
    }

    /// Welch's t of two samples.
    static func t(_ first: [Double], _ second: [Double]) -> Double {
        guard first.count > 1, second.count > 1 else { return 0 }
        let spread = variance(first) / Double(first.count) + variance(second) / Double(second.count)
        return spread > 0 ? (mean(first) - mean(second)) / spread.squareRoot() : 0
    }

    private static func mean(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count) }

    private static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }
}
#endif
