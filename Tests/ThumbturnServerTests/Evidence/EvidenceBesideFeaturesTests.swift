#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnServer

/// Evidence beside the other features: each was tested by itself, and the holes lie in between.
@Suite struct EvidenceBesideFeaturesTests {
    typealias Attempt = EnrolmentTests.Attempt
    typealias Base = EvidenceEnrolmentTests

    /// A device whose app has App Attest, enrolled with the password.
    private static func attested(_ live: LiveServer, _ source: SimulatedAppAttest) async throws -> LiveServer.Enrolled {
        let attempt = try await Attempt(live)
        let answer = try await attempt.enrol(evidenceBy: { try await Base.evidence(source, $0, $1) })
        #expect(answer.status == 201, "\(answer.text)")
        return LiveServer.Enrolled(device: attempt.device, connection: attempt.connection)
    }

    private static var appAttest: SimulatedAppAttest { SimulatedAppAttest(appID: Base.appID, root: Base.apple.root) }

    // MARK: Factors and vouching

    @Test func aKeyThatThePasscodeUnlocksShowsThePasscodeWhateverBecomesOfItsEvidence() async throws {
        try await Base.run(try Base.policy()) { live in
            let auth = try Base.android(live) { mint, kind in
                if kind == .biometric { mint.description.hardwareEnforced[504] = .integer(3) }
            }
            try await auth.enrol(with: Base.signIn)
            #expect(try await Base.me(auth).acr == "urn:thumbturn:acr:attestedHardware:passcode")
            func standing() async throws -> KeyStanding {
                let kid = try live.tables { try $0.one(String.self, sql: "SELECT kid FROM keys WHERE kind = 'biometric'") }
                let key = try await live.service.store.key(try #require(kid))
                return try #require(key).standing(at: live.clock.now)
            }
            for _ in 1...2 {
                let factor = try await standing().factor
                #expect(factor == .passcode && DeviceChangeRules.vouching(by: factor) == .none)
                #expect(!CeremonyRules.approve.factors.contains(factor))
                // A policy that no longer judges Android takes the assurance, and gives no right back.
                #expect(try await live.service.judgeAnew(by: .nothing).judged == 1)
            }
            #expect(try await standing().assurance == .withoutEvidence)
            // The key of the passcode itself has the origin that it was enrolled with.
            let others = try live.tables {
                try $0.all(String.self, sql: "SELECT DISTINCT enrolled_by FROM keys WHERE kind != 'biometric'")
            }
            #expect(others == ["credentials"])
        }
    }

    @Test("a device that vouches for one that proves more has it cool off", arguments: [true, false])
    func vouching(_ provesMore: Bool) async throws {
        try await Base.run(try Base.policy()) { live in
            let voucher = provesMore ? try await live.device() : try await Self.attested(live, Self.appAttest)
            let token = try await voucher.signIn().accessToken
            let attempt = try await Attempt(live)
            let ticket = try await voucher.vouch(for: attempt.device, token: token).read(EnrolmentTicket.self).ticket
            let source = Self.appAttest
            let answer = try await attempt.enrol(
                ticket: ticket, evidenceBy: { provesMore ? try await Base.evidence(source, $0, $1) : nil })
            #expect(answer.status == 201, "\(answer.text)")
            let coolsOff = try await live.database().read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM devices WHERE cools_off_until > enrolled_at")
            }
            #expect(coolsOff == (provesMore ? 1 : 0))
        }
    }

    @Test func evidenceThatComesLaterHasTheDeviceCoolOffToo() async throws {
        try await Base.run(try Base.policy()) { live in
            let voucher = try await live.device()
            let attempt = try await Attempt(live)
            func enrol(_ source: SimulatedAppAttest?) async throws {
                let token = try await voucher.signIn().accessToken
                let ticket = try await voucher.vouch(for: attempt.device, token: token).read(EnrolmentTicket.self).ticket
                let answer = try await attempt.enrol(ticket: ticket, ifEnrolled: .replace) { device, challenge in
                    guard let source else { return nil }
                    return try await Base.evidence(source, device, challenge)
                }
                #expect((200..<300).contains(answer.status), "\(answer.text)")
            }
            func coolOffs() async throws -> Int? {
                try await live.database().read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM devices WHERE cools_off_until > ?", arguments: [live.clock.now.seconds])
                }
            }
            try await enrol(nil)
            #expect(try await coolOffs() == 0)
            try await enrol(Self.appAttest)
            #expect(try await coolOffs() == 1, "the same keys, which prove more now")
        }
    }

    // MARK: App Attest keys

    @Test func anAppAttestKeyIsOneAccounts() async throws {
        try await Base.run(try Base.policy()) { live in
            let source = Self.appAttest
            _ = try await Self.attested(live, source)
            let bob = try await Attempt(live)
            let ticket = try await bob.ticket(account: "bob").read(EnrolmentTicket.self).ticket
            // The evidence is good for bob's keys and challenge; it is made with the key of ada's enrolment.
            let answer = try await bob.enrol(ticket: ticket, evidenceBy: { try await Base.evidence(source, $0, $1) })
            #expect(answer.kind == "verification-failed")
            #expect(try await live.server.devices(ofAccountNamed: "bob").isEmpty)
            #expect(try live.auditRows().contains { $0.contains("enrolment evidence_wrong_key") })
        }
    }

    @Test("a known App Attest key is judged by today's policy", arguments: ["roots", "environment", "app"])
    func knownKey(_ what: String) async throws {
        let policy = try Base.policy()
        try await Base.run(policy) { live in
            let source = Self.appAttest
            _ = try await Self.attested(live, source)
            var next = policy
            next.digest = "the next policy"
            switch what {
            case "roots": next.appAttest?.roots = [.appleAppAttest]
            case "environment": next.appAttest?.environment = .development
            default: next.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            }
            #expect(try await live.service.judgeAnew(by: next).lowered == 1)
        }
        // Nor does a server of that policy take a further device of the key.
        var other = policy
        other.appAttest?.roots = [.appleAppAttest]
        let rules = EvidenceRules(policy)
        try await LiveServer.run(configure: { $0.evidence = rules }) { [other] live in
            let source = Self.appAttest
            _ = try await Self.attested(live, source)
            rules.replace(other)
            let further = try await Attempt(live)
            let answer = try await further.enrol(evidenceBy: { try await Base.evidence(source, $0, $1) })
            #expect(answer.kind == "verification-failed")
        }
    }

    @Test func aKnownKeyIsJudgedAsOfTheDayOfItsAttestation() async throws {
        try await Base.run(try Base.policy()) { live in
            let source = Self.appAttest
            _ = try await Self.attested(live, source)
            // Ten years later its certificate is expired, and the key still counts.
            live.clock.advance(by: .seconds(10 * 366 * 86_400))
            _ = try await Self.attested(live, source)
            #expect(try await live.service.judgeAnew(by: try Base.policy()) == .init(judged: 2, lowered: 0))
        }
    }

    // MARK: A policy that refuses devices without evidence

    @Test func plainClientsAreNoWayAroundIt() async throws {
        try await Base.run(try Base.policy(.refuse)) { live in
            let plain = try await PlainClient.enrol(try PlainClient.Key.make("ES256"), try await Attempt(live))
            #expect(plain.kind == "verification-failed")
        }
        try await Base.run(try Base.policy(.lower)) { live in
            let plain = try await PlainClient.enrol(try PlainClient.Key.make("ES256"), try await Attempt(live))
            #expect(plain.status == 201)
        }
    }

    @Test("the evidence of one key is not that of another one", arguments: [EvidencePolicy.WithoutEvidence.refuse, .lower])
    func someKeys(_ withoutEvidence: EvidencePolicy.WithoutEvidence) async throws {
        try await Base.run(try Base.policy(withoutEvidence)) { live in
            let phone = SimulatedPhone(.android(.finger, api: 34))
            var platform = phone.platform()
            platform.evidence = PasscodeKeyAlone(
                keystore: SimulatedKeystore(phone, app: Base.app, root: Base.googleRoot))
            let auth = try Authenticator(server: URL(string: live.url)!, platform: platform)
            guard withoutEvidence == .lower else {
                await expectFailure(.refused) { try await auth.enrol(with: Base.signIn) }
                #expect(try live.auditRows().contains { $0.contains("enrolment evidence_missing") })
                return
            }
            try await auth.enrol(with: Base.signIn)
            #expect(try await Base.me(auth).acr == "urn:thumbturn:acr:software:none")
        }
    }

    @Test("a key that is enrolled as biometric and demands nothing is refused", arguments: [503, 505, 506])
    func demandsNothing(_ tag: UInt) async throws {
        try await Base.run(try Base.policy()) { live in
            let auth = try Base.android(live) { mint, kind in
                if kind == .biometric { mint.description.hardwareEnforced[tag] = tag == 505 ? .integer(0) : .null }
            }
            await expectFailure(.refused) { try await auth.enrol(with: Base.signIn) }
            #expect(try live.auditRows().contains { $0.contains("enrolment evidence_wrong_authentication") })
        }
    }

    // MARK: Groups

    @Test func whyAGroupsMinimumRefusedIsInTheAuditLog() async throws {
        let least = Assurance(protection: .attestedApp, verification: .biometric)
        try await Base.run(try Base.policy(groups: ["staff": least])) { live in
            let ada = try #require(try await live.service.store.account(named: "ada")).id
            let soft = try await live.device()
            _ = try await soft.signIn()
            #expect(try await live.service.store.setGroup("staff", of: ada))
            let (challenge, nonce) = try await soft.challenge()
            #expect(try await soft.redeem(soft.device.proof(challenge), nonce: nonce).kind == "verification-failed")
            #expect(try await Attempt(live).enrol().kind == "verification-failed")
            let rows = try live.auditRows().filter { $0.contains("\"refused\"") && $0.contains(ada.text) }
            #expect(rows.contains { $0.contains("proof insufficient") }, "\(rows)")
            #expect(rows.contains { $0.contains("enrolment insufficient") }, "\(rows)")
        }
    }

    @Test func anApprovalCountsNoLongerOnceItsKeyIsLessThanItsGroupDemands() async throws {
        let policy = try Base.policy(groups: ["staff": Assurance(protection: .attestedApp, verification: .biometric)])
        try await LiveServer.withBank({ $0.evidence = EvidenceRules(policy) }) { live, bank in
            try await live.service.store.setMinimums(policy.minimums, version: nil)
            let ada = try await live.phone()
            let id = try await bank.ask(ada.account).read(ApprovalRecord.self).id
            #expect(try await ada.auth.approve(try await ada.auth.approval(id)).state == .approved)
            let account = try #require(try await live.service.store.account(named: "ada")).id
            #expect(try await live.service.store.setGroup("staff", of: account))
            #expect(try await bank.redeem(id).problem?.error == "withdrawn")
        }
    }

    @Test func anApprovalMayDemandAnAssurance() async throws {
        let policy = try Base.policy()
        try await LiveServer.withBank({ $0.evidence = EvidenceRules(policy) }) { live, bank in
            let demand = #","demand":{"acr":"urn:thumbturn:acr:attestedApp:biometric"}"#
            let soft = try await live.phone()
            let id = try await bank.ask(soft.account, Bank.payment(), demand).read(ApprovalRecord.self).id
            await expectFailure(.refused) { _ = try await soft.auth.approve(try await soft.auth.approval(id)) }
            let (auth, _) = try Base.iPhone(live)
            try await auth.enrol(with: Base.signIn)
            _ = try await auth.authenticate("Unlock")
            live.clock.advance(by: .seconds(25 * 3600))
            _ = try await auth.authenticate("Unlock")
            let again = try await bank.ask(soft.account, Bank.payment("1", "Super Store", "t-2"), demand)
                .read(ApprovalRecord.self).id
            #expect(try await auth.approve(try await auth.approval(again)).state == .approved)
            // A policy that no longer takes the app takes the signature's weight, too.
            var next = policy
            next.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            #expect(try await live.service.judgeAnew(by: next).lowered == 1)
            #expect(try await bank.redeem(again).status != 200)
        }
    }

    // MARK: Judged anew

    @Test func theSessionOfAKeyThatRemovedItselfIsLoweredToo() async throws {
        try await Base.run(try Base.policy()) { live in
            let (auth, _) = try Base.iPhone(live, hasPIN: true)
            try await auth.enrol(with: Base.signIn)
            #expect(try await Base.me(auth).acr == "urn:thumbturn:acr:attestedApp:biometric")
            try await auth.removeBiometricKey()
            #expect(try await auth.me().acr == "urn:thumbturn:acr:attestedApp:biometric", "its session lives on")
            var next = try Base.policy()
            next.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            #expect(try await live.service.judgeAnew(by: next).lowered == 1)
            await #expect(throws: (any Error).self) { _ = try await auth.me() }
        }
    }

    @Test func oneDamagedRecordKeepsNoOtherFromBeingJudged() async throws {
        try await Base.run(try Base.policy()) { live in
            _ = try await Self.attested(live, Self.appAttest)
            _ = try await Self.attested(live, Self.appAttest)
            try await live.database().write { db in
                try db.execute(sql: "UPDATE evidence SET record = '{' WHERE id = (SELECT min(id) FROM evidence)")
            }
            var next = try Base.policy()
            next.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            #expect(try await live.service.judgeAnew(by: next) == .init(judged: 2, lowered: 2))
            let refusals = try await live.service.store.evidence(after: nil, atMost: 10).compactMap(\.verdict.refusal)
            #expect(refusals.sorted() == ["malformed", "wrong_app"])
        }
    }

    @Test func whatStoppedHalfWayIsJudgedAgain() async throws {
        let rules = EvidenceRules(try Base.policy())
        try await LiveServer.run(configure: { $0.evidence = rules }) { live in
            _ = try await Self.attested(live, Self.appAttest)
            var next = try Base.policy()
            next.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            next.digest = "the next policy"
            rules.replace(next)
            func rename(_ old: String, _ new: String) async throws {
                try await live.database().write { db in try db.execute(sql: "ALTER TABLE \(old) RENAME TO \(new)") }
            }
            try await rename("app_attest_keys", "elsewhere")
            await #expect(throws: (any Error).self) { try await live.service.keepUpEvidence() }
            try await rename("elsewhere", "app_attest_keys")
            try await live.service.keepUpEvidence()
            let stored = try await live.service.store.evidence(after: nil, atMost: 10)
            #expect(stored.map(\.verdict.refusal) == ["wrong_app"])
            #expect(rules.isDue(next, in: 0), "what was committed behind the first round is in the second one")
            try await live.service.keepUpEvidence()
            #expect(!rules.isDue(next, in: 0))
        }
    }

    @Test func evidenceThatNoKeyHasAnyMoreGoes() async throws {
        try await Base.run(try Base.policy()) { live in
            let (source, attempt) = (Self.appAttest, try await Attempt(live))
            for _ in 1...3 {
                let answer = try await attempt.enrol(
                    ifEnrolled: .replace, evidenceBy: { try await Base.evidence(source, $0, $1) })
                #expect((200..<300).contains(answer.status), "\(answer.text)")
            }
            #expect(try await live.service.store.evidence(after: nil, atMost: 10).count == 1, "the same keys, three times")
        }
    }

    @Test func weakerEvidenceOfTheSameKeysEndsTheirSessions() async throws {
        try await Base.run(try Base.policy()) { live in
            let device = try await Self.attested(live, Self.appAttest)
            let tokens = try await device.signIn()
            #expect(try await device.get("/v1/me", token: tokens.accessToken).status == 200)
            let store = live.service.store
            let enrolled = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
            let id = try #require(DeviceID(enrolled.id))
            let new = NewEvidence(
                id: .random(), record: "{}",
                verdict: EvidenceVerdict(keys: [device.device.kid: .withoutEvidence], policy: ""))
            try await store.writer.write { db, now in try SQLStore.insert(new, of: id, in: db, at: now) }
            #expect(try await device.get("/v1/me", token: tokens.accessToken).status == 401)
        }
    }

    @Test func aRootThatIsTakenOutOfItsFileIsAnotherPolicy() throws {
        let (one, two) = (TestAuthority.root(named: "One").pem, TestAuthority.root(named: "Two").pem)
        func digest(_ pem: String, roots: String = #","roots":["roots.pem"]"#) throws -> String {
            let json = """
                {"format":"thumbturn-evidence/1","without_evidence":"lower","apple":{"app_ids":["\(Base.appID)"],\
                "environment":"production","device":"mobile"\(roots)}}
                """
            return try EvidencePolicy(json: Array(json.utf8), named: "policy") { $0 == "roots.pem" ? pem : nil }.digest
        }
        #expect(try digest(one + two) == digest(one + two))
        #expect(try digest(one + two) != digest(one))
        #expect(try digest(one, roots: "") == digest(two, roots: ""))
    }

    // MARK: Lists

    @Test func aListFromTheFutureGivesWayToTheNextOne() async throws {
        try await Base.run(try Base.policy()) { (live) async throws in
            func keep(_ text: String, _ time: UnixTime) async throws -> Bool {
                try await live.service.store.keep(
                    EvidenceList(kind: .androidStatus, text: Array(text.utf8), fetchedAt: time), naming: 1)
            }
            let list = #"{"entries":{"1":{"status":"REVOKED"}}}"#
            #expect(try await keep(list, live.clock.now + .seconds(86_400 * 365)))
            #expect(try await keep(list, live.clock.now))
            #expect(try await !keep(list, live.clock.now + (.zero - .seconds(1))), "an older one never replaces a newer")
        }
    }

    /// A Keystore whose app keeps back the chains of all keys but the passcode key.
    private struct PasscodeKeyAlone: EvidenceSource {
        let keystore: SimulatedKeystore

        var attestsNewKeys: Bool { true }

        func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
            guard case .androidKey(let made)? = try await keystore.evidence(request) else { return nil }
            return .androidKey(
                AndroidKeyEvidence(challenge: made.challenge, chains: made.chains.filter { $0.key == .passcode }))
        }
    }
}
#endif
