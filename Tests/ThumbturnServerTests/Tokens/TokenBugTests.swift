#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// Bugs that other servers had with tokens; `docs/bug-classes.md` lists them.
@Suite struct TokenBugTests {
    /// While the server judges one proof, slowly, the same proof comes again and is through first.
    @Test func aSlowVerificationIsStillUsedOnce() async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        let take: @Sendable () -> (@Sendable () async -> Void)? = {
            meanwhile.withLock { work in
                defer { work = nil }; return work
            }
        }
        try await LiveServer.run(beforeSpending: { await take()?() }) { live in
            let ada = try await live.device()
            let other = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            let statuses = Mutex<[Int]>([])
            meanwhile.withLock {
                $0 = {
                    live.clock.advance(by: .seconds(20))
                    guard let nonce = try? await other.nonce(), let answer = try? await other.redeem(proof, nonce: nonce)
                    else { return }
                    statuses.withLock { $0.append(answer.status) }
                }
            }
            let slow = try await ada.redeem(proof, nonce: nonce)
            #expect(statuses.withLock { $0 } == [200] && slow.status == 400)
        }
    }

    @Test func onlyAVerifiedSignatureMovesTheTimeOfAuthentication() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let signedIn = live.clock.now
            var answer = try await ada.signIn()
            func time(_ answer: TokenAnswer) async throws -> [UnixTime] {
                [
                    try claims(of: answer.accessToken).authTime,
                    try await ada.get("/v1/me", token: answer.accessToken).read(Me.self).authTime,
                ]
            }
            for step in [1, 600, 1800] {
                live.clock.advance(by: .seconds(step))
                let first = answer.refreshToken
                answer = try await ada.refresh(first).read(TokenAnswer.self)
                #expect(try await time(answer) == [signedIn, signedIn], "a refresh proves no presence")
                answer = try await ada.refresh(first).read(TokenAnswer.self)
                #expect(try await time(answer) == [signedIn, signedIn], "nor does asking again")
            }
            // A wrong proof, a used one and a wrong PIN move nothing: there is no session that they could move.
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            #expect(
                try await ada.redeem(String(proof.dropLast(8)) + String(proof.suffix(8).reversed()), nonce: nonce).status == 400)
            #expect(try await ada.redeem(proof, nonce: nonce).status == 400)
            let (other, fresh) = try await ada.device.challenge(.signIn, [ada.device.sessionKid], over: ada.connection)
            #expect(
                try await ada.redeem(ada.device.sessionProof(other), nonce: fresh).status == 400,
                "the session key verifies no person")
            #expect(try await time(answer) == [signedIn, signedIn])
            live.clock.advance(by: .seconds(60))
            #expect(try await time(try await ada.signIn()) == [live.clock.now, live.clock.now])
            #expect(try await time(answer) == [signedIn, signedIn], "and each session has its own")
        }
    }

    /// A proof for one action is accepted only for that action and only for a short time: it cannot be refreshed.
    @Test func aStepUpOpensNoSessionThatCouldBeRefreshed() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let session = try await ada.signIn()
            live.clock.advance(by: .seconds(100))
            let answer = try await StepUpTests.send(try await StepUpTests.draft(ada), ada, "&act=card-details")
            #expect(answer.status == 200 && !answer.text.contains("refresh"))
            let proved = try claims(of: try answer.read(StepUpAnswer.self).accessToken)
            #expect(proved.authorizationDetails?.first?.action == "card-details")
            // Even an attacker with the server's secret would get nothing.
            let id = try #require(SessionID(proved.sid))
            for generation in [UInt32(0), 1] {
                let made = live.service.secrets.current.refreshTokens.token(of: id, generation: generation)
                #expect(try await ada.refresh(made).problem?.error == "invalid_grant")
            }
            let refreshed = try claims(of: try await ada.refresh(session.refreshToken).read(TokenAnswer.self).accessToken)
            #expect(refreshed.authorizationDetails == nil && refreshed.authTime == live.clock.now + .seconds(-100))
        }
    }

    @Test func signingOutEndsTheStepUps() async throws {
        try await LiveServer.run(configure: { $0.coolOff = .zero }) { live in
            let (ada, other) = (try await live.device(), try await live.device())
            let session = try await ada.signIn()
            func stepUp(_ one: LiveServer.Enrolled) async throws -> String {
                try await StepUpTests.send(try await StepUpTests.draft(one), one, "&act=card-details").read(StepUpAnswer.self)
                    .accessToken
            }
            let (hers, elsewhere) = (try await stepUp(ada), try await stepUp(other))
            #expect(try await ada.get("/v1/me", token: hers).status == 200)
            #expect(try await OAuthTests.revoke(session.refreshToken, ada).status == 200)
            #expect(try await ada.get("/v1/me", token: hers).problem?.error == "invalid_token")
            #expect(try await other.get("/v1/me", token: elsewhere).status == 200, "only this device is revoked")
        }
    }

    /// All of this happens within one second: tokens differ by their generation.
    @Test func generationsAreCountedAndNotTimed() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            var tokens = [try await ada.signIn().refreshToken]
            for _ in 0..<5 { tokens.append(try await ada.refresh(tokens[tokens.count - 1]).read(TokenAnswer.self).refreshToken) }
            #expect(Set(tokens).count == 6)
            #expect(try await ada.refresh(tokens[2]).problem?.error == "invalid_grant")
            #expect(try await ada.refresh(tokens[5]).problem?.error == "invalid_grant", "an old copy has ended the family")
        }
    }

    @Test func theGraceNeverLeavesTwoLiveBranches() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let first = try await ada.signIn().refreshToken
            let second = try await ada.refresh(first).read(TokenAnswer.self).refreshToken
            let again = try await ada.refresh(first).read(TokenAnswer.self).refreshToken
            #expect(again == second)
            // Both copies of the successor are used: one generation comes of it.
            let thirds = try await withThrowingTaskGroup { group in
                for token in [second, again, second, again] {
                    let one = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
                    group.addTask { try await one.refresh(token).read(TokenAnswer.self).refreshToken }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(thirds.count == 1)
            #expect(try await ada.refresh(first).status == 400, "the successor was used, so the grace is over")
        }
    }

    private enum Step: CaseIterable { case refresh, repeatRefresh, revokeDevice, endSession }

    /// All orders of refreshing, asking again, signing out and revoking the device: after the first end nothing works.
    @Test func everyOrderOfRevokingAndRefreshingEndsTheSession() async throws {
        try await LiveServer.run { live in
            for order in Self.orders(Step.allCases) {
                let ada = try await live.device()
                let first = try await ada.signIn()
                var newest = first
                var isOver = false
                for step in order {
                    switch step {
                    case .refresh:
                        let answer = try await ada.refresh(newest.refreshToken)
                        #expect((answer.status == 200) == !isOver, "\(order)")
                        if answer.status == 200 { newest = try answer.read(TokenAnswer.self) }
                    case .repeatRefresh:
                        let answer = try await ada.refresh(first.refreshToken)
                        #expect((answer.status == 200) == !isOver, "\(order)")
                        if answer.status == 200 { newest = try answer.read(TokenAnswer.self) }
                    case .revokeDevice:
                        let proof = ada.device.dpop("DELETE", "/v1/devices/current", [], nonce: try await ada.nonce())
                        #expect(
                            try await ada.connection.send("DELETE", "/v1/devices/current", headers: [("DPoP", proof)]).status
                                == 204)
                        isOver = true
                    case .endSession:
                        #expect(try await OAuthTests.revoke(newest.refreshToken, ada).status == 200)
                        isOver = true
                    }
                    let asked = try await ada.get("/v1/me", token: newest.accessToken)
                    #expect((asked.status == 200) == !isOver, "\(order)")
                }
                #expect(try await ada.get("/v1/me", token: newest.accessToken).status == 401)
                #expect(try await ada.refresh(newest.refreshToken).status == 400)
            }
        }
    }

    @Test func noTokenSurvivesARaceWithARevocation() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            for _ in 0..<30 {
                let signedIn = try await ada.signIn()
                let tokens = try await withThrowingTaskGroup(of: TokenAnswer?.self) { group in
                    for _ in 0..<4 {
                        let one = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
                        group.addTask { try? await one.refresh(signedIn.refreshToken).read(TokenAnswer.self) }
                    }
                    let other = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
                    group.addTask {
                        let revoked = try? await OAuthTests.revoke(signedIn.refreshToken, other)
                        #expect(revoked?.status == 200)
                        return nil
                    }
                    return try await group.reduce(into: [signedIn]) { tokens, new in if let new { tokens.append(new) } }
                }
                for token in tokens {
                    #expect(try await ada.get("/v1/me", token: token.accessToken).status == 401)
                    #expect(try await ada.refresh(token.refreshToken).status == 400)
                }
            }
        }
    }

    private static func orders(_ steps: [Step]) -> [[Step]] {
        guard steps.count > 1 else { return [steps] }
        return steps.indices.flatMap { index in
            var rest = steps
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }
}
#endif
