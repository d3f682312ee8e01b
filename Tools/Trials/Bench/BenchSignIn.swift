#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnServer

struct BenchSignIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Finds the highest rate of complete sign-ins over HTTP with an acceptable P99.",
        discussion: """
            A sign-in takes two requests: a challenge, and its proof redeemed for a token, which is durable before it is \
            answered. The server is a process of its own with a new data folder; this process is the load. Sign-ins begin at \
            scheduled times, whether or not earlier ones are answered, and latency counts from the scheduled time.

            The same run measures the processor time of one verification with the import of its key (v), one signature (s) and \
            one request to the health route, server and load together (h). A sign-in costs at least 2v + 3s + 2h, so the limit \
            of the machine is its number of cores divided by that.

            The run is discarded if the server's counts or the accepted challenges differ. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var store: StoreOptions

    @Option(help: "The number of runs at the rate that was found.")
    var runs = 3

    @Option(help: "The highest acceptable P99 in milliseconds.")
    var highestP99 = 50.0

    /// The default is as many as a small bank has in a quiet hour.
    @Option(help: "The number of sign-ins before the memory is measured.")
    var signInsBeforeRest = 10_000

    @Option(help: "The seconds of rest before the memory is measured.")
    var rest = 60.0

    @OptionGroup var output: OutputOptions

    struct Result: Encodable {
        var sign_ins_per_second: Double
        var spread: Double
        var limit_per_second: Double
        var ratio: Double
        var p50_ms: Double
        var p99_ms: Double
        var p999_ms: Double
        var hello_p99_ms: Double
        var rss_mb: Double
        var verify_us: Double
        var sign_us: Double
        var hello_us: Double
        /// The processor time of one sign-in at the rate that was found.
        var server_us: Double
        var load_us: Double
        var start_ms: Double
        var sign_ins: Int
    }

    func validate() throws {
        guard rest >= 0, runs > 0, signInsBeforeRest > 0, highestP99 > 0 else {
            throw ValidationError("--runs, --sign-ins-before-rest and --highest-p99 must be more than 0, and --rest 0 or more.")
        }
    }

    func run() async throws {
        output.beginBench("sign-in")
        let rates = MachineRates.measure()
        output.progress("enrolling \(load.devices) devices")
        let (result, bench, counts) = try await BenchServer.run(load, store: store) { server, loop in
            let bench = SignInBench(server, loop: loop, highestP99: highestP99)
            return (try await measure(bench, server, rates), bench)
        }
        try bench.check(against: counts)
        try output.report(sentences(result), result)
    }

    private func measure(_ bench: SignInBench, _ server: BenchServer, _ rates: MachineRates) async throws -> Result {
        let hello = try await server.hello(over: bench.loop, load, output: output)
        let memory = try await memory(bench, server)
        let limit = rates.limit(verifications: 2, signatures: 3, requests: 2, hello: hello)
        output.progress("searching the highest rate with a P99 under \(rounded(highestP99)) ms")
        let window = Duration.seconds(load.seconds)
        let found = try await bench.search(from: limit, warmUp: .seconds(load.warmUp)) { output.progress($0) }
        var rate = found
        var achieved: [Double] = []
        var used = (server: 0.0, load: 0.0)
        // The rate is lowered until it holds in every run.
        while achieved.count < runs {
            output.progress("run \(achieved.count + 1) of \(runs) at \(Int(rate)) a second")
            let before = (server: server.processTime(), load: MachineRates.processTime(), signIns: bench.signIns)
            let report = try await bench.run(rate, warmUp: .seconds(load.warmUp), for: window)
            let signIns = Double(bench.signIns - before.signIns) / 1_000_000
            used = ((server.processTime() - before.server) / signIns, (MachineRates.processTime() - before.load) / signIns)
            guard bench.isGood(report) else {
                output.progress("P99 \(rounded(report.quantile(0.99))) ms, \(report.errors) unanswered: too fast")
                rate *= 0.97
                achieved = []
                guard rate > found / 3 else { throw BenchError("No rate held in \(runs) runs.") }
                continue
            }
            achieved.append(Double(report.latencies.count) / load.seconds)
        }
        achieved.sort()
        output.progress("half of that rate")
        let half = try await bench.run(rate / 2, warmUp: .seconds(load.warmUp), for: window)
        // A sign-in has two requests, so half its rate gives this number of requests a second.
        let helloAtHalf = try await bench.hello(rate: rate, warmUp: .seconds(load.warmUp), for: window)
        let median = achieved[achieved.count / 2]
        return Result(
            sign_ins_per_second: median, spread: achieved[achieved.count - 1] - achieved[0], limit_per_second: limit,
            ratio: median / limit, p50_ms: half.quantile(0.5), p99_ms: half.quantile(0.99), p999_ms: half.quantile(0.999),
            hello_p99_ms: helloAtHalf.quantile(0.99), rss_mb: memory, verify_us: rates.verify,
            sign_us: rates.sign, hello_us: hello, server_us: used.server, load_us: used.load, start_ms: server.startMilliseconds,
            sign_ins: bench.signIns
        )
    }

    /// The server's memory in MB after many sign-ins and a rest.
    private func memory(_ bench: SignInBench, _ server: BenchServer) async throws -> Double {
        output.progress("\(signInsBeforeRest) sign-ins, and \(Int(rest)) s of rest")
        while bench.signIns < signInsBeforeRest { _ = try await bench.run(nil, warmUp: .zero, for: .seconds(1)) }
        try await Task.sleep(for: .seconds(rest))
        return server.residentMegabytes()
    }

    private func sentences(_ result: Result) -> String {
        let durability =
            switch store.store {
            case .sqlite: "a commit is durable (FULL) and waits at most 2 ms for further writes"
            case .postgres: "a commit is durable (synchronous_commit); \(store.nodes == 1 ? "one node" : "\(store.nodes) nodes")"
            }
        return """
            \(Int(result.sign_ins_per_second)) complete sign-ins per second (median of \(runs) runs, \(Int(result.spread)) apart), \
            P99 under \(rounded(highestP99)) ms
            limit of this machine: \(Int(result.limit_per_second)) per second; reached: \(rounded(result.ratio * 100)) %
            at half the rate: P50 \(rounded(result.p50_ms)) ms, P99 \(rounded(result.p99_ms)) ms, \
            P99.9 \(rounded(result.p999_ms)) ms; \
            the health route: P99 \(rounded(result.hello_p99_ms)) ms
            processor time: verify \(rounded(result.verify_us)) µs, sign \(rounded(result.sign_us)) µs, \
            a request to the health route \(rounded(result.hello_us)) µs; \
            a sign-in \(rounded(result.server_us)) µs in the server and \(rounded(result.load_us)) µs in the load
            memory after \(signInsBeforeRest) sign-ins and \(Int(rest)) s of rest: \(rounded(result.rss_mb)) MB; \
            start to first answer: \(rounded(result.start_ms)) ms
            The server's counts agree: each challenge was accepted once, and \(durability).
            """
    }
}

/// The runs of one benchmark and their totals.
private final class SignInBench {
    let loop: OpenLoop
    private let highestP99: Double
    private let server: BenchServer
    private var work: SignInLoad
    private var errors = 0

    init(_ server: BenchServer, loop: OpenLoop, highestP99: Double) {
        self.server = server
        self.loop = loop
        self.highestP99 = highestP99
        work = SignInLoad(server.devices, server.requests)
    }

    var signIns: Int { work.accepted.count }

    func isGood(_ report: OpenLoop.Report) -> Bool {
        report.quantile(0.99) < highestP99 && Double(report.errors) < Double(report.sent) / 1000
    }

    func run(_ rate: Double?, warmUp: Duration, for duration: Duration) async throws -> OpenLoop.Report {
        let (report, work) = try await loop.run(work, rate: rate, warmUp: warmUp, duration: duration)
        self.work = work
        errors += report.errors
        if report.latencies.isEmpty { throw BenchError("No sign-in was completed: \(work.lastProblem ?? "no answer")") }
        return report
    }

    func hello(rate: Double, warmUp: Duration, for duration: Duration) async throws -> OpenLoop.Report {
        try await loop.run(HelloLoad(server.requests), rate: rate, warmUp: warmUp, duration: duration).report
    }

    /// Searches the highest good rate to within 2 %, from the rate at which each connection sends its next request at
    /// once.
    func search(from limit: Double, warmUp: Duration, progress: (String) -> Void) async throws -> Double {
        let most = try await run(nil, warmUp: warmUp, for: .seconds(4))
        var high = min(Double(most.latencies.count) / 4 * 1.1, limit)
        var low = 0.0
        var rate = high * 0.9
        while low == 0 || high / low > 1.02 {
            let report = try await run(rate, warmUp: .seconds(1), for: .seconds(4))
            let isGood = isGood(report)
            progress(
                "\(Int(rate)) a second: P99 \(rounded(report.quantile(0.99))) ms, \(report.errors) unanswered"
                    + (isGood ? "" : ": too fast")
            )
            if isGood { low = rate } else { high = rate }
            rate = low == 0 ? rate * 0.8 : (low + high) / 2
            guard rate > limit / 1000 else { throw BenchError("No rate was slow enough.") }
        }
        return low
    }

    /// Throws unless the server's counts equal those of the load.
    func check(against counts: ServedCounts) throws {
        let accepted = work.accepted.count
        guard Set(work.accepted).count == accepted else { throw BenchError("A challenge was accepted twice.") }
        guard errors > 0 || (counts.sessions == accepted && counts.verifications == 2 * accepted), counts.sessions >= accepted,
            counts.spends == counts.sessions, counts.tokens == counts.sessions, counts.isDurable
        else { throw BenchError("The server's counts differ: \(counts); here \(accepted) sign-ins were accepted.") }
    }
}
#endif
