#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnVerifier

/// A visit: full credentials open a session, and no device is enrolled or replaced.
@Suite struct VisitTests {
    typealias Attempt = EnrolmentTests.Attempt

    // MARK: What it is

    @Test func aPasswordOpensASessionThatSaysSoAndClaimsNoKey() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            #expect(tokens.tokenType == "DPoP" && tokens.expiresIn == 300)
            let claims = try claims(of: tokens.accessToken)
            #expect(claims.amr == ["pwd"] && claims.acr == "urn:thumbturn:acr:none:none")
            #expect(claims.authTime == live.clock.now && claims.cnf.jkt == guest.device.sessionKid)
            #expect(claims.authorizationDetails == nil)
            let me = try await guest.get("/v1/me", token: tokens.accessToken).read(Me.self)
            #expect(me.amr == ["pwd"] && me.acr == claims.acr && me.name == "ada" && me.account == claims.sub)
            let renewed = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self)
            let later = try ThumbturnServerTests.claims(of: renewed.accessToken)
            #expect(later.amr == ["pwd"] && later.acr == claims.acr && later.authTime == claims.authTime)
            #expect(later.sid == claims.sid)
        }
    }

    @Test func aBackEndReadsHowThePersonSignedInUntilTheVisitIsOver() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let (guest, tokens) = try await live.visit()
            func told() async throws -> [String: Any] {
                let answer = try await bank.post(
                    "/v1/introspect", "token=\(tokens.accessToken)", asserting: try bank.assertion(at: live.clock.now))
                return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            }
            let active = try await told()
            #expect(active["active"] as? Bool == true && active["amr"] as? [String] == ["pwd"])
            #expect(active["acr"] as? String == "urn:thumbturn:acr:none:none")
            #expect(try await OAuthTests.revoke(tokens.refreshToken, guest).status == 200)
            let ended = try await told()
            #expect(ended["active"] as? Bool == false && ended.count == 1)
        }
    }

    @Test func aTokenOfAVisitIsNoTokenOfAPlainClient() async throws {
        try await LiveServer.run { live in
            let token = try await live.visit().tokens.accessToken
            let keys = try await live.service.tokenKeys()
            #expect(throws: VerificationError.wrongType) {
                try PlainTokenClaims(verifying: token, keys: keys, issuer: live.url, audience: live.url, at: live.clock.now)
            }
        }
    }

    @Test("each way to sign in is named", arguments: ["password", "one-time code", "recovery code", "both"])
    func methods(_ way: String) async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let codes = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let oneTime = ["one-time code", "both"].contains(way) ? try await live.oneTimeCodes() : nil
            let code = oneTime.map { $0.code(of: OneTimeCodes.step(at: live.clock.now)) }
            let answer =
                switch way {
                case "recovery code": try await attempt.recover("ada", codes[0])
                case "both": try await attempt.recover("ada", codes[0], password: LiveServer.password)
                default: try await attempt.signIn("ada", LiveServer.password, code)
                }
            let tokens = try await attempt.visit(by: try answer.read(EnrolmentTicket.self).ticket).read(TokenAnswer.self)
            let expected =
                switch way {
                case "password": ["pwd"]
                case "recovery code": ["otp"]
                default: ["pwd", "otp"]
                }
            #expect(try claims(of: tokens.accessToken).amr == expected)
        }
    }

    // MARK: Its ticket

    @Test func aTicketIsUsedOnceForAnEnrolmentOrForAVisit() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let first = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            #expect(try await attempt.visit(by: first).status == 200)
            #expect(try await attempt.visit(by: first).problem?.error == "invalid_grant")
            #expect(try await attempt.enrol(ticket: first).kind == "verification-failed")
            let second = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            #expect(try await attempt.enrol(ticket: second).status == 201)
            #expect(try await attempt.visit(by: second).problem?.error == "invalid_grant")
        }
    }

    @Test func aTicketThatIsSentManyTimesAtOnceIsUsedOnce() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let used = try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        let own = Attempt(live, attempt.device, try await live.connect())
                        let answer = try await number.isMultiple(of: 4) ? own.enrol(ticket: ticket) : own.visit(by: ticket)
                        return answer.status < 300
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(used == 1)
        }
    }

    @Test func onlyTheKeyThatAskedForTheTicketUsesIt() async throws {
        try await LiveServer.run { live in
            let (attempt, thief) = (try await Attempt(live), try await Attempt(live))
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            #expect(try await thief.visit(by: ticket).problem?.error == "invalid_grant")
            #expect(try await attempt.visit(by: ticket).status == 200, "and the thief has not used it up")
        }
    }

    @Test func aTicketThatADeviceVouchesForOpensNoVisit() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let attempt = try await Attempt(live)
            let ticket = try await ada.vouch(for: attempt.device, token: try await ada.signIn().accessToken)
                .read(EnrolmentTicket.self).ticket
            #expect(try await attempt.visit(by: ticket).problem?.error == "invalid_grant")
            #expect(try await attempt.enrol(ticket: ticket).status == 201, "it is a ticket for an enrolment still")
        }
    }

    @Test("a ticket of before is void", arguments: ["a new password", "switched off", "off and on", "ended", "late", "broken"])
    func void(_ what: String) async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            var ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            switch what {
            case "a new password": try await live.server.setPassword(PasswordChangeTests.newPassword, ofAccountNamed: "ada")
            case "switched off": try await live.server.disable(accountNamed: "ada")
            case "off and on":
                try await live.server.disable(accountNamed: "ada")
                try await live.server.enable(accountNamed: "ada")
            case "ended": _ = try await live.server.end(accountNamed: "ada")
            case "late": live.clock.advance(by: .seconds(300))
            default: ticket = String(ticket.dropLast(8)) + String(ticket.suffix(8).reversed())
            }
            let refused = try await attempt.visit(by: ticket)
            #expect(refused.status == 400 && refused.problem?.error == "invalid_grant", "\(refused.text)")
        }
    }

    @Test func aPasswordThatChangesBetweenTheJudgementAndTheTransactionOpensNothing() async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(beforeSpending: { await meanwhile.withLock { $0.take() }?() }) { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            meanwhile.withLock {
                $0 = { try? await live.server.setPassword(PasswordChangeTests.newPassword, ofAccountNamed: "ada") }
            }
            #expect(try await attempt.visit(by: ticket).problem?.error == "invalid_grant")
        }
    }

    // MARK: Where there are none

    @Test func withoutTheSettingThereIsNoSuchGrant() async throws {
        try await LiveServer.run(configure: { $0.visitLifetime = nil }) { live in
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            #expect(try await attempt.visit(by: ticket).problem?.error == "unsupported_grant_type")
            #expect(!live.service.metadata.grantTypesSupported.contains(ticketGrantType))
            #expect(!live.service.metadata.acrValuesSupported.contains(Assurance.withoutKey.acr))
            #expect(try await attempt.enrol(ticket: ticket).status == 201)
        }
    }

    @Test func aServerThatNoLongerHasThemEndsThem() async throws {
        let (folder, clock) = (LiveServer.temporaryFolder(), TestClock())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let opened = Mutex<(url: String, device: LoadDevice, tokens: TokenAnswer)?>(nil)
        try await LiveServer.run(folder: folder, clock: clock) { live in
            let (guest, tokens) = try await live.visit()
            opened.withLock { $0 = (live.url, guest.device, tokens) }
        }
        let (url, device, tokens) = try #require(opened.withLock { $0 })
        for (lifetime, status) in [(Duration?.none, 401), (.seconds(1800), 200)] {
            try await LiveServer.run(
                folder: folder, publicURL: url, clock: clock, configure: { $0.visitLifetime = lifetime }
            ) { live in
                let guest = LiveServer.Enrolled(device: device, connection: try await live.connect())
                #expect(try await guest.get("/v1/me", token: tokens.accessToken).status == status)
                if status == 401 {
                    #expect(try await guest.refresh(tokens.refreshToken).problem?.error == "invalid_grant")
                }
            }
        }
    }
}

extension EnrolmentTests.Attempt {
    init(_ live: LiveServer, _ device: LoadDevice, _ connection: LoadConnection) {
        (self.live, self.device, self.connection) = (live, device, connection)
    }

    /// Redeems a ticket for a visit.
    func visit(by ticket: String) async throws -> LoadConnection.Answer {
        let form = Array("grant_type=\(ticketGrantType.replacing(":", with: "%3A"))&ticket=\(ticket)".utf8)
        let nonce = try await device.challenge(over: connection).nonce
        return try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", device.dpop("POST", "/v1/token", form, nonce: nonce))], body: form)
    }
}

extension LiveServer {
    /// A visit by password, over its own connection.
    func visit(of account: String = "ada", password: String = password) async throws -> (guest: Enrolled, tokens: TokenAnswer) {
        let attempt = try await EnrolmentTests.Attempt(self)
        let ticket = try await attempt.ticket(account: account, password: password).read(EnrolmentTicket.self).ticket
        let tokens = try await attempt.visit(by: ticket).read(TokenAnswer.self)
        return (Enrolled(device: attempt.device, connection: attempt.connection), tokens)
    }
}
#endif
