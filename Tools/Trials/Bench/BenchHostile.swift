#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnParsers
import ThumbturnServer

struct BenchHostile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile",
        abstract: "Measures what honest sign-ins lose beside an attack, and the dearest input of each parser.",
        discussion: """
            First each parser reads the worst inputs that are known for it, and the dearest one is printed. Then a server \
            process gets sign-ins at a steady rate: first alone, and then beside attackers who send deep and wide JSON, \
            escaped names, long numbers, huge headers, floods of challenges, proofs by unknown keys, sign-ins to unknown \
            accounts, and an accepted request again and again, while thousands of other connections send their bodies one \
            byte each second. \
            The attackers run in this process, on the same machine, and take processor time of their own.

            The bars: a parser takes less than 5 ms for 64 KiB; the honest sign-ins keep half of their rate and a P99 under \
            250 ms; the server's memory stays under 200 MB. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions

    @Option(help: "The honest sign-ins that begin each second.")
    var rate = 100.0

    @Option(help: "The hostile requests that begin each second.")
    var hostileRate = 400.0

    @Option(help: "The connections of the hostile requests, up to 256.")
    var hostileConnections = 32

    @Option(help: "The connections that send a body one byte each second.")
    var slowBodies = 2000

    @Option(help: "The bytes of the parsers' inputs.")
    var inputSize = 64 * 1024

    @OptionGroup var output: OutputOptions

    /// The honest sign-ins of one run.
    struct Honest: Encodable {
        var per_second: Double
        /// Nil where no sign-in was completed.
        var p50_ms: Double?
        var p99_ms: Double?
        /// Sign-ins with an unexpected answer or none.
        var unanswered: Int

        init(_ report: OpenLoop.Report, seconds: Double) {
            per_second = Double(report.latencies.count) / seconds
            p50_ms = report.latencies.isEmpty ? nil : report.quantile(0.5)
            p99_ms = report.latencies.isEmpty ? nil : report.quantile(0.99)
            unanswered = report.errors
        }

        var sentence: String {
            let times = p50_ms.flatMap { p50 in p99_ms.map { "P50 \(rounded(p50)) ms, P99 \(rounded($0)) ms" } }
            return "\(rounded(per_second)) sign-ins per second, \(times ?? "no times"), \(unanswered) without a token"
        }
    }

    struct Result: Encodable {
        /// The dearest first.
        var parsers: [ParserCost]
        var alone: Honest
        var beside: Honest
        var hostile: HostileTraffic.Report
        /// The most resident memory of the server during the run.
        var memory_mb: Double
        /// Whether each bar was met.
        var bars: [String: Bool]
    }

    func validate() throws {
        guard rate > 0, hostileRate > 0, (1...256).contains(hostileConnections), (0...15_000).contains(slowBodies),
            (256...1024 * 1024).contains(inputSize), load.devices > 1
        else {
            throw ValidationError(
                """
                --rate and --hostile-rate must be more than 0, --hostile-connections 1 to 256, --slow-bodies 0 to 15000, \
                --input-size 256 to 1048576, and --devices at least 2.
                """)
        }
    }

    func run() async throws {
        output.beginBench("hostile")
        output.progress("the parsers, with inputs of \(inputSize) bytes")
        let parsers = ParserCost.measure(size: inputSize).sorted { $0.milliseconds > $1.milliseconds }
        output.progress("enrolling \(load.devices) devices")
        let (result, work, counts) = try await BenchServer.run(load) { try await measure($0, $1, parsers) }
        guard Set(work.accepted).count == work.accepted.count, counts.sessions >= work.accepted.count, counts.isDurable
        else {
            throw BenchError("The server's counts differ: \(counts); here \(work.accepted.count) sign-ins were accepted.")
        }
        try output.report(sentences(result), result)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop, _ parsers: [ParserCost]
    ) async throws -> (Result, SignInLoad) {
        let (warmUp, window) = (Duration.seconds(load.warmUp), Duration.seconds(load.seconds))
        let honest = SignInLoad(Array(server.devices.dropLast()), server.requests)
        output.progress("honest sign-ins alone")
        let alone = try await loop.run(honest, rate: rate, warmUp: warmUp, duration: window)

        output.progress("honest sign-ins beside the attack")
        let mixture = HostileMixture(
            replaying: server.devices[server.devices.count - 1], server.requests, json: inputs("challenge-request", 60 * 1024),
            forms: inputs("form", 60 * 1024), dpop: inputs("dpop", 12 * 1024))
        let traffic = HostileTraffic(port: server.port, connections: hostileConnections, slowBodies: slowBodies)
        let hostileRate = hostileRate
        async let attack = traffic.run(mixture, rate: hostileRate, for: warmUp + window)
        let beside = try await loop.run(alone.work, rate: rate, warmUp: warmUp, duration: window)
        let hostile = try await attack
        try await traffic.stop()
        if beside.report.errors > 0 { output.progress("unexpected answer: \(beside.work.lastProblem ?? "none")") }

        let memory = server.peakMegabytes()
        let (before, during) = (
            Honest(alone.report, seconds: load.seconds), Honest(beside.report, seconds: load.seconds)
        )
        let bars = [
            "parsers_under_5_ms": parsers.allSatisfy { $0.milliseconds < 5 },
            "half_of_the_rate": during.per_second >= before.per_second / 2,
            "p99_under_250_ms": (during.p99_ms ?? .infinity) < 250,
            "memory_under_200_mb": memory < 200,
        ]
        let result = Result(
            parsers: parsers, alone: before, beside: during, hostile: hostile, memory_mb: memory.isFinite ? memory : 0,
            bars: bars)
        return (result, beside.work)
    }

    private func inputs(_ parser: String, _ size: Int) -> [[UInt8]] {
        Parser.named(parser)?.hostile(size).map(\.bytes) ?? []
    }

    private func sentences(_ result: Result) -> String {
        func bar(_ name: String) -> String { result.bars[name] == true ? "met" : "not met" }
        let parsers = result.parsers.map { "  \($0.parser): \(String(format: "%.2f", $0.milliseconds)) ms, \($0.input)" }
        let answers = result.hostile.answers.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }
        return """
            the dearest input of each parser, with \(inputSize) bytes:
            \(parsers.joined(separator: "\n"))
            bar: under 5 ms each, for 64 KiB: \(bar("parsers_under_5_ms"))
            alone: \(result.alone.sentence)
            beside the attack: \(result.beside.sentence)
            bar: half of the rate: \(bar("half_of_the_rate")); P99 under 250 ms: \(bar("p99_under_250_ms"))
            the attack: \(result.hostile.sent) requests, answered: \(answers.joined(separator: ", ")); \
            \(result.hostile.closed) closed without an answer, \(result.hostile.unanswered) without an answer in 10 s; \
            at most \(result.hostile.slow_bodies) slow bodies at once, and \(result.hostile.slow_bodies_ended) that the \
            server ended
            the server's memory: at most \(rounded(result.memory_mb)) MB
            bar: under 200 MB: \(bar("memory_under_200_mb"))
            """
    }
}
#endif
