#if Tools
import Crypto
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnTestKit

/// The server's table against devices that would like less.
@Suite struct StepUpPolicyTests {
    typealias Phone = PINKeyTests.PINDevice

    static let payments = StepUpTable(actions: [
        "pay": {
            var rule = ActionRule(maximumAge: .zero)
            rule.thresholds = [.init(above: Money(minor: 1000, currency: "EUR")!, oneOf: [.twoKeys, .highLiveness])]
            return rule
        }(),
        "card-details": ActionRule(maximumAge: .seconds(120)),
        "passcode-is-enough": {
            var rule = ActionRule(maximumAge: .seconds(120))
            rule.keys = [.passcode]
            return rule
        }(),
        "hardware": {
            var rule = ActionRule(maximumAge: .seconds(120))
            rule.assurance = Assurance(protection: .attestedApp, verification: .biometric)
            return rule
        }(),
    ])

    static func run(_ table: StepUpTable = payments, _ story: @escaping @Sendable (LiveServer) async throws -> Void) async throws
    {
        try await LiveServer.run(configure: { $0.stepUp = StepUpPolicy(table) }, story)
    }

    /// How a step-up is answered.
    struct Try {
        var biometric: Bool? = true
        var pin: Bool?
        var more = ""
        var swapped = false
    }

    /// Signs one challenge with the keys that the try names, rightly or wrongly.
    static func stepUp(_ phone: Phone, _ act: String, _ answer: Try = Try()) async throws -> LoadConnection.Answer {
        let asked = try await phone.device.challenge(
            .stepUp, [phone.device.kid, phone.handle], act: act, over: phone.connection)
        let stranger = P256.Signing.PrivateKey()
        var proofs: [String] = []
        if let right = answer.biometric {
            proofs.append(
                right ? phone.device.proof(asked.challenge) : PINKeyTests.proof(asked.challenge, by: stranger, phone.device.kid))
        }
        if let right = answer.pin {
            proofs.append(PINKeyTests.proof(asked.challenge, by: right ? phone.key : stranger, phone.handle))
        }
        if answer.swapped { proofs.reverse() }
        let also = proofs.count > 1 ? "&also=\(proofs[1])" : ""
        return try await phone.device.redeem(
            proofs[0], more: "\(also)&act=\(act.replacing(":", with: "%3A"))\(answer.more)", nonce: asked.nonce,
            over: phone.connection)
    }

    static func grant(_ answer: LoadConnection.Answer) throws -> ActionGrant? {
        try claims(of: answer.read(StepUpAnswer.self).accessToken).authorizationDetails?.first
    }

    @Test func theTokenNamesTheActionAndTheAmount() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            let small = try #require(try Self.grant(try await Self.stepUp(ada, "pay:EUR:1000")))
            #expect(small == ActionGrant(ActionAsk(text: "pay:EUR:1000")!, keys: [.biometric], shown: [], once: true))
            let card = try #require(try Self.grant(try await Self.stepUp(ada, "card-details")))
            #expect(card.action == "card-details" && !card.once && card.minor == nil)
            let unlock = try await ada.device.signIn(over: ada.connection)
            #expect(try claims(of: unlock.accessToken).authorizationDetails == nil)
        }
    }

    @Test func aTokenForOneUseLivesTwoMinutes() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            #expect(try await Self.stepUp(ada, "pay:EUR:1").read(StepUpAnswer.self).expiresIn == 120)
            #expect(try await Self.stepUp(ada, "card-details").read(StepUpAnswer.self).expiresIn == 300)
        }
    }

    @Test func aboveTheThresholdTwoKeysSign() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            let alone = try await Self.stepUp(ada, "pay:EUR:1001")
            #expect(alone.kind == "step-up-required" && alone.problem?.error == "unmet_authentication_requirements")
            #expect(try await Self.stepUp(ada, "pay:EUR:1001", Try(biometric: nil, pin: true)).kind == "step-up-required")
            let grant = try #require(try Self.grant(try await Self.stepUp(ada, "pay:EUR:1001", Try(pin: true))))
            #expect(grant.shown == [.twoKeys] && Set(grant.keys) == [.biometric, .pin] && grant.minor == 1001)
            #expect(try await Self.stepUp(ada, "pay:EUR:1001", Try(pin: true, swapped: true)).kind == "ok")
        }
    }

    @Test func whatTheTableHasNoEntryForIsDeniedBeforeAnybodyIsAsked() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            for act in ["pay", "pay:USD:1", "new-recipient"] {
                let request = ChallengeRequest(purpose: .stepUp, act: act, kids: [ada.device.kid], jkt: ada.device.sessionKid)
                let answer = try await ada.connection.send(
                    "POST", "/v1/challenges", type: "application/json", body: Signing.encode(request))
                #expect(answer.kind == "malformed" && answer.status == 400, "\(act)")
            }
        }
    }

    @Test func theDeviceAskedForLessAndGetsNothing() async throws {
        try await Self.run { live in
            let phone = SimulatedPhone()
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: LiveServer.password))
            let lax = StepUpAction("card-details", maximumAge: .seconds(300))!
            let passcode = UnlockPolicy(ladder: [.devicePasscode, .fullCredentials])
            await expectFailure(.refused) { _ = try await auth.stepUp(for: lax, reason: "Show", policy: passcode) }
            _ = try await auth.stepUp(for: lax, reason: "Show")
            let other = StepUpAction("passcode-is-enough", maximumAge: .zero)!
            _ = try await auth.stepUp(for: other, reason: "Look", policy: passcode)
        }
    }

    @Test func aKeyThatThePasscodeBroughtStandsForThePasscode() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            try await live.database().write { db in
                try db.execute(sql: "UPDATE keys SET enrolled_by = 'passcode' WHERE kid = ?", arguments: [ada.device.kid])
            }
            #expect(try await Self.stepUp(ada, "card-details").kind == "step-up-required")
            #expect(try await Self.stepUp(ada, "pay:EUR:2000", Try(pin: true)).kind == "step-up-required", "nor is it one of two")
            #expect(try Self.grant(try await Self.stepUp(ada, "passcode-is-enough"))?.keys == [.passcode])
        }
    }

    @Test func noKeyIsTrustedFurtherThanItsEvidence() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            #expect(try await Self.stepUp(ada, "hardware", Try(pin: true)).kind == "step-up-required")
        }
    }

    @Test func twoProofsAreOfTwoKeysOverOneChallenge() async throws {
        try await Self.run { live in
            let (ada, bob) = (try await Phone(live), try await Phone(live, of: "bob"))
            func send(_ proofs: (String, String) -> (String, String)) async throws -> String {
                let asked = try await ada.device.challenge(
                    .stepUp, [ada.device.kid, ada.handle, bob.handle], act: "pay:EUR:2000", over: ada.connection)
                let other = try await ada.device.challenge(
                    .stepUp, [ada.device.kid, ada.handle], act: "pay:EUR:2000", over: ada.connection)
                let (first, second) = proofs(asked.challenge, other.challenge)
                return try await ada.device.redeem(
                    first, more: "&also=\(second)&act=pay%3AEUR%3A2000", nonce: other.nonce, over: ada.connection
                ).kind
            }
            #expect(
                try await send { one, _ in (ada.device.proof(one), ada.device.proof(one)) } == "verification-failed",
                "one key twice")
            #expect(
                try await send { one, other in (ada.device.proof(one), PINKeyTests.proof(other, by: ada.key, ada.handle)) }
                    == "verification-failed", "another challenge")
            #expect(
                try await send { one, _ in (ada.device.proof(one), PINKeyTests.proof(one, by: bob.key, bob.handle)) }
                    == "verification-failed", "another device's key")
            #expect(
                try await send { one, _ in (ada.device.proof(one), PINKeyTests.proof(one, by: ada.key, ada.handle)) } == "ok")
        }
    }

    @Test func aWrongPINBesideARightFingerIsCounted() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            let wrong = try await Self.stepUp(ada, "pay:EUR:2000", Try(pin: false))
            #expect(wrong.problem?.triesLeft == 9)
            #expect(try ada.count() == 1)
            // With a wrong finger nobody learns anything of the PIN, so there is nothing to count.
            let silent = [
                try await Self.stepUp(ada, "pay:EUR:2000", Try(biometric: false, pin: false)),
                try await Self.stepUp(ada, "pay:EUR:2000", Try(biometric: false, pin: true)),
            ]
            #expect(silent.allSatisfy { $0.kind == "verification-failed" && $0.problem?.triesLeft == nil })
            #expect(silent[0].text == silent[1].text)
            #expect(try ada.count() == 1)
            #expect(try await Self.stepUp(ada, "pay:EUR:2000", Try(pin: true)).kind == "ok")
            #expect(try ada.count() == 0)
        }
    }

    @Test func whatIsUnmetIsToldWithoutJudgingThePIN() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            let answers = [
                try await Self.stepUp(ada, "pay:EUR:2000", Try(biometric: nil, pin: true)),
                try await Self.stepUp(ada, "pay:EUR:2000", Try(biometric: nil, pin: false)),
            ]
            #expect(answers[0].text == answers[1].text && answers[0].kind == "step-up-required")
            #expect(try ada.count() == 0)
        }
    }

    @Test func aDisabledPINKeyIsNoSecondKey() async throws {
        try await Self.run { live in
            let ada = try await Phone(live)
            for _ in 1...10 { _ = try await ada.tryPIN(right: false) }
            let answer = try await Self.stepUp(ada, "pay:EUR:2000", Try(pin: true))
            #expect(answer.kind == "verification-failed" && answer.problem?.triesLeft == 0)
        }
    }

    @Test func evidenceStandsForTwoKeysWhereTheTableSaysSo() async throws {
        let table = Self.payments
        let over = Mutex<String?>(nil)
        try await LiveServer.run(
            configure: { $0.stepUp = StepUpPolicy(table) },
            judging: { evidence, challenge, _ in
                over.withLock { $0 = challenge }
                return FurtherProof.allCases.first { evidence == "e30.\($0.rawValue).AA" }
            }
        ) { live in
            let ada = try await Phone(live)
            let grant = try Self.grant(try await Self.stepUp(ada, "pay:EUR:2000", Try(more: "&liveness=e30.liveness-high.AA")))
            #expect(grant?.shown == [.highLiveness])
            #expect(over.withLock { $0 }.flatMap(CompactJWS.init) != nil, "the judge sees the challenge that it must be bound to")
            let low = try await Self.stepUp(ada, "pay:EUR:2000", Try(more: "&liveness=e30.liveness-substantial.AA"))
            #expect(low.kind == "step-up-required")
            let bad = try await Self.stepUp(ada, "pay:EUR:1", Try(more: "&liveness=e30.e30.AA"))
            #expect(bad.kind == "verification-failed", "bad evidence is not passed over where none was needed")
        }
    }

    @Test func thePolicyChangesWhileRequestsRun() async throws {
        let path = LiveServer.temporaryFolder() + ".json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        @Sendable func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write(#"{"format":"thumbturn-policy/1","actions":{"export":{"max_age":60}}}"#)
        let policy = try StepUpPolicy(file: path)
        let configure: @Sendable (inout ServerSettings) -> Void = {
            $0.stepUp = policy
            // The phones of one account step up at the same time.
            $0.coolOff = .zero
        }
        try await LiveServer.run(configure: configure) { live in
            let ada = try await Phone(live)
            #expect(try Self.grant(try await Self.stepUp(ada, "export"))?.once == false)
            // The proof is under way when the table changes: it is judged by one table, the new one.
            let asked = try await ada.device.challenge(.stepUp, [ada.device.kid], act: "export", over: ada.connection)
            try write(#"{"format":"thumbturn-policy/1","actions":{"export":{"max_age":0,"one_of":["two-keys"]}}}"#)
            try policy.reload()
            let late = try await ada.device.redeem(
                ada.device.proof(asked.challenge), more: "&act=export", nonce: asked.nonce, over: ada.connection)
            #expect(late.kind == "step-up-required")
            try await withThrowingTaskGroup { group in
                for _ in 1...4 {
                    group.addTask {
                        let ada = try await Phone(live)
                        for _ in 1...5 {
                            // Whatever table counts: no answer mixes two of them.
                            let grant = try Self.grant(try await Self.stepUp(ada, "export", Try(pin: true)))
                            #expect(grant.map { $0.once && $0.shown == [.twoKeys] } ?? true)
                        }
                    }
                }
                for _ in 1...20 { try policy.reload() }
                try await group.waitForAll()
            }
        }
    }
}
#endif
