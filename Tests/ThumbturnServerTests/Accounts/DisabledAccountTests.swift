#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// An account that the operator switched off, and one whose devices the operator ended.
@Suite struct DisabledAccountTests {
    typealias Attempt = EnrolmentTests.Attempt

    private static func isActive(_ token: String, _ live: LiveServer) async throws -> Bool {
        let reader = Client(
            id: "reader", scopes: [.introspect], keys: [], createdAt: live.clock.now, limits: ClientLimits(), allowsBearer: false)
        return if case .active = try await live.service.introspect(token, by: reader) { true } else { false }
    }

    @Test func nothingOfItIsAcceptedAndTheAnswersAreTheNeutralOnes() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let bob = try await live.device(of: "bob")
            let (session, neighbour) = (try await ada.signIn(), try await bob.signIn())
            let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let account = try await live.account(of: ada)
            let approval = try await bank.ask(account).read(ApprovalRecord.self).id
            let signed = ada.device.proof(try await ada.askToApprove(approval).read(ChallengeAnswer.self).challenge)
            let stepUp = try await StepUpTests.draft(ada)
            #expect(try await Self.isActive(session.accessToken, live))

            try await live.server.disable(accountNamed: "ada")
            let (challenge, nonce) = try await ada.challenge()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).problem?.error == "invalid_grant")
            #expect(try await ada.refresh(session.refreshToken).problem?.error == "invalid_grant")
            #expect(try await StepUpTests.send(stepUp, ada, "&act=card-details").problem?.error == "invalid_grant")
            #expect(try await ada.get("/v1/me", token: session.accessToken).problem?.error == "invalid_token")
            #expect(try await !Self.isActive(session.accessToken, live))
            #expect(try await ada.approve(approval, signed).kind == "verification-failed")
            #expect(try await ada.approvals("GET").kind == "not-found", "as for a revoked device")
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            #expect(try await bank.ask(account, Bank.payment("1", "Super Store", "t-2")).status == 404)
            let comparisons = live.service.passwords.comparisonCount
            let unknown = try await attempt.signIn("nobody", LiveServer.password)
            for answer in [try await attempt.signIn("ada", LiveServer.password), try await attempt.recover("ada", code)] {
                #expect(answer.status == 401 && answer.body == unknown.body && answer.headerNames == unknown.headerNames)
            }
            #expect(live.service.passwords.comparisonCount == comparisons + 3, "for the same work")
            #expect(try await bob.refresh(neighbour.refreshToken).status == 200, "no other account is touched")
            await #expect(throws: SetupError.self) { try await live.server.disable(accountNamed: "ada") }

            try await live.server.enable(accountNamed: "ada")
            await #expect(throws: SetupError.self) { try await live.server.enable(accountNamed: "ada") }
            #expect(try await ada.refresh(session.refreshToken).problem?.error == "invalid_grant", "what ended stays ended")
            #expect(try await !Self.isActive(session.accessToken, live))
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            #expect(try await attempt.recover("ada", code).kind == "ok")
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "ok")
            let heard = try await ada.notices(try await ada.signIn().accessToken).map(\.kind)
            #expect(heard.contains("account-disabled") && heard.contains("account-enabled"))
        }
    }

    @Test func anApprovalThatItSignedBeforeIsNotRedeemed() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            let proof = ada.device.proof(try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge)
            #expect(try await ada.approve(id, proof).read(ApprovalRecord.self).state == .approved)
            try await live.server.disable(accountNamed: "ada")
            live.clock.advance(by: .seconds(1))
            try await live.server.enable(accountNamed: "ada")
            #expect(try await bank.redeem(id).status == 409, "also after the account is on again")
            let next = try await bank.ask(account, Bank.payment("1", "Super Store", "t-2")).read(ApprovalRecord.self).id
            let fresh = ada.device.proof(try await ada.askToApprove(next).read(ChallengeAnswer.self).challenge)
            #expect(try await ada.approve(next, fresh).read(ApprovalRecord.self).state == .approved)
        }
    }

    @Test func aPlainClientOfItIsRefusedAndItsTokenIsNotActive() async throws {
        try await LiveServer.plain { live in
            let app = try await PlainClient(live)
            let token = try await app.token()
            #expect(try await Self.isActive(token, live))
            try await live.server.disable(accountNamed: "ada")
            #expect(try await app.signIn().status == 401)
            #expect(try await !Self.isActive(token, live))
            try await live.server.enable(accountNamed: "ada")
            #expect(try await !Self.isActive(token, live), "as its sessions have ended")
            let next = try await app.token()
            #expect(try await Self.isActive(next, live))
            try await live.server.setPassword("another horse battery staple", ofAccountNamed: "ada")
            #expect(try await !Self.isActive(next, live))
            #expect(try await Self.isActive(app.token(), live), "its device is still enrolled")
        }
    }

    @Test("a plain client's ticket from before is void", arguments: [true, false])
    func plainEnrolment(_ isOnAgain: Bool) async throws {
        try await LiveServer.plain { live in
            let found = try await live.service.store.account(named: "ada")
            let account = try #require(found)
            let spend = Spend(
                .ticket, id: DeviceID.random().bytes, expiresAt: live.clock.now + .seconds(60),
                epoch: live.service.secrets.current.epoch)
            let ticket = Tickets.Right(
                account: account.id, spend: spend, voucher: nil, freshness: .fresh,
                credentialGeneration: account.credentialGeneration)
            try await live.server.disable(accountNamed: "ada")
            if isOnAgain { try await live.server.enable(accountNamed: "ada") }
            let device = NewDevice(id: .random(), account: account.id, name: "d", sessionJKT: "", keys: [], coolOff: .zero)
            let new = NewPlainKey(kid: "k", spki: [1])
            expect(try await live.service.store.enrol(device, with: new, by: ticket), is: false)
        }
    }

    @Test("a signature that was judged before the account was switched off opens nothing", arguments: [true, false])
    func judgedBefore(_ bySignature: Bool) async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(
            passwords: try Passwords(cost: .least), beforeSpending: { await meanwhile.withLock { $0.take() }?() }
        ) { live in
            let ada = try await live.device()
            _ = try await ada.signIn()
            let attempt = try await Attempt(live)
            let (challenge, nonce) = try await ada.challenge()
            meanwhile.withLock { $0 = { try? await live.server.disable(accountNamed: "ada") } }
            let answer =
                try await bySignature
                ? ada.redeem(ada.device.proof(challenge), nonce: nonce) : attempt.signIn("ada", LiveServer.password)
            #expect(answer.kind == "verification-failed")
        }
    }

    @Test func endingAnAccountRevokesItsDevicesAndVoidsItsTickets() async throws {
        try await LiveServer.run { live in
            let devices = [try await live.device(), try await live.device()]
            let bob = try await live.device(of: "bob")
            let sessions = [try await devices[0].signIn(), try await devices[1].signIn()]
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            expect(try await live.server.end(accountNamed: "ada"), is: 2)
            for (device, session) in zip(devices, sessions) {
                #expect(try await device.refresh(session.refreshToken).problem?.error == "invalid_grant")
                let (challenge, nonce) = try await device.challenge()
                #expect(try await device.redeem(device.device.proof(challenge), nonce: nonce).problem?.error == "invalid_grant")
            }
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            #expect(try await bob.signIn().tokenType == "DPoP")
            let noted = try await live.service.store.notices(of: try await live.account("ada"))
            #expect(noted.filter { $0.kind == .deviceRevoked }.count == 2)
            #expect(try await attempt.enrol().status == 201, "the account itself stays on")
            expect(try await live.server.end(accountNamed: "ada"), is: 1)
        }
    }

    @Test func theOperatorSeesTheStateOfAnAccount() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let attempt = try await Attempt(live)
            for _ in 1...5 { _ = try await attempt.signIn("ada", "wrong horse battery staple") }
            _ = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")
            let paused = try await live.server.state(ofAccountNamed: "ada")
            #expect(paused.wrongSignIns == 5 && paused.pausedUntil == live.clock.now + .seconds(30))
            #expect(paused.recoveryCodes == 10 && !paused.hasOneTimeCodes && paused.disabledAt == nil)
            live.clock.advance(by: .seconds(30))
            try await live.server.disable(accountNamed: "ada")
            let off = try await live.server.state(ofAccountNamed: "ada")
            #expect(off.disabledAt == live.clock.now && off.pausedUntil == nil)
            let listed = try await live.service.store.accounts(after: "", atMost: 10)
            #expect(listed.map(\.name) == ["ada", "bob"])
            #expect(listed.map(\.disabledAt) == [live.clock.now, nil])
            expect(try await live.service.store.accounts(after: "ada", atMost: 10).map(\.name), is: ["bob"])
            expect(try await live.service.store.accounts(after: "", atMost: 1).map(\.name), is: ["ada"])
        }
    }
}
#endif
