#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
import ThumbturnServer

/// A server's clock is set while it runs. That may make a person sign in again, and it never makes anything valid again.
@Suite struct ClockTests {
    /// A proof that was used and a session that ended before the clock was set.
    private struct Dead {
        var proof: String
        var refreshToken: String
        var accessToken: String
    }

    private func kill(_ ada: LiveServer.Enrolled) async throws -> Dead {
        let (challenge, nonce) = try await ada.challenge()
        let proof = ada.device.proof(challenge)
        let tokens = try await ada.redeem(proof, nonce: nonce).read(TokenAnswer.self)
        #expect(try await OAuthTests.revoke(tokens.refreshToken, ada).status == 200)
        return Dead(proof: proof, refreshToken: tokens.refreshToken, accessToken: tokens.accessToken)
    }

    private func stays(_ dead: Dead, _ ada: LiveServer.Enrolled, _ moves: [Int]) async throws {
        #expect(try await ada.redeem(dead.proof, nonce: try await ada.nonce()).status == 400, "\(moves)")
        #expect(try await ada.refresh(dead.refreshToken).status == 400, "\(moves)")
        #expect(try await ada.get("/v1/me", token: dead.accessToken).status == 401, "\(moves)")
    }

    @Test(
        "a clock that is moved by an hour each way revives nothing, over a purge as well",
        arguments: [[3600], [-3600], [3600, -3600], [-3600, 3600], [3600, -7200, 3600]], [true, false])
    func moved(_ moves: [Int], _ purging: Bool) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let dead = try await kill(ada)
            let expired = ada.device.proof(try await ada.challenge().challenge)
            live.clock.advance(by: .seconds(301))
            // The server has to see the time once: here its monotonic clock stands still.
            #expect(try await ada.redeem(expired, nonce: try await ada.nonce()).status == 400)
            for move in moves {
                live.clock.advance(by: .seconds(move))
                if purging { try await live.service.tidy() }
                try await stays(dead, ada, moves)
                #expect(try await ada.redeem(expired, nonce: try await ada.nonce()).status == 400, "what expired stays so")
            }
            #expect(try await ada.signIn().tokenType == "DPoP", "an honest device gets in")
        }
    }

    @Test func aServerThatStartsWithItsClockSetBackMakesNothingValidAgain() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        let port = try await LiveServer.freePort()
        let url = "http://127.0.0.1:\(port)"
        let device = LoadDevice(server: url)
        let held = Box<Dead>()
        try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
            let ada = LiveServer.Enrolled(device: device, connection: try await live.connect())
            try await device.enrol(account: "ada", password: LiveServer.password, over: ada.connection)
            held.set(try await kill(ada))
            clock.advance(by: .seconds(301))
            try await live.service.tidy()
        }
        clock.advance(by: .seconds(-3600))
        try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
            let ada = LiveServer.Enrolled(device: device, connection: try await live.connect())
            try await stays(try #require(held.value), ada, [-3600])
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }
}
#endif
