#if Tools
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnServer

/// Evidence of where keys live, from the device to what its tokens say.
@Suite struct EvidenceEnrolmentTests {
    typealias Attempt = EnrolmentTests.Attempt

    static let appID = "TEAM123456.com.example.bank"
    static let apple = SimulatedAppAttest(appID: appID)
    static let app = MintedApplication(package: "com.example.bank", signingDigest: [UInt8](repeating: 9, count: 32))
    static let googleRoot = TestAuthority.root(named: "Thumbturn Test Attestation Root")
    static let signIn = PasswordSignIn(account: "ada", password: LiveServer.password)

    /// A policy that judges both formats under the test roots.
    static func policy(
        _ withoutEvidence: EvidencePolicy.WithoutEvidence = .lower, environment: AppAttestEnvironment = .production,
        groups: [String: Assurance] = [:]
    ) throws -> EvidencePolicy {
        var policy = EvidencePolicy(withoutEvidence: withoutEvidence, minimums: groups)
        policy.appAttest = AppAttestPolicy(
            appIDs: [appID], environment: environment, device: .mobile, launch: .notChecked,
            roots: [try TrustAnchor(certificate: apple.root.certificate)])
        var android = AndroidPolicy(
            apps: [.init(package: "com.example.bank", signingDigests: [[UInt8](repeating: 9, count: 32)])], verification: .none,
            minimumPatchLevel: nil, status: AndroidStatusPolicy(maximumAge: .seconds(86400), whenUnknown: .accept))
        android.roots = [try TrustAnchor(certificate: googleRoot.certificate)]
        policy.android = android
        policy.digest = "policy \(withoutEvidence.rawValue) \(environment.rawValue)"
        return policy
    }

    static func run(
        _ policy: EvidencePolicy, table: StepUpTable? = nil, _ story: @escaping @Sendable (LiveServer) async throws -> Void
    ) async throws {
        try await LiveServer.run(
            configure: { settings in
                settings.evidence = EvidenceRules(policy)
                settings.allowsPlainClients = true
                settings.visitLifetime = .seconds(600)
                if let table { settings.stepUp = StepUpPolicy(table) }
            }
        ) { live in
            try await live.service.store.setMinimums(policy.minimums, version: policy.version)
            try await story(live)
        }
    }

    /// An iPhone whose app has App Attest.
    static func iPhone(_ live: LiveServer, hasPIN: Bool = false) throws -> (Authenticator, SimulatedPhone) {
        let phone = SimulatedPhone(hasPIN: hasPIN)
        var platform = phone.platform()
        platform.evidence = apple
        return (try Authenticator(server: URL(string: live.url)!, platform: platform), phone)
    }

    /// An Android phone, whose chains a test may change.
    static func android(
        _ live: LiveServer, _ edit: @escaping @Sendable (inout AndroidMint, KeyKind) -> Void = { _, _ in }
    ) throws -> Authenticator {
        let phone = SimulatedPhone(.android(.finger, api: 34))
        var platform = phone.platform()
        platform.evidence = SimulatedKeystore(phone, app: app, root: googleRoot, edit: edit)
        return try Authenticator(server: URL(string: live.url)!, platform: platform)
    }

    static func me(_ auth: Authenticator) async throws -> SignedInAccount {
        _ = try await auth.authenticate("Unlock")
        return try await auth.me()
    }

    // MARK: What it raises

    @Test func aGenuineAppRaisesItsKeysToAttestedApp() async throws {
        try await Self.run(try Self.policy()) { live in
            let (auth, _) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            let me = try await Self.me(auth)
            #expect(me.acr == "urn:thumbturn:acr:attestedApp:biometric" && me.amr == ["pop", "user", "mfa"])
            let device = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
            let stored = try await live.service.store.evidence(of: DeviceID(device.id)!)
            #expect(stored.count == 1 && stored[0].verdict.policy == "policy lower production")
            #expect(stored[0].verdict.keys.count == 3, "session, biometric and passcode key")
        }
    }

    @Test("a key in Android's hardware has what its description says", arguments: ["StrongBox", "TEE with passcode"])
    func android(_ what: String) async throws {
        var table = StepUpTable.standard
        table.actions["new-recipient"]?.assurance = Assurance(protection: .attestedHardware, verification: .biometric)
        try await Self.run(try Self.policy(), table: table) { live in
            let auth = try Self.android(live) { mint, kind in
                guard what != "StrongBox", kind == .biometric else { return }
                mint.claim = "TEE"
                mint.description.setLevel(1)
                // The device credential unlocks it, too.
                mint.description.hardwareEnforced[504] = .integer(3)
            }
            try await auth.enrol(with: Self.signIn)
            let me = try await Self.me(auth)
            let level = what == "StrongBox" ? "biometric" : "passcode"
            #expect(me.acr == "urn:thumbturn:acr:attestedHardware:\(level)" && me.amr.contains("hwk"))
            if what == "StrongBox" {
                _ = try await auth.stepUp(for: .newRecipient, reason: "Add the recipient")
            } else {
                await expectFailure(.refused) { _ = try await auth.stepUp(for: .newRecipient, reason: "Add the recipient") }
            }
        }
    }

    @Test func withoutEvidenceAKeyIsSoftwareOrIsRefused() async throws {
        try await Self.run(try Self.policy(.lower)) { live in
            let auth = try Authenticator(server: URL(string: live.url)!, platform: SimulatedPhone().platform())
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none")
        }
        try await Self.run(try Self.policy(.refuse)) { live in
            let attempt = try await Attempt(live)
            #expect(try await attempt.enrol().kind == "verification-failed")
            let (auth, _) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            #expect(await auth.readiness().isEnrolled)
        }
    }

    @Test func aFormatThatThePolicyDoesNotJudgeRaisesNothing() async throws {
        var policy = try Self.policy()
        policy.appAttest = nil
        try await Self.run(policy) { live in
            let (auth, _) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none")
            let device = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
            #expect(try await live.service.store.evidence(of: DeviceID(device.id)!).isEmpty)
        }
    }

    // MARK: What is refused

    /// The evidence of a device for its two keys and a challenge.
    static func evidence(
        _ source: SimulatedAppAttest, _ device: LoadDevice, _ challenge: String, account: String = "ada", drop: Bool = false
    ) async throws -> KeyEvidence? {
        var keys: [KeyName: PublicKey] = [:]
        for registration in device.registrations(challenge).dropFirst(drop ? 1 : 0) {
            keys[KeyName(server: "s", account: account, kind: registration.kind)] =
                registration.jwk?.x963.flatMap { PublicKey(x963: $0) }
        }
        return try await source.evidence(
            EvidenceRequest(challenge: challenge, keys: keys, makingChallenge: nil, server: "s", account: account))
    }

    @Test(
        "evidence that does not fit refuses the whole enrolment, and keeps nothing but a row of the log",
        arguments: [
            ("genuine", nil), ("a root of one's own", "untrusted_root"), ("another app", "wrong_app"),
            ("another challenge", "wrong_signature"), ("other keys", "wrong_signature"), ("damaged", "malformed"),
            ("another person's", "wrong_signature"),
        ] as [(String, String?)])
    func refused(_ what: String, _ reason: String?) async throws {
        try await Self.run(try Self.policy()) { live in
            let attempt = try await Attempt(live)
            let (other, _) = try await attempt.device.challenge(.enrol, over: attempt.connection)
            let (challenge, nonce) = try await attempt.device.challenge(
                .enrol, [attempt.device.sessionKid, attempt.device.kid], over: attempt.connection)
            let source =
                switch what {
                case "a root of one's own": SimulatedAppAttest(appID: Self.appID, root: .root(named: "My own"))
                case "another app": SimulatedAppAttest(appID: "TEAM123456.com.example.other", root: Self.apple.root)
                default: SimulatedAppAttest(appID: Self.appID, root: Self.apple.root)
                }
            let bob = try await Attempt(live)
            var evidence = try await Self.evidence(
                source, what == "another person's" ? bob.device : attempt.device, what == "another challenge" ? other : challenge,
                drop: what == "other keys")
            if what == "damaged", case .appAttest(let good)? = evidence {
                evidence = .appAttest(
                    AppAttestEvidence(
                        keyID: good.keyID, attestation: Array(good.attestation.dropLast()), attestedValue: good.attestedValue,
                        assertion: good.assertion))
            }
            let ticket = try await attempt.ticket().read(EnrolmentTicket.self).ticket
            let request = EnrolRequest(
                ticket: ticket, name: "Test", keys: attempt.device.registrations(challenge), evidence: evidence)
            let body = Signing.encode(request)
            let answer = try await attempt.connection.send(
                "POST", "/v1/devices", type: "application/json",
                headers: [("DPoP", attempt.device.dpop("POST", "/v1/devices", body, nonce: nonce))], body: body)
            guard let reason else {
                #expect(answer.status == 201, "\(answer.text)")
                return
            }
            #expect(answer.status == 401 && answer.kind == "verification-failed", "one neutral answer: \(answer.text)")
            #expect(try await live.server.devices(ofAccountNamed: "ada").isEmpty)
            #expect(try await live.service.store.evidence(after: nil, atMost: 10).isEmpty)
            let rows = try live.auditRows()
            #expect(rows.contains { $0.contains("\"reason\":\"enrolment evidence_\(reason)\"") }, "\(rows)")
        }
    }

    @Test func evidenceIsGoodOnceAndItsCounterNeverGoesBack() async throws {
        try await Self.run(try Self.policy()) { live in
            let source = SimulatedAppAttest(appID: Self.appID, root: Self.apple.root)
            let first = try await Attempt(live)
            let captured = Captured()
            let answer = try await first.enrol(evidenceBy: { device, challenge in
                let evidence = try await Self.evidence(source, device, challenge)
                captured.evidence = evidence
                return evidence
            })
            #expect(answer.status == 201)
            let second = try await Attempt(live)
            #expect(
                try await second.enrol(evidenceBy: { _, _ in captured.evidence }).kind == "verification-failed",
                "replayed for other keys")
            guard case .appAttest(let good)? = captured.evidence else { throw Missing() }
            let id = Array(Data(base64Encoded: good.keyID)!)
            let stored = try #require(try await live.service.store.appAttestKey(id))
            #expect(stored.counter == 1 && stored.appID == Self.appID && stored.isProduction)
            // The same key goes on counting with the next device of the account.
            #expect(try await second.enrol(evidenceBy: { try await Self.evidence(source, $0, $1) }).status == 201)
            #expect(try await live.service.store.appAttestKey(id)?.counter == 2)
        }
    }

    @Test func theStoreItselfTakesOnlyAGreaterCounter() async throws {
        try await Self.run(try Self.policy()) { (live) async throws in
            let store = live.service.store
            let key = AppAttestRecord(
                id: [1], x963: [4, 1], appID: Self.appID, isProduction: true, counter: 5, attestedAt: live.clock.now, receipt: [])
            let (ada, bob) = (AccountID.random(), AccountID.random())
            func count(_ counter: UInt32, x963: [UInt8] = [4, 1], of account: AccountID? = nil) async throws -> Bool {
                let account = account ?? ada
                var key = key
                (key.counter, key.x963) = (counter, x963)
                let new = NewEvidence(
                    id: .random(), record: "{}", verdict: EvidenceVerdict(keys: [:], policy: ""), appAttestKey: key)
                return try await store.writer.write { db, _ in try SQLStore.count(new, of: account, in: db) }
            }
            #expect(try await count(5))
            #expect(try await !count(5), "not greater")
            #expect(try await !count(4), "back")
            #expect(try await !count(0), "to zero")
            #expect(try await !count(6, x963: [4, 2]), "another key of the same name")
            #expect(try await !count(6, of: bob), "another account")
            #expect(try await count(6))
        }
    }

    @Test(
        "Android keys are made for one live challenge of this device",
        arguments: ["live", "expired", "of another device", "used"])
    func makingChallenge(_ what: String) async throws {
        try await Self.run(try Self.policy()) { live in
            let auth = try Self.android(live)
            guard what != "live" else {
                try await auth.enrol(with: Self.signIn)
                return
            }
            let phone = SimulatedPhone(.android(.finger, api: 34))
            var platform = phone.platform()
            let keystore = SimulatedKeystore(phone, app: Self.app, root: Self.googleRoot)
            let other = try await Attempt(live)
            let foreign = try await other.device.challenge(.enrol, [other.device.sessionKid], over: other.connection).challenge
            platform.evidence = Replaced(keystore: keystore) { made in
                switch what {
                case "of another device": return foreign
                case "expired":
                    live.clock.advance(by: .seconds(301))
                    return made
                default: return made
                }
            }
            let twice = try Authenticator(server: URL(string: live.url)!, platform: platform)
            if what == "used" {
                try await twice.enrol(with: Self.signIn)
                let device = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
                let stored = try await live.service.store.evidence(of: DeviceID(device.id)!)
                #expect(stored.count == 1)
                guard let source = platform.evidence as? Replaced else { throw Missing() }
                source.keeps = true
                await expectFailure(.refused) { try await twice.enrol(with: Self.signIn, ifExists: .replace) }
            } else {
                await expectFailure(.refused) { try await twice.enrol(with: Self.signIn) }
            }
        }
    }

    // MARK: Groups

    @Test func aGroupsMinimumHoldsForEveryWayIn() async throws {
        let least = Assurance(protection: .attestedApp, verification: .biometric)
        try await Self.run(try Self.policy(groups: ["staff": least])) { live in
            let ada = try #require(try await live.service.store.account(named: "ada")).id
            let soft = try await live.device()
            #expect(try await soft.signIn().expiresIn == 300)
            let token = try await soft.signIn()
            let (guest, visit) = try await live.visit()
            #expect(try await live.service.store.setGroup("staff", of: ada))
            #expect(try await !live.service.store.setGroup("no such group", of: ada))
            // What was there before authorises nothing any more.
            for kind in ["verification-failed", "step-up-required"] {
                // The first time the server remembers the key as it was, and its transaction knows better.
                let (challenge, nonce) = try await soft.challenge()
                #expect(try await soft.redeem(soft.device.proof(challenge), nonce: nonce).kind == kind)
            }
            #expect(try await soft.refresh(token.refreshToken).kind == "verification-failed")
            #expect(try await soft.get("/v1/me", token: token.accessToken).kind == "verification-failed")
            #expect(try await guest.get("/v1/me", token: visit.accessToken).kind == "verification-failed")
            #expect(try await guest.refresh(visit.refreshToken).kind == "verification-failed")
            // Nor does anything new that is less.
            await #expect(throws: (any Error).self, "no visit") { _ = try await live.visit() }
            #expect(try await Attempt(live).enrol().kind == "verification-failed", "no device without evidence")
            let plain = try await PlainClient.enrol(try PlainClient.Key.make("ES256"), try await Attempt(live))
            #expect(plain.kind == "verification-failed", "no plain client")
            let (auth, _) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr == least.acr)
            #expect(try await live.service.store.setGroup("", of: ada))
            #expect(try await soft.signIn().expiresIn == 300, "out of the group")
        }
    }

    @Test func aKeyThatThePasscodeBroughtIsNoMoreThanThePasscodeWhateverItsEvidence() {
        let proven = Assurance(protection: .attestedHardware, verification: .biometric)
        for kind in KeyKind.allCases {
            for origin in [KeyOrigin.credentials, .biometric, .pin, .passcode] {
                let standing = KeyStanding.assurance(of: kind, broughtBy: origin, proven: proven)
                #expect(standing.verification == min(.biometric, origin.factor(of: kind).userVerification))
                #expect(standing.protection == .attestedHardware)
            }
        }
    }

    // MARK: Judged anew

    @Test func whatIsJudgedAnewMayProveLessAndTheOwnerIsTold() async throws {
        try await Self.run(try Self.policy()) { live in
            let (auth, _) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr.contains("attestedApp"))
            var policy = try Self.policy()
            #expect(try await live.service.judgeAnew(by: policy).lowered == 0, "the same policy proves the same")
            policy.appAttest?.appIDs = ["TEAM123456.com.example.next"]
            policy.digest = "the next policy"
            let outcome = try await live.service.judgeAnew(by: policy)
            #expect(outcome.judged == 1 && outcome.lowered == 1)
            let device = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
            let stored = try await live.service.store.evidence(of: DeviceID(device.id)!)
            #expect(stored[0].verdict.refusal == "wrong_app" && stored[0].verdict.policy == "the next policy")
            #expect(Set(stored[0].verdict.keys.values) == [.withoutEvidence])
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none", "it still signs in, as less")
            let account = try #require(try await live.service.store.account(named: "ada")).id
            let notices = try await live.service.store.notices(of: account)
            #expect(notices.contains { $0.kind == .evidenceLowered })
            #expect(try live.auditRows().contains { $0.contains("evidence-lowered") })
            // A policy that takes the app again raises the keys again, without another enrolment.
            #expect(try await live.service.judgeAnew(by: try Self.policy()).judged == 1)
            #expect(try await Self.me(auth).acr.contains("attestedApp"))
        }
    }

    @Test("a status list that comes later lowers enrolled devices", arguments: ["REVOKED", "SUSPENDED"])
    func revokedLater(_ status: String) async throws {
        try await Self.run(try Self.policy()) { live in
            let auth = try Self.android(live) { mint, _ in mint.editAttestation = { $0.serial = [0x12, 0x34, 0x56] } }
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr.contains("attestedHardware"))
            live.clock.advance(by: .seconds(60))
            let list = #"{"entries":{"123456":{"status":"\#(status)"}}}"#
            #expect(try await live.service.adopt(statusList: Array(list.utf8), fetchedAt: live.clock.now)?.lowered == 1)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none")
            await expectFailure(.refused) {
                let another = try Self.android(live) { mint, _ in mint.editAttestation = { $0.serial = [0x12, 0x34, 0x56] } }
                try await another.enrol(with: Self.signIn)
            }
        }
    }

    // MARK: Lists from outside

    @Test("a root that the operator accepted counts beside Google's, and not beside a policy's own", arguments: [true, false])
    func acceptedRoots(_ takesGoogles: Bool) async throws {
        var policy = try Self.policy()
        let other = try TrustAnchor(certificate: TestAuthority.root(named: "Another root").certificate)
        policy.android?.roots = takesGoogles ? TrustAnchor.googleHardware : [other]
        try await Self.run(policy) { live in
            await expectFailure(.refused) { try await Self.android(live).enrol(with: Self.signIn) }
            let pem = String(decoding: try JSONEncoder().encode([Self.googleRoot.pem]), as: UTF8.self)
            let server = live.server
            _ = try await server.acceptRoots(
                from: Array(pem.utf8), pinnedBy: [Self.googleRoot.spkiSHA256], fetchedAt: live.clock.now)
            try await live.service.keepUpEvidence()
            let auth = try Self.android(live)
            guard takesGoogles else {
                return await expectFailure(.refused) { try await auth.enrol(with: Self.signIn) }
            }
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:attestedHardware:biometric")
            // The next list replaces it, and the root is no longer accepted.
            live.clock.advance(by: .seconds(60))
            let another = TestAuthority.root(named: "Another root")
            _ = try await server.acceptRoots(
                from: Array(String(decoding: try JSONEncoder().encode([another.pem]), as: UTF8.self).utf8),
                pinnedBy: [another.spkiSHA256], fetchedAt: live.clock.now)
            try await live.service.keepUpEvidence()
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none")
        }
    }

    @Test func theStatusListIsFetchedAndAServerThatAnswersWrongChangesNothing() async throws {
        let answers = Mutex<[String]>([
            "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]",
            "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\nConnection: close\r\n\r\n" + String(repeating: " ", count: 2_000_000),
            #"{"entries":{"123456":{"status":"REVOKED"}}}"#.asAnswer,
        ])
        let source = try RawServer { connection in
            connection.send(answers.withLock { $0.isEmpty ? "" : $0.removeFirst() })
        }
        defer { source.stop() }
        try await Self.run(try Self.policy()) { live in
            let auth = try Self.android(live) { mint, _ in mint.editAttestation = { $0.serial = [0x12, 0x34, 0x56] } }
            try await auth.enrol(with: Self.signIn)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let fetching = StatusFetching(
                service: live.service, logger: logger, url: "http://127.0.0.1:\(source.port)/status")
            for answer in 1...4 { #expect(await !fetching.fetch(), "answer \(answer)") }
            #expect(try await Self.me(auth).acr.contains("attestedHardware"), "wrong answers change nothing")
            #expect(await fetching.fetch())
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:software:none")
        }
    }

    @Test func aNodeWithAnOlderPolicyJudgesNothingByANewerList() async throws {
        var policy = try Self.policy()
        policy.version = 1
        try await Self.run(policy) { live in
            let auth = try Self.android(live) { mint, _ in mint.editAttestation = { $0.serial = [0x12, 0x34, 0x56] } }
            try await auth.enrol(with: Self.signIn)
            live.clock.advance(by: .seconds(60))
            try await live.service.store.raise(policyVersions: [.evidence: 2])
            let list = #"{"entries":{"123456":{"status":"REVOKED"}}}"#
            await #expect(throws: SetupError.self) {
                try await live.service.adopt(statusList: Array(list.utf8), fetchedAt: live.clock.now)
            }
            #expect(try await Self.me(auth).acr.contains("attestedHardware"), "the nodes with the later policy judge it")
            #expect(try await live.service.evidenceLists().status?.count == 1, "and find the list")
        }
    }

    @Test func aServerThatStartsKnowsTheListsBeforeItsFirstRequest() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        try await LiveServer.run(folder: folder, clock: clock) { live in
            let list = #"{"entries":{"123456":{"status":"REVOKED"}}}"#
            _ = try await live.service.adopt(statusList: Array(list.utf8), fetchedAt: clock.now)
        }
        let policy = try Self.policy()
        try await LiveServer.run(
            folder: folder, clock: clock, configure: { $0.evidence = EvidenceRules(policy) }
        ) { live in
            let auth = try Self.android(live) { mint, _ in mint.editAttestation = { $0.serial = [0x12, 0x34, 0x56] } }
            await expectFailure(.refused) { try await auth.enrol(with: Self.signIn) }
        }
    }

    // MARK: Changes of keys

    @Test func aNewKeyNeedsEvidenceOfItsOwn() async throws {
        try await Self.run(try Self.policy()) { live in
            let (auth, phone) = try Self.iPhone(live)
            try await auth.enrol(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:attestedApp:biometric")
            phone.enrolNewFace()
            try await auth.replaceBiometricKey(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:attestedApp:biometric")
            let device = try #require(try await live.server.devices(ofAccountNamed: "ada").first)
            #expect(try await live.service.store.evidence(of: DeviceID(device.id)!).count == 2)
            // The same device without evidence: what it has shown of its other keys does not count for this one.
            let silent = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            phone.enrolNewFace()
            try await silent.replaceBiometricKey(with: Self.signIn)
            #expect(try await Self.me(silent).acr == "urn:thumbturn:acr:software:none")
        }
    }

    @Test func aPolicyThatRefusesDevicesWithoutEvidenceRefusesSuchKeysToo() async throws {
        try await Self.run(try Self.policy(.refuse)) { live in
            // A PIN key has no evidence, whatever the policy says.
            let (auth, phone) = try Self.iPhone(live, hasPIN: true)
            try await auth.enrol(with: Self.signIn)
            phone.enrolNewFace()
            let silent = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            await expectFailure(.refused) { try await silent.replaceBiometricKey(with: Self.signIn) }
            try await auth.replaceBiometricKey(with: Self.signIn)
            #expect(try await Self.me(auth).acr == "urn:thumbturn:acr:attestedApp:biometric")
        }
    }

    // MARK: Helpers

    struct Missing: Error {}

    final class Captured: @unchecked Sendable { var evidence: KeyEvidence? }

    /// A Keystore that names another challenge than its keys were made for, or repeats its first evidence.
    final class Replaced: EvidenceSource, @unchecked Sendable {
        let keystore: SimulatedKeystore
        let replace: @Sendable (String) -> String
        var keeps = false
        private var first: String?

        init(keystore: SimulatedKeystore, _ replace: @escaping @Sendable (String) -> String) {
            (self.keystore, self.replace) = (keystore, replace)
        }

        var attestsNewKeys: Bool { true }

        func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
            guard case .androidKey(let made)? = try await keystore.evidence(request) else { return nil }
            let challenge = keeps ? first ?? "" : replace(made.challenge)
            if first == nil { first = challenge }
            return .androidKey(AndroidKeyEvidence(challenge: challenge, chains: made.chains))
        }
    }
}

extension String {
    /// This text as the body of an answer with the status 200.
    fileprivate var asAnswer: String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(utf8.count)\r\nConnection: close\r\n\r\n\(self)"
    }
}

extension EnrolmentTests.Attempt {
    /// Enrols with evidence for the challenge.
    func enrol(
        ticket given: String? = nil, ifEnrolled: IfEnrolled? = nil,
        evidenceBy make: (LoadDevice, String) async throws -> KeyEvidence?
    ) async throws -> LoadConnection.Answer {
        let ticket = if let given { given } else { try await self.ticket().read(EnrolmentTicket.self).ticket }
        let (challenge, nonce) = try await device.challenge(.enrol, [device.sessionKid, device.kid], over: connection)
        var request = EnrolRequest(
            ticket: ticket, name: "Test", keys: device.registrations(challenge), evidence: try await make(device, challenge))
        request.ifEnrolled = ifEnrolled
        let body = Signing.encode(request)
        return try await connection.send(
            "POST", "/v1/devices", type: "application/json",
            headers: [("DPoP", device.dpop("POST", "/v1/devices", body, nonce: nonce))], body: body)
    }
}

extension LiveServer {
    /// The rows of the audit log, as text.
    func auditRows() throws -> [String] {
        let store = service.store
        return try store.texts(of: ["SELECT event FROM audit ORDER BY number"])
    }
}
#endif
