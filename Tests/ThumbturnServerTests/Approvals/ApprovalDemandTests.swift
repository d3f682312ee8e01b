#if Tools
import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer
import ThumbturnTestKit
import ThumbturnVerifier

/// What more than one key an approval may demand: two keys, somebody else, a live face.
@Suite struct ApprovalDemandTests {
    static let twoKeys = #","demand":{"keys":["biometric","pin"]}"#

    // MARK: Keys

    @Test("two keys are two prompts and two challenges", arguments: [SimulatedPhone.Model.plain, .iPhone(), .android()])
    func twoKeys(_ model: SimulatedPhone.Model) async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone("ada", model)
            let id = try await bank.ask(ada.account, Bank.payment(), Self.twoKeys).read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            let (prompts, pins) = (ada.phone.promptCount, ada.phone.pinGuessCount)
            ada.phone.pins("000000", .enter(SimulatedPhone.pin))
            let signed = try await ada.auth.approve(approval)
            #expect(signed.state == .approved, "a wrong PIN in between is tried again")
            #expect(ada.phone.promptCount == prompts + 1 && ada.phone.pinGuessCount == pins + 2)
            let answer = try await bank.redeem(id)
            let proof = try answer.read(ApprovalProof.self)
            #expect(proof.signatures.count == 1, "the PIN key's signature is nobody's")
            let checked = try CheckedApproval(proof, keys: try await live.jwks())
            #expect(Set(checked.receipt.approvedBy.map(\.kind)) == [.biometric, .pin])
            let pin = try #require(checked.receipt.approvedBy.first { $0.kind == .pin })
            #expect(pin.kid.hasPrefix("pin.") && pin.proofHash == nil)
            let record = try #require(try await ada.auth.devices().first)
            #expect(record.keys.contains { $0.id == pin.kid })
        }
    }

    @Test func theSensorAloneIsNotTwoKeys() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await PINKeyTests.PINDevice(live)
            let phone = LiveServer.Enrolled(device: ada.device, connection: ada.connection)
            let account = try await live.account(of: phone)
            let id = try await bank.ask(account, Bank.payment(), Self.twoKeys).read(ApprovalRecord.self).id
            let first = try await phone.askToApprove(id).read(ChallengeAnswer.self).challenge
            let answer = try await phone.approve(id, phone.device.proof(first))
            #expect(try answer.read(ApprovalRecord.self).state == .open)
            #expect(try answer.read(ApprovalRecord.self).signed == false)
            let again = try await phone.askToApprove(id).read(ChallengeAnswer.self).challenge
            #expect(try await phone.approve(id, phone.device.proof(again)).read(ApprovalRecord.self).state == .open, "nor twice")
            #expect(try await bank.redeem(id).problem?.error == "open")

            // A wrong PIN is counted as one that should sign in.
            let asked = try await phone.askToApprove(id, [ada.handle])
            let wrong = PINKeyTests.proof(
                try asked.read(ChallengeAnswer.self).challenge, by: P256.Signing.PrivateKey(), ada.handle)
            let refused = try await phone.approve(id, wrong)
            #expect(refused.kind == "verification-failed" && refused.problem?.triesLeft == 9)
            #expect(try ada.count() == 1)
            let right = try await phone.askToApprove(id, [ada.handle]).read(ChallengeAnswer.self).challenge
            let signed = try await phone.approve(id, PINKeyTests.proof(right, by: ada.key, ada.handle))
            #expect(try signed.read(ApprovalRecord.self).state == .approved)
            #expect(try ada.count() == 0)
        }
    }

    @Test func twoKeysAreKeysOfOneDevice() async throws {
        try await LiveServer.withBank { live, bank in
            let first = try await PINKeyTests.PINDevice(live)
            let second = try await PINKeyTests.PINDevice(live)
            live.clock.advance(by: .seconds(24 * 3600))
            let one = LiveServer.Enrolled(device: first.device, connection: first.connection)
            let two = LiveServer.Enrolled(device: second.device, connection: second.connection)
            let account = try await live.account(of: one)
            let id = try await bank.ask(account, Bank.payment(), Self.twoKeys).read(ApprovalRecord.self).id
            let sensor = try await one.askToApprove(id).read(ChallengeAnswer.self).challenge
            #expect(try await one.approve(id, one.device.proof(sensor)).kind == "ok")
            let pin = try await two.askToApprove(id, [second.handle]).read(ChallengeAnswer.self).challenge
            let other = try await two.approve(id, PINKeyTests.proof(pin, by: second.key, second.handle))
            #expect(try other.read(ApprovalRecord.self).state == .open, "another device's key does not add to it")
            let last = try await two.askToApprove(id).read(ChallengeAnswer.self).challenge
            let done = try await two.approve(id, two.device.proof(last))
            #expect(try done.read(ApprovalRecord.self).state == .approved, "and may do it alone")
        }
    }

    @Test func whereTheSensorIsDemandedThePINDoesNotStandInForIt() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await PINKeyTests.PINDevice(live)
            let phone = LiveServer.Enrolled(device: ada.device, connection: ada.connection)
            let account = try await live.account(of: phone)
            let id = try await bank.ask(account, Bank.payment(), #","demand":{"keys":["biometric"]}"#)
                .read(ApprovalRecord.self).id
            let challenge = try await phone.askToApprove(id, [ada.handle]).read(ChallengeAnswer.self).challenge
            let proof = PINKeyTests.proof(challenge, by: ada.key, ada.handle)
            #expect(try await phone.approve(id, proof).kind == "verification-failed")
            #expect(try await bank.state(id) == .open)
        }
    }

    @Test(
        "where one key will do the PIN helps whoever the sensor does not know",
        arguments: [SimulatedPhone.Model.plain, .android()])
    func thePINHelps(_ model: SimulatedPhone.Model) async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone("ada", model)
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            ada.phone.next(.noMatch, .noMatch, .noMatch)
            let signed = try await ada.auth.approve(try await ada.auth.approval(id))
            #expect(signed.state == .approved)
            let proof = try await bank.redeem(id).read(ApprovalProof.self)
            #expect(proof.signatures.isEmpty)
            let keys = try await live.jwks()
            #expect(throws: ApprovalProofFault.nothingToCheck) { _ = try CheckedApproval(proof, keys: keys) }
        }
    }

    @Test func neitherTheSessionKeyNorThePasscodeApproves() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let id = try await bank.ask(try await live.account(of: ada)).read(ApprovalRecord.self).id
            let challenge = try await ada.askToApprove(id, [ada.device.sessionKid]).read(ChallengeAnswer.self).challenge
            #expect(try await ada.approve(id, ada.device.sessionProof(challenge)).kind == "verification-failed")
            for keys in [#"["passcode"]"#, #"["session"]"#, "[]", #"["pin"]"#, #"["biometric","passcode"]"#] {
                let answer = try await bank.ask(
                    try await live.account(of: ada), Bank.payment("1", "Super Store", "t-2"), #","demand":{"keys":\#(keys)}"#)
                #expect(answer.kind == "malformed", "\(keys)")
            }
        }
    }

    // MARK: Somebody else

    @Test func aSecondApproverIsAnotherPersonOnAnotherDevice() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let bob = try await live.phone("bob")
            let id = try await bank.ask(ada.account, Bank.payment(), #","second_account":"\#(bob.account)""#)
                .read(ApprovalRecord.self).id
            let first = try await ada.auth.approve(try await ada.auth.approval(id))
            #expect(first.state == .open && first.isSigned)
            await expectFailure(.approvalOver) { _ = try await ada.auth.approve(first) }
            #expect(try await bank.redeem(id).problem?.error == "open")
            let second = try await bob.auth.approve(try await bob.auth.approval(id))
            #expect(second.state == .approved)
            let checked = try CheckedApproval(try await bank.redeem(id).read(ApprovalProof.self), keys: try await live.jwks())
            #expect(Set(checked.receipt.approvedBy.map(\.account)) == [ada.account, bob.account])
            #expect(Set(checked.receipt.approvedBy.map(\.device)).count == 2)
        }
    }

    @Test func nobodyIsTheirOwnSecondApprover() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let same = try await bank.ask(account, Bank.payment(), #","second_account":"\#(account)""#)
            #expect(same.kind == "malformed")
            let bob = try await live.account(of: try await live.device(of: "bob"))
            let id = try await bank.ask(account, Bank.payment(), #","second_account":"\#(bob)""#).read(ApprovalRecord.self).id
            // Another device of hers, past its cool-off, is still she.
            let other = try await live.device()
            live.clock.advance(by: .seconds(24 * 3600))
            let late = try await bank.ask(
                account, Bank.payment("1", "Super Store", "t-2"), #","second_account":"\#(bob)""#
            ).read(ApprovalRecord.self).id
            #expect(try await bank.state(id) == .expired)
            let challenge = try await ada.askToApprove(late).read(ChallengeAnswer.self).challenge
            let held = try await other.askToApprove(late).read(ChallengeAnswer.self).challenge
            #expect(try await ada.approve(late, ada.device.proof(challenge)).read(ApprovalRecord.self).state == .open)
            #expect(try await other.approve(late, other.device.proof(held)).kind == "verification-failed")
            #expect(try await other.askToApprove(late).kind == "conflict")
            #expect(try await bank.redeem(late, Bank.payment("1", "Super Store", "t-2")).problem?.error == "open")
        }
    }

    @Test func eitherOfTwoMayDecline() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let bob = try await live.phone("bob")
            let id = try await bank.ask(ada.account, Bank.payment(), #","second_account":"\#(bob.account)""#)
                .read(ApprovalRecord.self).id
            _ = try await ada.auth.approve(try await ada.auth.approval(id))
            try await bob.auth.decline(try await bob.auth.approval(id))
            #expect(try await bank.redeem(id).problem?.error == "declined")
        }
    }

    // MARK: Liveness

    static let vendor = P256.Signing.PrivateKey()

    static func vendors(certified: LivenessLevel = .substantial, minimumScore: Double? = nil) throws -> LivenessVendors {
        let point = Array(vendor.publicKey.x963Representation)
        let key = JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: "v1")
        let known = LivenessVendors.Vendor(
            iss: "https://liveness.example", keys: [key], certified: certified, minimumScore: minimumScore)
        return try LivenessVendors(json: WireJSON.encode(LivenessVendors(vendors: [known])))
    }

    static func evidence(
        _ challenge: String, at now: UnixTime, level: LivenessLevel = .substantial, score: Double? = nil,
        iss: String = "https://liveness.example", by key: P256.Signing.PrivateKey = vendor, typ: String = "liveness+jwt"
    ) throws -> String {
        let claims = LivenessClaims(iss: iss, nonce: LivenessClaims.nonce(of: challenge), level: level, score: score, iat: now)
        let input = CompactJWS.signingInput(
            header: Array(#"{"typ":"\#(typ)","alg":"ES256","kid":"v1"}"#.utf8), payload: WireJSON.encode(claims))
        return CompactJWS.compact(signingInput: input, signature: Array(try key.signature(for: input).rawRepresentation))
    }

    struct Camera: LivenessCheck {
        let clock: TestClock
        let asked = Counter()

        func evidence(for challenge: String, action: StepUpAction) async throws(Failure) -> LivenessEvidence {
            asked.count()
            guard let jws = try? ApprovalDemandTests.evidence(challenge, at: clock.now),
                let evidence = LivenessEvidence(jws: jws)
            else { throw Failure(.platform) }
            return evidence
        }
    }

    final class Counter: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func count() { number.withLock { $0 += 1 } }
    }

    @Test("a live face is shown once, whatever else has to answer", arguments: [#""#, #""keys":["biometric","pin"],"#])
    func alive(_ keys: String) async throws {
        try await LiveServer.withBank({ $0.approvals.livenessVendors = try! Self.vendors() }) { live, bank in
            let ada = try await live.phone("ada", .android())
            let id = try await bank.ask(ada.account, Bank.payment(), #","demand":{\#(keys)"liveness":"substantial"}"#)
                .read(ApprovalRecord.self).id
            let approval = try await ada.auth.approval(id)
            let prompts = ada.phone.promptCount
            await expectFailure(.policyDenies) { _ = try await ada.auth.approve(approval) }
            #expect(ada.phone.promptCount == prompts)
            let camera = Camera(clock: live.clock)
            expect(try await ada.auth.approve(approval, liveness: camera).state, is: .approved)
            #expect(camera.asked.value == 1)
            let proof = try await bank.redeem(id).read(ApprovalProof.self)
            #expect(proof.signatures[0].liveness != nil)
            _ = try CheckedApproval(proof, keys: try await live.jwks())
        }
    }

    @Test(
        "evidence that is not this vendor's, of this level, for this challenge and of now is refused",
        arguments: [
            "none", "another key", "another vendor", "another challenge", "stale", "from the future", "too weak", "not certified",
            "another type", "no score", "low score", "just fresh", "good score",
        ])
    func liveness(_ what: String) async throws {
        let demanded: LivenessLevel = what == "too weak" || what == "not certified" ? .high : .substantial
        let certified: LivenessLevel = what == "too weak" ? .high : .substantial
        let score: Double? = what.hasSuffix("score") ? 0.95 : nil
        try await LiveServer.withBank({ settings in
            var vendors = try! Self.vendors(certified: certified, minimumScore: score)
            // Somebody has to be certified for what is demanded, or it could not be.
            vendors.vendors.append(.init(iss: "https://other.example", keys: [], certified: .high))
            settings.approvals.livenessVendors = vendors
        }) { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            let id = try await bank.ask(account, Bank.payment(), #","demand":{"liveness":"\#(demanded.rawValue)"}"#)
                .read(ApprovalRecord.self).id
            let challenge = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            let now = live.clock.now
            let evidence: String? =
                switch what {
                case "none": nil
                case "another key": try Self.evidence(challenge, at: now, by: P256.Signing.PrivateKey())
                case "another vendor": try Self.evidence(challenge, at: now, iss: "https://other.example")
                case "another challenge":
                    try Self.evidence(try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge, at: now)
                case "stale": try Self.evidence(challenge, at: now + .seconds(-61))
                case "just fresh": try Self.evidence(challenge, at: now + .seconds(-60))
                case "from the future": try Self.evidence(challenge, at: now + .seconds(6))
                case "not certified": try Self.evidence(challenge, at: now, level: .high)
                case "another type": try Self.evidence(challenge, at: now, typ: "JWT")
                case "low score": try Self.evidence(challenge, at: now, score: 0.95)
                case "good score": try Self.evidence(challenge, at: now, score: 0.951)
                default: try Self.evidence(challenge, at: now)
                }
            let isGood = what == "just fresh" || what == "good score"
            let answer = try await ada.approve(id, ada.device.proof(challenge), liveness: evidence)
            #expect(answer.kind == (isGood ? "ok" : "verification-failed"))
            #expect(try await bank.state(id) == (isGood ? .approved : .open))
        }
    }

    @Test func evidenceIsDemandedOnlyWhereSomebodyCouldBringIt() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.device()
            let account = try await live.account(of: ada)
            #expect(try await bank.ask(account, Bank.payment(), #","demand":{"liveness":"substantial"}"#).kind == "malformed")
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            let challenge = try await ada.askToApprove(id).read(ChallengeAnswer.self).challenge
            let evidence = try Self.evidence(challenge, at: live.clock.now)
            let answer = try await ada.approve(id, ada.device.proof(challenge), liveness: evidence)
            #expect(answer.kind == "verification-failed", "what nobody asked for does not look as if it counted")
        }
    }

    // MARK: Text

    @Test(
        "a text that is not what it seems is refused before anybody sees it",
        arguments: [
            "Super\u{202E}erotS", "Super\u{200B}Store", "S\u{443}per Store", "Super  Store", "Super\u{A0}Store",
            "Super\u{3164}Store",
            " Super Store", "Super\nStore", "\u{1D412}uper Store",
        ])
    func names(_ name: String) async throws {
        try await LiveServer.withBank { live, bank in
            let account = try await live.account(of: try await live.device())
            #expect(try await bank.ask(account, Bank.payment("1", name)).kind == "malformed")
        }
    }

    @Test func aNameInTwoAlphabetsIsFlagged() async throws {
        try await LiveServer.withBank { live, bank in
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account, Bank.payment("1", "ООО Store")).read(ApprovalRecord.self).id
            let details = try await ada.auth.approval(id).details(in: .english)
            #expect(details.caution == PersonMessage(.readLetterByLetter))
        }
    }

    @Test(
        "a request that cannot be read is malformed",
        arguments: [
            #","expires_in":29"#, #","expires_in":86401"#, #","surprise":1"#, #","demand":{"more":1}"#,
            #","second_account":"somebody""#,
        ])
    func requests(_ more: String) async throws {
        try await LiveServer.withBank { live, bank in
            let account = try await live.account(of: try await live.device())
            #expect(try await bank.ask(account, Bank.payment(), more).kind == "malformed")
            let unknown = ApprovalID.random().text
            #expect(try await bank.ask(unknown).kind == "not-found")
            let surprise = Bank.payment().replacing(#""currency""#, with: #""surprise":"1","currency""#)
            #expect(try await bank.ask(account, surprise).kind == "malformed")
        }
    }
}

extension LiveServer {
    func jwks() async throws -> JWKS {
        try await connect().send("GET", "/.well-known/jwks.json").read(JWKS.self)
    }
}
#endif
