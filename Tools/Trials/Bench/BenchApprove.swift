#if Tools
import ArgumentParser
import Foundation
import NIOPosix
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnServer

struct BenchApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Measures complete approvals per second over HTTP, from their creation to their redemption.",
        discussion: """
            An approval takes five requests: a back end creates it, the person's device fetches it, gets a challenge and sends \
            its proof, and the back end redeems it. Creation, proof and redemption are durable before they are answered. Each \
            account has one approval at a time.

            An approval costs at least eight verifications (two back-end tokens, five DPoP proofs, the proof), seven \
            signatures (the device's four, the back end's two and the server's receipt) and five requests, which gives the \
            limit of this machine. The run is discarded if the server's counts differ or an approval is redeemed twice. Build \
            with -c release.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var rate: RateOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        // The back end gets its token before the run; it expires after 300 s.
        guard load.seconds + load.warmUp <= 240 else {
            throw ValidationError("--seconds and --warm-up together must be at most 240.")
        }
    }

    func run() async throws {
        output.beginBench("approve")
        let rates = MachineRates.measure()
        output.progress("enrolling \(load.devices) devices")
        let (figures, work, counts) = try await BenchServer.run(load) { try await measure($0, $1, rates) }
        try Self.compare(figures, work, counts)
        try output.report(
            figures.sentences(of: "approvals") + "\nThe server's counts agree: FULL durability, each approval redeemed once.",
            figures)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop, _ rates: MachineRates
    ) async throws -> (RateFigures, ApproveLoad) {
        let hello = try await server.hello(over: loop, load, output: output)
        let connection = try await LoadConnection(host: "127.0.0.1", port: server.port, on: .singleton)
        let token = try await server.backEnd.accessToken(of: BenchPlace.publicURL, over: connection)
        try await connection.close()
        output.progress("approving")
        let approvals = ApproveLoad(
            server.devices, accounts: server.accounts, of: server.backEnd, token: token, server.requests)
        let (report, work) = try await loop.run(
            approvals, rate: rate.rate, warmUp: .seconds(load.warmUp), duration: .seconds(load.seconds))
        guard !report.latencies.isEmpty else {
            throw BenchError("No approval was completed: \(work.lastProblem ?? "no answer")")
        }
        if report.errors > 0 { output.progress("unexpected answer: \(work.lastProblem ?? "none")") }
        let limit = rates.limit(verifications: 8, signatures: 7, requests: 5, hello: hello)
        return (RateFigures(report, done: work.redeemed.count, load, rate, rates, hello: hello, limit: limit), work)
    }

    private static func compare(_ figures: RateFigures, _ work: ApproveLoad, _ counts: ServedCounts) throws {
        let redeemed = work.redeemed.count
        guard Set(work.redeemed).count == redeemed else { throw BenchError("An approval was redeemed twice.") }
        // One more for the back end's token.
        let isExact = counts.redemptions == redeemed && counts.verifications == 6 * redeemed + 1
        guard isExact || figures.unanswered > 0, counts.redemptions >= redeemed, counts.isDurable else {
            throw BenchError("The server's counts differ: \(counts); here \(redeemed) approvals were redeemed.")
        }
    }
}
#endif
