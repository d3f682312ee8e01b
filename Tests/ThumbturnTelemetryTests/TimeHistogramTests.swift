#if Server
import Testing
import ThumbturnCore
@testable import ThumbturnTelemetry

struct TimeHistogramTests {
    @Test func quantilesOfAMillionSkewedTimesAreWithinOnePercent() throws {
        var generator = RepeatableGenerator(seed: 20_261_120)
        var histogram = TimeHistogram()
        var exact: [Double] = []
        for _ in 0..<1_000_000 {
            let time = Samples.time(1.2, spread: 0.9, using: &generator)
            exact.append(time.inSeconds)
            histogram.record(time)
        }
        exact.sort()
        for part in [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1] {
            let expected = exact[max(Int((part * 1_000_000).rounded(.up)) - 1, 0)]
            let found = try #require(histogram.quantile(part)).inSeconds
            // A time below 256 ms is exact to the millisecond.
            #expect(abs(found - expected) <= max(0.01 * expected, 0.001), "seed 20261120, \(part): \(found), not \(expected)")
        }
    }

    @Test func mergingInAnyOrderGivesTheSameHistogram() {
        var generator = RepeatableGenerator(seed: 7)
        let parts = (0..<12).map { _ in
            (0..<50).reduce(into: TimeHistogram()) { histogram, _ in
                histogram.record(Samples.time(2, spread: 2, using: &generator))
            }
        }
        let merged = parts.reduce(into: TimeHistogram()) { $0.merge($1) }
        for _ in 0..<10 {
            let again = parts.shuffled(using: &generator).reduce(into: TimeHistogram()) { $0.merge($1) }
            #expect(again == merged)
            #expect(again.bins == merged.bins)
        }
        #expect(merged.count == 600)
    }

    @Test func whatWasMergedCanBeTakenAway() {
        var generator = RepeatableGenerator(seed: 8)
        var (own, others) = (TimeHistogram(), TimeHistogram())
        for _ in 0..<100 { own.record(Samples.time(1, using: &generator)) }
        for _ in 0..<100 { others.record(Samples.time(1, using: &generator)) }
        var sum = own
        sum.merge(others)
        #expect(sum.without(own).bins == others.bins)
        #expect(sum.without(sum).bins.isEmpty)
    }

    @Test func extremeTimesHaveTheirPlace() {
        var histogram = TimeHistogram()
        #expect(histogram.quantile(0.5) == nil)
        histogram.record(.seconds(-5))
        histogram.record(.zero)
        #expect(histogram.quantile(1) == .zero)
        histogram.record(.seconds(Int64.max / 2))
        let longest = histogram.quantile(1) ?? .zero
        #expect(abs(longest.inSeconds / Telemetry.longestTime.inSeconds - 1) < 0.01)
        #expect(histogram.count == 3)
    }

    @Test func aQuantileIsTheNearestRank() {
        var histogram = TimeHistogram()
        for milliseconds in 1...20 { histogram.record(.milliseconds(milliseconds)) }
        #expect(histogram.quantiles([0, 0.05, 0.5, 0.95, 0.951, 1]) == [1, 1, 10, 19, 20, 20].map { .milliseconds($0) })
    }
}

struct SurvivalCurveTests {
    /// Ten unlocks: successes after 1, 2, 2, 4, 6 s, given up after 2, 3, 5, 7, 7 s. By hand:
    /// S(1) = 9/10; S(2) = 9/10 · 7/9 = 0.7; at 4 s there wait 5 (10 - 3 - 2), S = 0.7 · 4/5 = 0.56; at 6 s there wait 3,
    /// S = 0.56 · 2/3. The test counts in hundredths of a second, which are exact.
    @Test func censoredQuantilesAreThoseOfKaplanAndMeier() {
        var tally = UnlockTally()
        for seconds in [1, 2, 2, 4, 6] { tally.add(Samples.success(after: .milliseconds(seconds * 10))) }
        for seconds in [2, 3, 5, 7, 7] { tally.add(Samples.cancel(after: .milliseconds(seconds * 10))) }
        let steps = tally.timeCountingCensored.steps
        #expect(steps.map(\.time) == [10, 20, 40, 60].map { .milliseconds($0) })
        for (step, survival) in zip(steps, [0.9, 0.7, 0.56, 0.56 * 2 / 3]) {
            #expect(abs(1 - step.authenticated - survival) < 1e-12)
        }
        #expect(tally.quantileCountingCensored(0.1) == .milliseconds(10))
        #expect(tally.quantileCountingCensored(0.3) == .milliseconds(20))
        #expect(tally.quantileCountingCensored(0.5) == .milliseconds(60))
        // Too many gave up.
        #expect(tally.quantileCountingCensored(0.95) == nil)
        // Of the successes alone the median is much shorter.
        #expect(tally.quantileOfSuccesses(0.5) == .milliseconds(20))
    }

    @Test func withoutCancelsBothQuantilesAreTheSame() {
        var generator = RepeatableGenerator(seed: 3)
        let tally = Samples.tally((0..<500).map { _ in Samples.success(after: Samples.time(1, using: &generator)) })
        for part in [0.05, 0.5, 0.95, 0.99, 1] {
            #expect(tally.quantileCountingCensored(part) == tally.quantileOfSuccesses(part))
        }
        #expect(UnlockTally().quantileCountingCensored(0.5) == nil)
    }
}
#endif
