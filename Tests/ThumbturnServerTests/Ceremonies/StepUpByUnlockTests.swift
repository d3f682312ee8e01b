#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

/// The unlock that opened the session, in place of a proof for one action, where the action's rule takes one.
@Suite struct StepUpByUnlockTests {
    static let table = StepUpTable(actions: [
        "balance": rule(.seconds(60)) { _ in },
        "export": rule(.seconds(60)) { $0.takesUnlock = false },
        "by-face": rule(.seconds(60)) { $0.keys = [.biometric] },
        "in-hardware": rule(.seconds(60)) { $0.assurance = Assurance(protection: .attestedApp, verification: .biometric) },
        "watched": rule(.seconds(60)) { $0.oneOf = [.highLiveness] },
        "each": rule(.zero) { _ in },
        "pay": rule(.seconds(60)) {
            $0.thresholds = [.init(above: Money(minor: 1000, currency: "EUR")!, oneOf: [.twoKeys])]
        },
    ])

    static func rule(_ maximumAge: Duration, _ change: (inout ActionRule) -> Void) -> ActionRule {
        var rule = ActionRule(maximumAge: maximumAge)
        rule.takesUnlock = true
        change(&rule)
        return rule
    }

    static func run(_ table: StepUpTable = table, _ story: @escaping @Sendable (LiveServer) async throws -> Void) async throws {
        try await LiveServer.run(
            configure: {
                $0.stepUp = StepUpPolicy(table)
                $0.visitLifetime = .seconds(3600)
            }, story)
    }

    /// Exchanges an access token for one for an action.
    static func exchange(
        _ token: String, for act: String, by phone: LiveServer.Enrolled, type: String = TokenExchange.accessTokenType
    ) async throws -> LoadConnection.Answer {
        let form = [
            ("grant_type", TokenExchange.grantType), ("subject_token", token), ("subject_token_type", type), ("act", act),
        ].map { "\($0)=\($1.replacing(":", with: "%3A"))" }.joined(separator: "&")
        return try await phone.connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", phone.device.dpop("POST", "/v1/token", Array(form.utf8), nonce: try await phone.nonce()))],
            body: Array(form.utf8))
    }

    @Test func theTokenNamesTheActionAndIsAsOldAsTheUnlock() async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let unlock = try await ada.signIn()
            let unlocked = live.clock.now
            live.clock.advance(by: .seconds(20))
            let answer = try await Self.exchange(unlock.accessToken, for: "balance", by: ada).read(StepUpAnswer.self)
            let token = try claims(of: answer.accessToken)
            #expect(token.authTime == unlocked && token.cnf.jkt == ada.device.sessionKid)
            let grant = ActionGrant(ActionAsk(text: "balance")!, keys: [.biometric], shown: [], once: false, byUnlock: true)
            #expect(token.authorizationDetails == [grant])
            #expect(answer.issuedTokenType == TokenExchange.accessTokenType)
            let refreshed = try await ada.refresh(unlock.refreshToken).read(TokenAnswer.self)
            #expect(try await ada.get("/v1/me", token: refreshed.accessToken).kind == "ok", "the session goes on")
            let again = try await Self.exchange(refreshed.accessToken, for: "balance", by: ada).read(StepUpAnswer.self)
            #expect(try claims(of: again.accessToken).authTime == unlocked, "a refresh makes no unlock younger")
        }
    }

    @Test("an unlock is too old after the rule's age", arguments: [(60, "ok"), (61, "verification-failed")])
    func age(_ seconds: Int, _ kind: String) async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let token = try await ada.signIn().accessToken
            live.clock.advance(by: .seconds(seconds))
            #expect(try await Self.exchange(token, for: "balance", by: ada).kind == kind)
        }
    }

    @Test(
        "an unlock proves no more than its key",
        arguments: [
            ("export", "verification-failed"), ("by-face", "ok"), ("in-hardware", "verification-failed"),
            ("watched", "verification-failed"), ("each", "verification-failed"), ("pay:EUR:1000", "ok"),
            ("pay:EUR:1001", "verification-failed"), ("pay", "malformed"), ("other", "malformed"),
            ("Bad act", "malformed"),
        ])
    func demands(_ act: String, _ kind: String) async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let answer = try await Self.exchange(try await ada.signIn().accessToken, for: act, by: ada)
            #expect(answer.kind == kind)
        }
    }

    @Test func anUnlockByThePINStandsForNoFinger() async throws {
        try await Self.run { live in
            let phone = try await PINKeyTests.PINDevice(live)
            let ada = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let unlock = try await phone.tryPIN(right: true).read(TokenAnswer.self)
            #expect(try await Self.exchange(unlock.accessToken, for: "by-face", by: ada).kind == "verification-failed")
            let answer = try await Self.exchange(unlock.accessToken, for: "balance", by: ada).read(StepUpAnswer.self)
            #expect(try claims(of: answer.accessToken).authorizationDetails?.first?.keys == [.pin])
        }
    }

    @Test func onlyTheTokenOfAnUnlockIsTaken() async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let unlock = try await ada.signIn()
            let stepUp = try await Self.exchange(unlock.accessToken, for: "balance", by: ada).read(StepUpAnswer.self)
            #expect(
                try await Self.exchange(stepUp.accessToken, for: "by-face", by: ada).kind == "verification-failed",
                "one action's token is none for another")
            let (guest, visit) = try await live.visit()
            #expect(try await Self.exchange(visit.accessToken, for: "balance", by: guest).kind == "verification-failed")
            let thief = try await live.device()
            #expect(
                try await Self.exchange(unlock.accessToken, for: "balance", by: thief).kind == "verification-failed",
                "the session's key has to ask")
            #expect(try await Self.exchange(unlock.refreshToken, for: "balance", by: ada).kind == "verification-failed")
            let unread = try await Self.exchange(unlock.accessToken, for: "balance", by: ada, type: TokenExchange.idTokenType)
            #expect(unread.problem?.error == "invalid_request")
        }
    }

    @Test func theEndOfTheSessionOrOfTheDeviceEndsIt() async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let over = try await ada.signIn()
            #expect(try await OAuthTests.revoke(over.refreshToken, ada).status == 200)
            #expect(try await Self.exchange(over.accessToken, for: "balance", by: ada).kind == "verification-failed")
            let token = try await ada.signIn().accessToken
            let stepUp = try await Self.exchange(token, for: "balance", by: ada).read(StepUpAnswer.self)
            #expect(try await ada.delete("/v1/devices/current", token: token).status < 300)
            #expect(try await Self.exchange(token, for: "balance", by: ada).kind == "verification-failed")
            #expect(try await ada.get("/v1/me", token: stepUp.accessToken).status == 401, "what it gave ends with the device")
        }
    }

    @Test func anUnlockOfADeviceThatCoolsOffIsNotTaken() async throws {
        try await Self.run { live in
            _ = try await live.device()
            let new = try await live.device()
            let token = try await new.signIn().accessToken
            #expect(try await Self.exchange(token, for: "balance", by: new).kind == "verification-failed")
            live.clock.advance(by: .seconds(24 * 3600))
            let later = try await new.signIn().accessToken
            #expect(try await Self.exchange(later, for: "balance", by: new).kind == "ok")
        }
    }

    @Test func theAgeCountsFromTheChallengeOfTheUnlock() async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let challenge = try await ada.challenge().challenge
            let made = live.clock.now
            live.clock.advance(by: .seconds(61))
            let proof = ada.device.proof(challenge)
            let unlock = try await ada.redeem(proof, nonce: try await ada.nonce()).read(TokenAnswer.self)
            #expect(try claims(of: unlock.accessToken).authTime == made, "nobody knows when in between it was signed")
            #expect(try await Self.exchange(unlock.accessToken, for: "balance", by: ada).kind == "verification-failed")
        }
    }

    @Test func aDeviceExchangesNoMoreThanItMayProve() async throws {
        let configure: @Sendable (inout ServerSettings) -> Void = {
            $0.stepUp = StepUpPolicy(Self.table)
            $0.proofsOfDevice = 4
        }
        try await LiveServer.run(configure: configure) { live in
            let ada = try await live.device()
            let token = try await ada.signIn().accessToken
            var statuses: [Int] = []
            for _ in 1...6 { statuses.append(try await Self.exchange(token, for: "balance", by: ada).status) }
            #expect(statuses.first == 200 && statuses.last == 429)
        }
    }

    @Test func aTokenOfAnUnlockIsRefusedOnceTheRuleTakesNone() async throws {
        try await Self.run { live in
            let ada = try await live.device()
            let answer = try await Self.exchange(try await ada.signIn().accessToken, for: "balance", by: ada)
            let token = try claims(of: answer.read(StepUpAnswer.self).accessToken)
            let ask = ActionAsk(text: "balance")!
            try await token.judge(for: ask, by: Self.table, at: live.clock.now) { _ in true }
            var stricter = Self.table
            stricter.actions["balance"]?.takesUnlock = false
            let refusal = await #expect(throws: RequestError.self) {
                try await token.judge(for: ask, by: stricter, at: live.clock.now) { _ in true }
            }
            #expect(refusal?.problem.status == 401)
        }
    }

    @Test func aTableWithoutSuchARuleHasNoSuchGrant() async throws {
        try await Self.run(.standard) { live in
            let ada = try await live.device()
            let answer = try await Self.exchange(try await ada.signIn().accessToken, for: "card-details", by: ada)
            #expect(answer.problem?.error == "unsupported_grant_type")
            #expect(try await Self.metadata(ada).contains("token-exchange") == false)
        }
        try await Self.run { live in
            let ada = try await live.device()
            #expect(try await Self.metadata(ada).contains("token-exchange"))
        }
    }

    private static func metadata(_ phone: LiveServer.Enrolled) async throws -> String {
        try await phone.connection.send("GET", "/.well-known/oauth-authorization-server").text
    }
}
#endif
