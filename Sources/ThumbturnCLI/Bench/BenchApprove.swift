#if Tools
import ArgumentParser
import Foundation
import NIOPosix
import ThumbturnLoad
import ThumbturnServer

struct BenchApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Whole approvals per second over HTTP, from what a back end asks to what it redeems.",
        discussion: """
            An approval is five requests: a back end asks, the person's device fetches what is to be shown, gets a challenge over it and sends \
            its proof, and the back end redeems. Asking, proving and redeeming are durable before they are answered. Each account has one \
            approval at a time.

            It cannot cost less than six verifications (two back-end tokens, three DPoP proofs, the proof), five signatures (those four, and \
            the server's receipt) and five requests: that is the limit. The server's own counts have to agree and no approval may be \
            redeemed twice, or the run does not count. Build with -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var rate: RateOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        // The back end's token lives 300 s, and is taken before the run.
        guard load.seconds + load.warmUp <= 240 else {
            throw ValidationError("--seconds and --warm-up want 240 at most together.")
        }
    }

    func run() async throws {
        output.beginBench("approve")
        let rates = MachineRates.measure()
        output.progress("enrolling \(load.devices) devices")
        let (figures, work, counts) = try await BenchServer.run(load) { try await measure($0, $1, rates) }
        try Self.compare(figures, work, counts)
        try output.say(
            figures.sentences(of: "approvals") + "\nThe server's counts agree: FULL durability, each approval redeemed once.",
            figures)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop, _ rates: MachineRates
    ) async throws -> (RateFigures, ApproveLoad) {
        let hello = try await server.hello(over: loop, load, telling: output)
        let connection = try await LoadConnection(host: "127.0.0.1", port: server.port, on: .singleton)
        let token = try await server.backEnd.accessToken(of: server.url, over: connection)
        try await connection.close()
        output.progress("approving")
        let (report, work) = try await loop.run(
            ApproveLoad(server.devices, accounts: server.accounts, token: token, server.requests), rate: rate.rate,
            warmUp: .seconds(load.warmUp), duration: .seconds(load.seconds))
        guard !report.latencies.isEmpty else {
            throw BenchFailed("Not one approval was finished: \(work.complaint ?? "no answer")")
        }
        if report.errors > 0 { output.progress("not as it should be: \(work.complaint ?? "no answer")") }
        let limit = rates.limit(verifications: 6, signatures: 5, requests: 5, hello: hello)
        return (RateFigures(report, done: work.redeemed.count, load, rate, rates, hello: hello, limit: limit), work)
    }

    private static func compare(_ figures: RateFigures, _ work: ApproveLoad, _ counts: Counters.Report) throws {
        let redeemed = work.redeemed.count
        guard Set(work.redeemed).count == redeemed else { throw BenchFailed("An approval was redeemed twice.") }
        let isExact = counts.redemptions == redeemed && counts.verifications == 4 * redeemed
        guard isExact || figures.unanswered > 0, counts.redemptions >= redeemed, counts.synchronous == 2 else {
            throw BenchFailed("The server counts otherwise: \(counts), and here \(redeemed) approvals were redeemed.")
        }
    }
}
#endif
