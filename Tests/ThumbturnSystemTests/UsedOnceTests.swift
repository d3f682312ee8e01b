#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad

/// A proof is redeemed at most once.
@Suite(.serialized) struct UsedOnceTests {
    /// Two processes share one database and stall between the check and the consumption. Of 64 parallel posts of a proof, one
    /// succeeds.
    @Test func oneProofGivesOneTokenAcrossProcesses() async throws {
        let rounds = ProcessInfo.processInfo.environment["THUMBTURN_ROUNDS"].flatMap(Int.init) ?? 100
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServerProcess.addAccount(in: folder)
        let ports = [try await Built.freePort(), try await Built.freePort()]
        let url = "http://127.0.0.1:\(ports[0])"
        func start(_ port: Int) async throws -> ServerProcess {
            try await .startForTrial(["--data", folder, "--public-url", url, "--stall-milliseconds", "2"], port: port)
        }
        let one = try await start(ports[0])
        defer { one.stop() }
        let two = try await start(ports[1])
        defer { two.stop() }

        var opened: [[LoadConnection]] = [[], []]
        for _ in 0..<32 {
            opened[0].append(try await one.connect())
            opened[1].append(try await two.connect())
        }
        let connections = opened
        let device = LoadDevice(server: url)
        try await device.enrol(account: ServerProcess.account, password: ServerProcess.password, over: connections[0][0])

        func posts() async throws -> [(node: Int, LoadConnection.Answer)] {
            let (challenge, nonceOfOne) = try await device.challenge(over: connections[0][0])
            let nonces = [nonceOfOne, try await device.challenge(over: connections[1][0]).nonce]
            let proof = device.proof(challenge)
            return try await withThrowingTaskGroup { group in
                for node in [0, 1] {
                    for connection in connections[node] {
                        group.addTask { (node, try await device.redeem(proof, nonce: nonces[node], over: connection)) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        var tokens: Set<String> = []
        var winners = [0, 0]
        var late = 0
        for round in 0..<rounds {
            var answers = try await posts()
            // Where this machine ran something else for half a minute, the nonces have expired. A client tries again.
            while answers.allSatisfy({ $0.1.body.contains("use_dpop_nonce".utf8) }), late < 10 {
                late += 1
                answers = try await posts()
            }
            let accepted = answers.filter { $0.1.status == 200 }
            #expect(
                answers.count == 64 && accepted.count == 1,
                "round \(round): \(Set(answers.map { String(decoding: $0.1.body, as: UTF8.self) }))")
            #expect(answers.allSatisfy { $0.1.status == 200 || $0.1.status == 400 }, "round \(round)")
            for (node, answer) in accepted {
                winners[node] += 1
                tokens.insert(try device.read(TokenAnswer.self, answer, expecting: 200).accessToken)
            }
        }
        #expect(tokens.count == rounds)
        print(
            "used once: \(rounds) rounds of 64 parallel posts to two processes, \(tokens.count) tokens, "
                + "winners \(winners[0]) and \(winners[1]), \(late) rounds again for their nonces"
        )
        #expect(rounds < 100 || (winners[0] > 0 && winners[1] > 0), "both processes took part")
    }
}
#endif
