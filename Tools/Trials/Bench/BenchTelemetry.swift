#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnLoad
import ThumbturnServer

struct BenchTelemetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "Measures events of unlocks per second over HTTP, each durable before it is answered.",
        discussion: """
            Batches of reports of unlocks are sent with a write key or, with --by-device, with a DPoP proof each. Each unlock \
            has 6 events. The run is discarded if the server has counted other unlocks than were accepted here. Build with \
            -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var rate: RateOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "The unlocks of a batch, up to 100.")
    var unlocks = 20

    @Option(help: "The kinds of devices, each of which has a cell of its own, up to 100.")
    var kinds = 50

    @Flag(help: "Send with the session keys of the devices in place of a write key.")
    var byDevice = false

    func validate() throws {
        guard (1...100).contains(unlocks), (1...100).contains(kinds) else {
            throw ValidationError("--unlocks and --kinds must be 1 to 100.")
        }
    }

    private struct Figures: Encodable {
        var events_per_second: Double
        var batches_per_second: Double
        var unlocks_of_a_batch: Int
        var events_of_an_unlock: Int
        var kinds: Int
        var by_device: Bool
        var connections: Int
        var p50_ms: Double
        var p99_ms: Double
        var unanswered: Int
        /// The server's processor time for one event, in microseconds.
        var server_us_per_event: Double
        var peak_megabytes: Double
    }

    func run() async throws {
        output.beginBench("telemetry")
        let ((figures, accepted), _, counts) = try await BenchServer.run(load) { server, loop in
            (try await measure(server, loop), ())
        }
        guard counts.unlocks == accepted || (figures.unanswered > 0 && counts.unlocks > accepted), counts.isDurable else {
            throw BenchError("The server's counts differ: \(counts.unlocks) unlocks; here \(accepted) were accepted.")
        }
        try output.report(
            """
            \(Int(figures.events_per_second)) events per second in \(rounded(figures.batches_per_second)) batches of \(unlocks) \
            unlocks over \(load.connections) connections, \(byDevice ? "by devices" : "with a write key"); \
            \(figures.unanswered) without the expected answer
            P50 \(rounded(figures.p50_ms)) ms, P99 \(rounded(figures.p99_ms)) ms, to an answer after the commit
            the server's processor time: \(String(format: "%.2f", figures.server_us_per_event)) µs for an event; at most \
            \(rounded(figures.peak_megabytes)) MB of memory
            The server's counts agree: FULL durability, every unlock counted once.
            """, figures)
    }

    private func measure(_ server: BenchServer, _ loop: OpenLoop) async throws -> (Figures, accepted: Int) {
        output.progress("sending batches")
        let work = TelemetryLoad(
            byDevice ? .devices(server.devices) : .key(server.telemetryKey), server.requests, unlocks: unlocks, kinds: kinds,
            at: UnixTime(seconds: Int64(Date().timeIntervalSince1970)))
        let before = server.processTime()
        let (report, done) = try await loop.run(
            work, rate: rate.rate, warmUp: .seconds(load.warmUp), duration: .seconds(load.seconds))
        let used = server.processTime() - before
        guard !report.latencies.isEmpty, done.accepted > 0 else {
            throw BenchError("No batch was accepted: \(done.lastProblem ?? "no answer")")
        }
        if report.errors > 0 { output.progress("unexpected answer: \(done.lastProblem ?? "none")") }
        let batches = Double(report.latencies.count) / load.seconds
        let events = TelemetryLoad.events.count
        return (
            Figures(
                events_per_second: batches * Double(unlocks * events), batches_per_second: batches, unlocks_of_a_batch: unlocks,
                events_of_an_unlock: events, kinds: kinds, by_device: byDevice, connections: load.connections,
                p50_ms: report.quantile(0.5), p99_ms: report.quantile(0.99), unanswered: report.errors,
                server_us_per_event: used * 1_000_000 / Double(done.unlocks * events),
                peak_megabytes: server.peakMegabytes()),
            done.unlocks
        )
    }
}
#endif
