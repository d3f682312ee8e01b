#if Tools
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnTestKit
@testable import ThumbturnServer

/// A new password: set by its owner with a step-up, or by the operator.
@Suite struct PasswordChangeTests {
    typealias Attempt = EnrolmentTests.Attempt

    static let newPassword = "a new horse battery staple"

    /// The token of a step-up.
    static func token(_ phone: LiveServer.Enrolled, act: String = "change-password") async throws -> String {
        let draft = try await StepUpTests.draft(phone, act: act)
        return try await StepUpTests.send(draft, phone, "&act=\(act)").read(StepUpAnswer.self).accessToken
    }

    static func change(
        _ phone: LiveServer.Enrolled, to password: String = newPassword, token: String
    ) async throws -> LoadConnection.Answer {
        try await phone.send("POST", "/v1/password", Signing.encode(PasswordChangeRequest(password: password)), token: token)
    }

    private static func hash(_ live: LiveServer) async throws -> String {
        try #require(try await live.service.store.account(named: "ada")).passwordHash
    }

    // MARK: By its owner

    @Test func theDeviceLibraryAndTheServerMeet() async throws {
        try await LiveServer.run { live in
            let phone = SimulatedPhone()
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: LiveServer.password))
            _ = try await auth.authenticate("Unlock")
            let prompts = phone.promptCount
            try await auth.changePassword(to: Self.newPassword, reason: "Change your password")
            #expect(phone.promptCount == prompts + 1)
            expect(try await auth.me().name, is: "ada", "the session of this device goes on")
            let attempt = try await Attempt(live)
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "verification-failed")
            #expect(try await attempt.signIn("ada", Self.newPassword).kind == "ok")
            let noted = try await live.service.store.notices(of: try await live.account("ada")).map(\.kind)
            #expect(noted.contains(.passwordChanged), "and the owner is told")
        }
    }

    @Test func itNeedsAStepUpForThisActionAndEachIsUsedOnce() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            for token in [try await ada.signIn().accessToken, try await Self.token(ada, act: "card-details")] {
                let refused = try await Self.change(ada, token: token)
                #expect(refused.status == 401 && refused.kind == "step-up-required")
                let challenge = try #require(refused.challenge.flatMap(StepUpChallenge.init))
                #expect(challenge.ask == ActionAsk("change-password") && challenge.maximumAge == .zero)
            }
            let token = try await Self.token(ada)
            #expect(try await Self.change(ada, token: token).status == 204)
            #expect(try await Self.change(ada, token: token).status == 401)
            #expect(try await ada.get("/v1/me", token: token).status == 401, "the token has ended")
        }
    }

    @Test func aTokenThatIsSentManyTimesAtOnceHashesOnePassword() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let token = try await Self.token(ada)
            let hashes = live.service.passwords.hashCount
            let made = try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask {
                        let own = LiveServer.Enrolled(device: ada.device, connection: try await live.connect())
                        return try await Self.change(own, token: token).status == 204
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
            #expect(live.service.passwords.hashCount == hashes + 1)
        }
    }

    @Test func theNewPasswordIsJudgedAsThatOfANewAccountAndBeforeTheTokenIsUsed() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let token = try await Self.token(ada)
            for password in ["fourteen chars", String(repeating: "x", count: 1025)] {
                #expect(try await Self.change(ada, to: password, token: token).kind == "malformed")
            }
            #expect(try await Self.change(ada, to: "fifteen letters", token: token).status == 204)
        }
    }

    @Test func thePINDoesNotSetThePassword() async throws {
        try await LiveServer.run { live in
            let phone = try await PINKeyTests.PINDevice(live)
            let byPIN = try await StepUpPolicyTests.stepUp(phone, "change-password", .init(biometric: nil, pin: true))
            #expect(byPIN.kind == "step-up-required")
            #expect(try await StepUpPolicyTests.stepUp(phone, "change-password").status == 200)
        }
    }

    @Test func anOperatorsPolicyWithoutTheActionDeniesIt() async throws {
        let policy = StepUpPolicy(StepUpTable(actions: ["card-details": ActionRule(maximumAge: .seconds(60))]))
        try await LiveServer.run(configure: { $0.stepUp = policy }) { live in
            let ada = try await live.device()
            let refused = try await Self.change(ada, token: try await ada.signIn().accessToken)
            #expect(refused.status == 403 && refused.kind == "verification-failed")
        }
    }

    @Test func theOtherDevicesSessionsEndAndTheyStayEnrolled() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let other = try await live.device()
            let bob = try await live.device(of: "bob")
            let (own, ended, neighbour) = (try await ada.signIn(), try await other.signIn(), try await bob.signIn())
            #expect(try await Self.change(ada, token: try await Self.token(ada)).status == 204)
            #expect(try await other.get("/v1/me", token: ended.accessToken).status == 401)
            #expect(try await other.refresh(ended.refreshToken).problem?.error == "invalid_grant")
            #expect(try await ada.get("/v1/me", token: own.accessToken).status == 200)
            #expect(try await ada.refresh(own.refreshToken).status == 200)
            #expect(try await bob.refresh(neighbour.refreshToken).status == 200, "no other account is touched")
            let back = try await other.signIn()
            #expect(try await other.refresh(back.refreshToken).status == 200, "its keys are enrolled as before")
        }
    }

    @Test func ticketsFromBeforeAreVoid() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let (first, second) = (try await Attempt(live), try await Attempt(live))
            let byPassword = try await first.ticket().read(EnrolmentTicket.self).ticket
            let byDevice = try await ada.vouch(for: second.device, token: try await ada.signIn().accessToken)
                .read(EnrolmentTicket.self).ticket
            #expect(try await Self.change(ada, token: try await Self.token(ada)).status == 204)
            #expect(try await first.enrol(ticket: byPassword).kind == "verification-failed")
            #expect(try await second.enrol(ticket: byDevice).kind == "verification-failed")
            let fresh = try await first.ticket(password: Self.newPassword).read(EnrolmentTicket.self).ticket
            #expect(try await first.enrol(ticket: fresh).status == 201)
        }
    }

    @Test func aTicketFromBeforeTheOneTimeCodesIsVoid() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let attempt = try await Attempt(live)
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            _ = try await live.server.setOneTimeCodes(ofAccountNamed: "ada")
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
            expect(try await ada.signIn().tokenType, is: "DPoP")
        }
    }

    @Test func aTicketFromBeforeChangesNoKey() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let draft = try await phone.draft(.resetPIN, paidBy: .credentials)
            try await live.server.setPassword(Self.newPassword, ofAccountNamed: "ada")
            #expect(try await phone.send(draft).kind == "verification-failed")
        }
    }

    @Test func aDeviceThatCoolsOffIsRefusedBeforeAnythingIsHashed() async throws {
        try await LiveServer.run { live in
            _ = try await live.device()
            let second = try await live.device()
            let hashes = live.service.passwords.hashCount
            #expect(
                try await Self.change(second, token: try await second.signIn().accessToken).kind == "verification-failed")
            #expect(live.service.passwords.hashCount == hashes)
        }
    }

    @Test(
        "whatever happens while the password is hashed, the transaction judges it again",
        arguments: [
            "UPDATE devices SET revoked_at = 1", "UPDATE devices SET cools_off_until = 5000000000",
            "UPDATE keys SET sessions_over = 1000000000", "UPDATE accounts SET credential_generation = 7",
        ])
    func meanwhile(_ sql: String) async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(beforeSpending: { await meanwhile.withLock { $0.take() }?() }) { live in
            let ada = try await live.device()
            let token = try await Self.token(ada)
            let before = try await Self.hash(live)
            meanwhile.withLock { $0 = { try? live.execute(sql) } }
            #expect(try await Self.change(ada, token: token).status == 401)
            expect(try await Self.hash(live), is: before)
        }
    }

    // MARK: By the operator

    @Test func theOperatorEndsAllSessionsAndTheCountOfWrongPasswords() async throws {
        try await LiveServer.run(passwords: try Passwords(cost: .least)) { live in
            let ada = try await live.device()
            let session = try await ada.signIn()
            let attempt = try await Attempt(live)
            for _ in 1...5 { _ = try await attempt.signIn("ada", "wrong horse battery staple") }
            for (name, password) in [("ada", "short"), ("eve", Self.newPassword)] {
                await #expect(throws: SetupError.self) { try await live.server.setPassword(password, ofAccountNamed: name) }
            }
            try await live.server.setPassword(Self.newPassword, ofAccountNamed: "ada")
            #expect(try await ada.refresh(session.refreshToken).problem?.error == "invalid_grant")
            #expect(try await attempt.signIn("ada", LiveServer.password).kind == "verification-failed")
            #expect(try await attempt.signIn("ada", Self.newPassword).kind == "ok", "no pause is left of the former one")
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test("a password or a recovery code that was judged before the change does not slip through", arguments: [true, false])
    func judgedBefore(_ recovers: Bool) async throws {
        let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
        try await LiveServer.run(
            passwords: try Passwords(cost: .least), beforeSpending: { await meanwhile.withLock { $0.take() }?() }
        ) { live in
            let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
            let attempt = try await Attempt(live)
            meanwhile.withLock { $0 = { try? await live.server.setPassword(Self.newPassword, ofAccountNamed: "ada") } }
            let answer =
                try await recovers ? attempt.recover("ada", code) : attempt.signIn("ada", LiveServer.password)
            #expect(answer.kind == "verification-failed")
            #expect(try await attempt.recover("ada", code).kind == "ok", "the code was not consumed")
        }
    }
}
#endif
