#if Server
internal import Histogram
internal import ThumbturnCore

/// How often each length of time occurred, with a relative error of at most 1 %.
///
/// An HDR histogram with two significant digits, of whole milliseconds: exact below 256 ms, and above that each bin is at most
/// 1/128 as wide as the times in it. A quantile is the middle of its bin, so it is within 0.4 % of the recorded time, or within
/// the millisecond that recording rounds away. Times are from zero to `Telemetry.longestTime`; longer ones count as that.
package struct TimeHistogram: Equatable, Sendable {
    /// Nil as long as nothing was recorded: most tallies need only some of their histograms.
    private var recorded: Histogram<UInt64>?

    /// An interval of times, and how many were in it.
    package struct Bin: Hashable, Sendable {
        /// The shortest time, in milliseconds.
        package var lowest: UInt64
        /// How many milliseconds it spans.
        package var width: UInt64
        /// How many times were in it.
        package var count: UInt64

        /// The time that stands for all of them.
        package var middle: Duration { .microseconds(Int64(lowest * 1000 + (width - 1) * 500)) }
    }

    /// An empty histogram.
    package init() {}

    /// How many times were recorded.
    package var count: Int { Int(clamping: recorded?.totalCount ?? 0) }

    /// Records one time.
    package mutating func record(_ time: Duration) { record(milliseconds: Self.milliseconds(time), count: 1) }

    /// Adds the times of another histogram.
    package mutating func merge(_ other: TimeHistogram) {
        guard let added = other.recorded else { return }
        if recorded == nil { recorded = added } else { recorded?.add(added) }
    }

    /// The times without those of a histogram that was merged into it.
    func without(_ part: TimeHistogram) -> TimeHistogram {
        var less: [UInt64: UInt64] = [:]
        for bin in part.bins { less[bin.lowest] = bin.count }
        var rest = TimeHistogram()
        for bin in bins {
            let count = bin.count - min(less[bin.lowest] ?? 0, bin.count)
            if count > 0 { rest.record(milliseconds: bin.lowest, count: count) }
        }
        return rest
    }

    /// The bins with at least one time, shortest first.
    package var bins: [Bin] {
        guard let recorded else { return [] }
        var bins: [Bin] = []
        var value: UInt64 = 0
        let last = recorded.max
        while value <= last {
            let next = recorded.nextNonEquivalentForValue(value)
            let count = recorded.countForValue(value)
            if count > 0 { bins.append(Bin(lowest: value, width: next - value, count: count)) }
            value = next
        }
        return bins
    }

    /// The time that a part of all times does not exceed; nil of nothing.
    ///
    /// - Parameter part: from 0 to 1; 0.95 is P95. It is the nearest rank: the smallest time with at least that part at or below.
    package func quantile(_ part: Double) -> Duration? { quantiles([part])[0] }

    /// Several quantiles in one pass. The parts are in ascending order.
    package func quantiles(_ parts: [Double]) -> [Duration?] {
        let bins = bins
        let total = bins.reduce(0) { $0 + $1.count }
        var (index, below): (Int, UInt64) = (0, 0)
        return parts.map { part in
            let rank = max((part * Double(total)).rounded(.up), 1)
            while index < bins.count, Double(below + bins[index].count) < rank {
                below += bins[index].count
                index += 1
            }
            // A rank above the total is a rounding error of the last one.
            return (index < bins.count ? bins[index] : bins.last)?.middle
        }
    }

    // MARK: Storage

    /// Writes the number of bins, and of each the distance of its shortest time from the bin before it, and its count.
    func write(to writer: inout CompactWriter) {
        let bins = bins
        writer.put(bins.count)
        var last: UInt64 = 0
        for bin in bins {
            writer.put(bin.lowest - last)
            writer.put(bin.count)
            last = bin.lowest
        }
    }

    init(from reader: inout CompactReader) throws(DamagedBytes) {
        var last: UInt64 = 0
        for index in 0..<(try reader.count(upTo: Self.mostBins)) {
            let distance = try reader.number(upTo: Self.longest)
            let (value, count) = (last + distance, try reader.number(upTo: UnlockTally.mostCounted))
            guard value <= Self.longest, index == 0 || distance > 0, count > 0,
                value == Self.empty.lowestEquivalentForValue(value)
            else { throw DamagedBytes("expected bins of at least one time in ascending order, found \(count) of \(value) ms") }
            record(milliseconds: value, count: count)
            last = value
        }
    }

    // MARK: Recording

    private mutating func record(milliseconds: UInt64, count: UInt64) {
        if recorded == nil { recorded = Self.empty }
        // It grows by itself, so that every value up to the longest has its place.
        recorded?.record(milliseconds, count: count)
    }

    private static func milliseconds(_ time: Duration) -> UInt64 {
        UInt64(min(max(time, .zero), Telemetry.longestTime).milliseconds)
    }

    private static let longest = milliseconds(Telemetry.longestTime)
    /// 256 bins below 256 ms, and 128 for each doubling up to 30 days.
    private static let mostBins = 256 + 128 * 24

    /// A copy of it is much faster than growing one from nothing. It has room for a minute, which most unlocks need at most,
    /// and grows for longer times.
    private static let empty: Histogram<UInt64> = {
        var empty = Histogram<UInt64>(highestTrackableValue: 65_535, numberOfSignificantValueDigits: .two)
        empty.autoResize = true
        return empty
    }()
}
#endif
