#if Tools
import ArgumentParser
import Foundation
import ThumbturnLoad
import ThumbturnServer

struct BenchRefresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Refreshes per second over HTTP, each with DPoP and durable before it is answered.",
        discussion: """
            Half of the devices at least sign in first. Then each device that is picked exchanges its refresh token for the next one, one at \
            a time. A refresh cannot cost less than one verification, two signatures (the load's DPoP proof, the server's token) and one \
            request: that is the limit. The server's own counts have to agree, or the run does not count. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var rate: RateOptions
    @OptionGroup var output: OutputOptions

    private struct Done {
        var signIns: Int
        var refreshes: Int
    }

    func run() async throws {
        output.beginBench("refresh")
        let rates = MachineRates.measure()
        output.progress("enrolling \(load.devices) devices")
        let (figures, done, counts) = try await BenchServer.run(load) { try await measure($0, $1, rates) }
        try Self.compare(figures, done, counts)
        try output.say(
            figures.sentences(of: "refreshes") + "\nThe server's counts agree: FULL durability, one token for each refresh.",
            figures)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop, _ rates: MachineRates
    ) async throws -> (RateFigures, Done) {
        let hello = try await server.hello(over: loop, load, telling: output)
        output.progress("signing in")
        let signIns = try await signedIn(server, loop)
        output.progress("refreshing")
        let (report, work) = try await loop.run(
            RefreshLoad(server.devices, tokens: signIns.refreshTokens, nonce: signIns.nonce, server.requests), rate: rate.rate,
            warmUp: .seconds(load.warmUp), duration: .seconds(load.seconds))
        guard !report.latencies.isEmpty else {
            throw BenchFailed("Not one refresh was finished: \(work.complaint ?? "no answer")")
        }
        if report.errors > 0 { output.progress("not as it should be: \(work.complaint ?? "no answer")") }
        let limit = rates.limit(verifications: 1, signatures: 2, requests: 1, hello: hello)
        return (
            RateFigures(report, done: work.refreshed, load, rate, rates, hello: hello, limit: limit),
            Done(signIns: signIns.accepted.count, refreshes: work.refreshed)
        )
    }

    private func signedIn(_ server: BenchServer, _ loop: OpenLoop) async throws -> SignInLoad {
        var work = SignInLoad(server.devices, server.requests)
        while work.refreshTokens.count < (load.devices + 1) / 2 {
            let before = work.accepted.count
            work = try await loop.run(work, rate: nil, warmUp: .zero, duration: .seconds(1)).work
            guard work.accepted.count > before else {
                throw BenchFailed("Not one sign-in was finished: \(work.complaint ?? "no answer")")
            }
        }
        return work
    }

    private static func compare(_ figures: RateFigures, _ done: Done, _ counts: Counters.Report) throws {
        let isExact =
            counts.refreshes == done.refreshes && counts.sessions == done.signIns
            && counts.verifications == 2 * done.signIns + done.refreshes
        guard isExact || figures.unanswered > 0, counts.refreshes >= done.refreshes,
            counts.tokens == counts.sessions + counts.refreshes, counts.synchronous == 2
        else { throw BenchFailed("The server counts otherwise: \(counts), and here \(done) were accepted.") }
    }
}
#endif
