#if Server
internal import Foundation

/// The bootstrap distribution of a quantile of a histogram, without drawing the samples.
///
/// A bootstrap draws n times from the n recorded times and takes the k-th smallest. The k-th smallest of n even fractions has a
/// beta distribution with k and n + 1 - k (David and Nagaraja, "Order Statistics", 2003, section 2.1), so one draw of it,
/// looked up in the histogram, is what a whole sample would give. It costs the same for a hundred times and for a hundred
/// million.
struct QuantileBootstrap {
    private let bins: [TimeHistogram.Bin]
    /// How many times are in the bins up to each one.
    private let upTo: [Double]
    private let part: Double

    /// Nil of an empty histogram.
    init?(_ times: TimeHistogram, part: Double) {
        bins = times.bins
        guard !bins.isEmpty else { return nil }
        var sum = 0.0
        upTo = bins.map { bin in
            sum += Double(bin.count)
            return sum
        }
        self.part = part
    }

    /// Draws the quantile of one sample, in seconds.
    func draw(using generator: inout some RandomNumberGenerator) -> Double {
        let n = upTo[upTo.count - 1]
        let rank = max((part * n).rounded(.up), 1)
        let a = Self.gamma(rank, using: &generator)
        let b = Self.gamma(n + 1 - rank, using: &generator)
        let place = a / (a + b) * n
        var (low, high) = (0, upTo.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if upTo[middle] >= place { high = middle } else { low = middle + 1 }
        }
        // Evenly within the bin: otherwise a narrow distribution would have steps as wide as its bins.
        let bin = bins[low]
        return (Double(bin.lowest) + Double(bin.width - 1) * Double.random(in: 0...1, using: &generator)) / 1000
    }

    /// The interval of the difference of a quantile between two histograms, in seconds; nil where one is empty.
    ///
    /// - Parameters:
    ///   - miss: the chance of missing the true difference, such as 0.05.
    ///   - samples: how many differences are drawn.
    static func difference(
        _ times: TimeHistogram, from others: TimeHistogram, part: Double, miss: Double, seed: UInt64, samples: Int = samples
    ) -> ClosedRange<Double>? {
        guard let own = QuantileBootstrap(times, part: part), let other = QuantileBootstrap(others, part: part) else {
            return nil
        }
        var generator = RepeatableGenerator(seed: seed)
        let draws = (0..<samples).map { _ in own.draw(using: &generator) - other.draw(using: &generator) }.sorted()
        let cut = min(Int(Double(samples) * miss / 2), (samples - 1) / 2)
        return draws[cut]...draws[samples - 1 - cut]
    }

    /// Enough for the ends of an interval of 99.5 %, that of ten arms.
    static let samples = 4000

    /// Draws from a gamma distribution of a shape of at least 1 (Marsaglia and Tsang, "A Simple Method for Generating Gamma
    /// Variables", 2000).
    private static func gamma(_ shape: Double, using generator: inout some RandomNumberGenerator) -> Double {
        let d = shape - 1.0 / 3
        let c = 1 / (9 * d).squareRoot()
        while true {
            let x = normal(using: &generator)
            let v = (1 + c * x) * (1 + c * x) * (1 + c * x)
            guard v > 0 else { continue }
            let u = 1 - Double.random(in: 0..<1, using: &generator)
            if log(u) < x * x / 2 + d - d * v + d * log(v) { return d * v }
        }
    }

    /// Draws from the standard normal distribution (Box and Muller, 1958).
    private static func normal(using generator: inout some RandomNumberGenerator) -> Double {
        let u = 1 - Double.random(in: 0..<1, using: &generator)
        let angle = Double.random(in: 0..<1, using: &generator) * 2 * Double.pi
        return (-2 * log(u)).squareRoot() * cos(angle)
    }
}
#endif
