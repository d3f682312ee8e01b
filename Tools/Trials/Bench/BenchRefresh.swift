#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnServer

struct BenchRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Measures refreshes per second over HTTP, each with DPoP and durable before it is answered.",
        discussion: """
            At least half of the devices sign in first. Then devices are picked at random to exchange their refresh token for \
            the next one, each device one request at a time. A refresh costs at least one verification, two signatures (the \
            device's DPoP proof and the server's token) and one request, which gives the limit of this machine. The run is \
            discarded if the server's counts differ. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var rate: RateOptions
    @OptionGroup var output: OutputOptions

    private struct Completed {
        var signIns: Int
        var refreshes: Int
    }

    func run() async throws {
        output.beginBench("refresh")
        let rates = MachineRates.measure()
        output.progress("enrolling \(load.devices) devices")
        let (figures, completed, counts) = try await BenchServer.run(load) { try await measure($0, $1, rates) }
        try Self.compare(figures, completed, counts)
        try output.report(
            figures.sentences(of: "refreshes") + "\nThe server's counts agree: FULL durability, one token for each refresh.",
            figures)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop, _ rates: MachineRates
    ) async throws -> (RateFigures, Completed) {
        let hello = try await server.hello(over: loop, load, output: output)
        output.progress("signing in")
        let signIns = try await signedIn(server, loop)
        output.progress("refreshing")
        let (report, work) = try await loop.run(
            RefreshLoad(server.devices, tokens: signIns.refreshTokens, nonce: signIns.nonce, server.requests), rate: rate.rate,
            warmUp: .seconds(load.warmUp), duration: .seconds(load.seconds))
        guard !report.latencies.isEmpty else {
            throw BenchError("No refresh was completed: \(work.lastProblem ?? "no answer")")
        }
        if report.errors > 0 { output.progress("unexpected answer: \(work.lastProblem ?? "none")") }
        let limit = rates.limit(verifications: 1, signatures: 2, requests: 1, hello: hello)
        return (
            RateFigures(report, done: work.refreshed, load, rate, rates, hello: hello, limit: limit),
            Completed(signIns: signIns.accepted.count, refreshes: work.refreshed)
        )
    }

    private func signedIn(_ server: BenchServer, _ loop: OpenLoop) async throws -> SignInLoad {
        var work = SignInLoad(server.devices, server.requests)
        while work.refreshTokens.count < (load.devices + 1) / 2 {
            let before = work.accepted.count
            work = try await loop.run(work, rate: nil, warmUp: .zero, duration: .seconds(1)).work
            guard work.accepted.count > before else {
                throw BenchError("No sign-in was completed: \(work.lastProblem ?? "no answer")")
            }
        }
        return work
    }

    private static func compare(_ figures: RateFigures, _ completed: Completed, _ counts: ServedCounts) throws {
        let isExact =
            counts.refreshes == completed.refreshes && counts.sessions == completed.signIns
            && counts.verifications == 2 * completed.signIns + completed.refreshes
        guard isExact || figures.unanswered > 0, counts.refreshes >= completed.refreshes,
            counts.tokens == counts.sessions + counts.refreshes, counts.isDurable
        else { throw BenchError("The server's counts differ: \(counts); here \(completed) were accepted.") }
    }
}
#endif
