#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// How a visit ends.
@Suite struct VisitEndTests {
    private static func isOver(_ tokens: TokenAnswer, _ guest: LiveServer.Enrolled) async throws -> Bool {
        let use = try await guest.get("/v1/me", token: tokens.accessToken)
        let refresh = try await guest.refresh(tokens.refreshToken)
        guard use.status == 401, refresh.problem?.error == "invalid_grant" else {
            #expect(use.status == 200 && refresh.status == 200)
            return false
        }
        return true
    }

    private func rows(_ live: LiveServer) throws -> Int? {
        try live.database().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM visits") }
    }

    @Test func noRefreshMakesItLongerThanHalfAnHour() async throws {
        try await LiveServer.run { live in
            var (guest, tokens) = try await live.visit()
            let end = live.clock.now + .seconds(1800)
            for _ in 1...5 {
                live.clock.advance(by: .seconds(299))
                tokens = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            }
            live.clock.advance(by: .seconds(304))
            tokens = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            #expect(tokens.expiresIn == 1 && live.clock.now + .seconds(1) == end, "the token ends with the visit")
            #expect(try claims(of: tokens.accessToken).exp == end)
            live.clock.advance(by: .seconds(1))
            #expect(try await Self.isOver(tokens, guest))
        }
    }

    @Test func theOperatorSaysHowLongItLastsAndItCountsFromTheSignIn() async throws {
        try await LiveServer.run(configure: { $0.visitLifetime = .seconds(120) }) { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            live.clock.advance(by: .seconds(100))
            let tokens = try await attempt.visit(by: ticket).read(TokenAnswer.self)
            #expect(tokens.expiresIn == 20)
            let late = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            live.clock.advance(by: .seconds(120))
            #expect(try await attempt.visit(by: late).problem?.error == "invalid_grant", "it would be over already")
        }
    }

    @Test func itNeverOutlastsOtherSessions() async throws {
        try await LiveServer.run(configure: { $0.sessionLifetime = .seconds(60) }) { live in
            let (guest, tokens) = try await live.visit()
            #expect(tokens.expiresIn == 60)
            live.clock.advance(by: .seconds(60))
            #expect(try await Self.isOver(tokens, guest))
        }
    }

    @Test(
        "it ends with what makes its credentials void",
        arguments: ["the owner's new password", "the operator's", "one-time codes", "switched off", "off and on", "ended"])
    func void(_ what: String) async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            let (guest, tokens) = try await live.visit()
            let (bob, bobs) = try await live.visit(of: "bob")
            switch what {
            case "the owner's new password":
                let token = try await PasswordChangeTests.token(owner)
                #expect(try await PasswordChangeTests.change(owner, token: token).status == 204)
            case "the operator's":
                try await live.server.setPassword(PasswordChangeTests.newPassword, ofAccountNamed: "ada")
            case "one-time codes": _ = try await live.oneTimeCodes()
            case "switched off": try await live.server.disable(accountNamed: "ada")
            case "off and on":
                try await live.server.disable(accountNamed: "ada")
                try await live.server.enable(accountNamed: "ada")
            default: _ = try await live.server.end(accountNamed: "ada")
            }
            #expect(try await Self.isOver(tokens, guest))
            #expect(try await Self.isOver(bobs, bob) == false, "and no other account's")
        }
    }

    @Test("signing out ends it, by either token", arguments: [true, false])
    func signOut(_ byRefreshToken: Bool) async throws {
        try await LiveServer.run { live in
            let ((guest, tokens), (other, others)) = (try await live.visit(), try await live.visit())
            let token = byRefreshToken ? tokens.refreshToken : tokens.accessToken
            #expect(try await OAuthTests.revoke(token, other).status == 200)
            #expect(try await guest.get("/v1/me", token: tokens.accessToken).status == 200, "another key ends nothing")
            #expect(try await OAuthTests.revoke(token, guest).status == 200)
            #expect(try await Self.isOver(tokens, guest))
            #expect(try await Self.isOver(others, other) == false)
            #expect(try await OAuthTests.revoke(token, guest).status == 200, "twice is once")
            let events = try await live.service.store.auditRows(after: 0, limit: .max).map(\.event)
            #expect(events.filter { $0.contains(#""event":"sign-out""#) }.count == 1)
        }
    }

    @Test func theSixthEndsTheOldest() async throws {
        try await LiveServer.run { live in
            let (bob, bobs) = try await live.visit(of: "bob")
            var visits: [(guest: LiveServer.Enrolled, tokens: TokenAnswer)] = []
            for _ in 0..<Limits.visits + 2 {
                visits.append(try await live.visit())
                live.clock.advance(by: .seconds(1))
            }
            for (number, visit) in visits.enumerated() {
                #expect(try await Self.isOver(visit.tokens, visit.guest) == (number < 2), "\(number)")
            }
            #expect(try await Self.isOver(bobs, bob) == false)
            #expect(try rows(live) == Limits.visits + 1)
        }
    }

    @Test func aRefreshTokenThatIsUsedAgainEndsItAndAForeignKeyDoesNot() async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            let (guest, tokens) = try await live.visit()
            let thief = LiveServer.Enrolled(device: LoadDevice(server: live.url), connection: try await live.connect())
            #expect(try await thief.refresh(tokens.refreshToken).problem?.error == "invalid_grant")
            let second = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            let same = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            #expect(same.refreshToken == second.refreshToken, "an answer that was lost is given again")
            let third = try await guest.refresh(second.refreshToken).read(TokenAnswer.self)
            #expect(try await guest.refresh(tokens.refreshToken).problem?.error == "invalid_grant")
            #expect(try await Self.isOver(third, guest))
            let told = try await owner.notices(try await owner.signIn().accessToken).map(\.kind)
            #expect(told.contains("foreign-key") && told.contains("refresh-token-reused"))
        }
    }

    @Test func anEpochEndsItAndATidyServerForgetsIt() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            #expect(try rows(live) == 1)
            let settings = try ServerSettings(publicURL: live.url, dataFolder: live.folder)
            try await AuthorizationServer(settings, for: .command, clock: live.clock.node).setTime()
            #expect(try await Self.isOver(tokens, guest))
            #expect(try rows(live) == 0)
            _ = try await live.visit()
            live.clock.advance(by: .seconds(12 * 3600))
            try await live.service.tidy()
            #expect(try rows(live) == 0)
        }
    }
}
#endif
