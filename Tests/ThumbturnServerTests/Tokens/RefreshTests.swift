#if Tools
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
import ThumbturnServer

@Suite struct RefreshTests {
    @Test func aRefreshRotatesAndProvesNoPresence() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await ada.signIn()
            live.clock.advance(by: .seconds(120))
            let second = try await ada.refresh(first.refreshToken).read(TokenAnswer.self)
            #expect(second.refreshToken != first.refreshToken)
            let (before, after) = (try claims(of: first.accessToken), try claims(of: second.accessToken))
            #expect(after.authTime == before.authTime && after.iat - before.iat == .seconds(120) && after.sid == before.sid)
            #expect(after.jti != before.jti)
        }
    }

    @Test func aLostAnswerMayBeAskedForAgain() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await ada.signIn().refreshToken
            let second = try await ada.refresh(first).read(TokenAnswer.self).refreshToken
            live.clock.advance(by: .seconds(30))
            #expect(
                try await ada.refresh(first).read(TokenAnswer.self).refreshToken == second, "the same successor, no second branch"
            )
            let third = try await ada.refresh(second).read(TokenAnswer.self).refreshToken
            #expect(third != second)
            #expect(try await ada.refresh(second).read(TokenAnswer.self).refreshToken == third)
        }
    }

    @Test("an old token after the grace, or after its successor was used, ends the session", arguments: [true, false])
    func reuse(_ successorUsed: Bool) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let answer = try await ada.signIn()
            var newest = try await ada.refresh(answer.refreshToken).read(TokenAnswer.self)
            if successorUsed {
                newest = try await ada.refresh(newest.refreshToken).read(TokenAnswer.self)
            } else {
                live.clock.advance(by: .seconds(31))
            }
            let reused = try await ada.refresh(answer.refreshToken)
            #expect(reused.status == 400 && reused.problem?.error == "invalid_grant")
            #expect(try await ada.refresh(newest.refreshToken).kind == "verification-failed", "the whole family is over")
            #expect(try await ada.get("/v1/me", token: newest.accessToken).kind == "verification-failed")
        }
    }

    @Test func aForeignKeyIsRefusedAndEndsNothing() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let first = try await ada.signIn().refreshToken
            let second = try await ada.refresh(first).read(TokenAnswer.self).refreshToken
            live.clock.advance(by: .seconds(60))
            #expect(try await bob.refresh(first).kind == "verification-failed")
            #expect(try await bob.refresh(second).kind == "verification-failed")
            #expect(try await ada.refresh(second).kind == "ok", "a leaked old token is no kill switch")
        }
    }

    @Test func parallelRefreshesHaveOneSuccessor() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await ada.signIn().refreshToken
            let successors = try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    let connection = try await live.connect()
                    let one = LiveServer.Enrolled(device: ada.device, connection: connection)
                    group.addTask { try await one.refresh(first).read(TokenAnswer.self).refreshToken }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(successors.count == 1)
        }
    }

    @Test(
        "a session ends when it idles, and in the end",
        arguments: [(3599, 0, "ok"), (3600, 0, "verification-failed"), (3000, 14, "verification-failed")])
    func ends(_ step: Int, _ refreshes: Int, _ kind: String) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            var token = try await ada.signIn().refreshToken
            for _ in 0..<refreshes {
                live.clock.advance(by: .seconds(step))
                token = try await ada.refresh(token).read(TokenAnswer.self).refreshToken
            }
            live.clock.advance(by: .seconds(step))
            #expect(try await ada.refresh(token).kind == kind)
        }
    }

    @Test(
        "made-up tokens are refused", arguments: ["", "x", String(repeating: "A", count: 70), String(repeating: "A", count: 69)])
    func madeUp(_ token: String) async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let answer = try await ada.refresh(token)
            #expect(answer.status == 400 && ["verification-failed", "malformed"].contains(answer.kind))
        }
    }
}
#endif
