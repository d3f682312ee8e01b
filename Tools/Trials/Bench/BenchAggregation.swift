#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnSimulator
import ThumbturnTelemetry

struct BenchAggregation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "aggregation",
        abstract: "Measures how many events of unlocks one core counts in a second, and how exact the quantiles are.",
        discussion: """
            The unlocks are those of simulated phones. The quantiles of the histograms are compared with those of the sorted times, \
            and parts that are merged in another order with the whole. Exit status 1: a quantile is off by more than 1 %, or an \
            order changed the bytes.
            """
    )

    @Option(help: "The number of times whose quantiles are compared.")
    var samples = 10_000_000

    @Option(help: "How long events are counted, in seconds.")
    var seconds = 5.0

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard samples >= 1000, seconds > 0 else {
            throw ValidationError("--samples must be 1000 or more, and --seconds more than 0.")
        }
    }

    private struct Figures: Encodable {
        /// On one core.
        var events_per_second: Double
        var samples: Int
        /// The largest relative difference of a quantile from the exact one.
        var worst: Double
        var same_in_any_order: Bool
    }

    func run() async throws {
        output.beginBench("aggregation")
        let rate = try countEvents()
        output.progress("comparing quantiles")
        let (worst, same) = compareQuantiles()
        try output.report(
            """
            \(String(format: "%.2f", rate / 1_000_000)) million events counted per second on one core
            P50, P90, P95, P99 and P99.9 of \(samples) times: at most \(String(format: "%.2f", worst * 100)) % from the exact ones
            merged in two orders: \(same ? "the same bytes" : "DIFFERENT bytes")
            """,
            Figures(events_per_second: rate, samples: samples, worst: worst, same_in_any_order: same))
        guard worst <= 0.01, same else { throw ExitCode(1) }
    }

    private func countEvents() throws -> Double {
        let population = try Population(json: Population.defaultFile)
        let context = TelemetryContext(system: "iOS", model: "iPhone17,3", policy: "unlock")
        let reports = (0..<200).flatMap { number in
            var phone = ReportingPhone(number, of: population, under: .unlock, seed: 1)
            return (0..<10).flatMap { _ in phone.unlock() }.map { UnlockReport($0, began: UnixTime(seconds: 0), in: context) }
        }
        let eventsOfAll = reports.reduce(0) { $0 + $1.events.count }
        var (tally, events) = (UnlockTally(), 0)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(seconds) {
            for report in reports { tally.add(report) }
            events += eventsOfAll
        }
        let time = start.duration(to: .now) / .seconds(1)
        precondition(tally[.unlocks] > 0, "the tally is used, so the compiler keeps the additions")
        return Double(events) / time
    }

    private func compareQuantiles() -> (worst: Double, sameInAnyOrder: Bool) {
        var generator = RepeatableGenerator(seed: 1)
        // A long tail, as times of people have.
        var times = (0..<samples).map { _ in
            let unit = Double.random(in: 0..<1, using: &generator)
            return Int64((300 + 900 * unit / (1.001 - unit)).rounded())
        }
        var parts = [UnlockTally](repeating: UnlockTally(), count: 16)
        var histogram = TimeHistogram()
        for (number, time) in times.enumerated() {
            histogram.record(.milliseconds(time))
            guard number < 16_000 else { continue }
            let event = Telemetry.authenticated(.biometric, after: .milliseconds(time), attempts: 1)
            parts[number % parts.count].add(UnlockReport([event], began: UnixTime(seconds: 0), in: TelemetryContext()))
        }
        times.sort()
        let worst =
            [0.5, 0.9, 0.95, 0.99, 0.999].map { part in
                let exact = Double(times[min(Int((part * Double(samples)).rounded(.up)) - 1, samples - 1)]) / 1000
                return abs((histogram.quantile(part) ?? .zero) / .seconds(1) - exact) / exact
            }.max() ?? 1
        func merged(_ parts: some Sequence<UnlockTally>) -> [UInt8] {
            parts.reduce(into: UnlockTally()) { $0.merge($1) }.bytes
        }
        return (worst, merged(parts) == merged(parts.reversed()))
    }
}
#endif
