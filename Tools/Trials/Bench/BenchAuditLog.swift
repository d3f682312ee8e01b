#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnServer

struct BenchAuditLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit-log",
        abstract: "Compares the rate of complete sign-ins with and without the audit log.",
        discussion: """
            Two servers, one of which keeps no audit log, are measured in turns: each connection begins its next sign-in when it \
            has its answer. The ratio of each turn is printed, and their median. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions

    @Option(help: "The number of turns.")
    var turns = 7

    @OptionGroup var output: OutputOptions

    struct Result: Encodable {
        /// Sign-ins per second with the log, in each turn.
        var with: [Double]
        /// Sign-ins per second without the log, in each turn.
        var without: [Double]
        /// The median of the turns' ratios: with the log, to without it.
        var ratio: Double
        var turns: Int
    }

    func validate() throws {
        guard turns > 0 else { throw ValidationError("--turns must be more than 0.") }
    }

    func run() async throws {
        output.beginBench("audit-log")
        output.progress("enrolling \(load.devices) devices at each of two servers")
        let result = try await BenchServer.run(load) { kept, keptLoop in
            let inner = try await BenchServer.run(load, keepsAuditLog: false) { bare, bareLoop in
                var result = Result(with: [], without: [], ratio: 0, turns: turns)
                for turn in 1...turns {
                    // The order changes from turn to turn, so that neither is always the first.
                    if turn.isMultiple(of: 2) {
                        result.without.append(try await rate(bare, bareLoop))
                        result.with.append(try await rate(kept, keptLoop))
                    } else {
                        result.with.append(try await rate(kept, keptLoop))
                        result.without.append(try await rate(bare, bareLoop))
                    }
                    output.progress(
                        "turn \(turn) of \(turns): \(Int(result.with[turn - 1])) with, \(Int(result.without[turn - 1])) without")
                }
                let ratios = zip(result.with, result.without).map { $0 / $1 }.sorted()
                result.ratio = ratios[ratios.count / 2]
                return (result, ())
            }
            return (inner.0, ())
        }.0
        try output.report(
            "With the audit log the server does \(rounded(result.ratio * 100)) % of the sign-ins that it does without (median "
                + "of \(turns) turns).", result)
    }

    private func rate(_ server: BenchServer, _ loop: OpenLoop) async throws -> Double {
        let (report, work) = try await loop.run(
            SignInLoad(server.devices, server.requests), rate: nil, warmUp: .seconds(load.warmUp),
            duration: .seconds(load.seconds))
        guard !report.latencies.isEmpty else {
            throw BenchError("No sign-in was completed: \(work.lastProblem ?? "no answer")")
        }
        return Double(report.latencies.count) / load.seconds
    }
}
#endif
