import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// Minted evidence, of which each change is signed anew, so that it meets the one check that is for it.
@Suite struct AppAttestTests {
    static let root = TestAuthority.root(named: "Test App Attestation Root CA")

    /// An attestation and everything that it is judged by.
    struct Subject: Sendable {
        var mint = AppAttestMint(appID: "ABCDE12345.example.bank", clientDataHash: [UInt8](repeating: 7, count: 32), root: root)
        var keyID: [UInt8]?
        var clientDataHash = [UInt8](repeating: 7, count: 32)
        var policy = AppAttestPolicy(
            appIDs: ["ABCDE12345.example.bank", "ABCDE12345.example.bank.clip"], environment: .production, device: .mobile,
            launch: .anyOfOrUntold([.appStore, .testFlight]), roots: [try! TrustAnchor(certificate: root.certificate)])
        var now = UnixTime(seconds: 1_800_000_000)

        func judge() throws -> AppAttestAttestation {
            try AppAttest.verify(
                attestation: mint.attestation, keyID: Data(keyID ?? mint.keyID).base64EncodedString(),
                clientDataHash: clientDataHash, policy: policy, at: now)
        }
    }

    @Test func aMintedAttestationIsAccepted() throws {
        let subject = Subject()
        let proved = try subject.judge()
        #expect(proved.key.publicKey.x963 == subject.mint.key.x963 && proved.key.id == subject.mint.keyID)
        #expect(proved.key.appID == "ABCDE12345.example.bank" && proved.key.environment == .production)
        #expect(proved.receipt == subject.mint.receipt && proved.launch.category == nil)
        let kept = AppAttestKey(publicKey: proved.key.publicKey, appID: proved.key.appID, environment: .production)
        #expect(kept == proved.key)
    }

    @Test func noDefaultPolicyTrustsTheTestRoot() {
        var subject = Subject()
        subject.policy = AppAttestPolicy(
            appIDs: subject.policy.appIDs, environment: .production, device: .mobile, launch: .notChecked)
        #expect(subject.policy.roots == [.appleAppAttest])
        #expect(evidenceRefusal { _ = try subject.judge() } == .untrustedRoot)
    }

    // MARK: What iOS 27 added

    @Test("extensions are read with their flag and without it", arguments: [UInt8(0x40), 0xC0])
    func extensions(flags: UInt8) throws {
        var subject = Subject()
        subject.mint.flags = flags
        subject.mint.accessPolicy = AppAttestMint.phoneAccessPolicy
        subject.mint.extensions = AppAttestMint.launch(category: 4, bundleVersion: "1.0.248")
        #expect(try subject.judge().launch == AppAttestLaunch(category: .appStore, bundleVersion: "1.0.248"))
        // As Apple's text describes the category, and with names that are not documented, in the order of the alphabet.
        subject.mint.extensions = .object([
            ("apple_bundle_version_01", .text("2")), ("apple_cd_hash_hash_01", .bytes([UInt8](repeating: 1, count: 32))),
            ("apple_cd_hash_type_01", .bytes([2])), ("apple_validation_category_01", .unsigned(2)),
        ])
        #expect(try subject.judge().launch == AppAttestLaunch(category: .testFlight, bundleVersion: "2"))
        subject.mint.extensions = .map([])
        #expect(try subject.judge().launch == AppAttestLaunch(category: nil, bundleVersion: nil))
    }

    @Test func theCategoryIsJudgedAsThePolicySays() {
        var subject = Subject()
        let rules: [(AppAttestLaunchRule, told: EvidenceRefusal.Reason?, untold: EvidenceRefusal.Reason?)] = [
            (.notChecked, nil, nil), (.anyOf([.appStore]), nil, .wrongEnvironment), (.anyOfOrUntold([.appStore]), nil, nil),
            (.anyOf([.testFlight]), .wrongEnvironment, .wrongEnvironment),
            (.anyOfOrUntold([.testFlight]), .wrongEnvironment, nil),
            (.anyOf([]), .wrongEnvironment, .wrongEnvironment),
        ]
        for (rule, told, untold) in rules {
            subject.policy.launch = rule
            subject.mint.extensions = AppAttestMint.launch(category: 4, bundleVersion: "1")
            #expect(evidenceRefusal { _ = try subject.judge() } == told, "\(rule)")
            subject.mint.extensions = nil
            #expect(evidenceRefusal { _ = try subject.judge() } == untold, "\(rule)")
        }
    }

    @Test func aMacIsTrustedWithFullSecurityAlone() throws {
        #expect(
            Data(AppAttestMint.macAccessPolicy).base64EncodedString()
                == "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB")
        var subject = Subject()
        subject.mint.accessPolicy = AppAttestMint.macAccessPolicy
        #expect(evidenceRefusal { _ = try subject.judge() } == .notVerifiedBoot, "a Mac's evidence for a phone")
        subject.policy.device = .mac
        #expect(try subject.judge().key.appID == "ABCDE12345.example.bank")
        for policy in [nil, AppAttestMint.phoneAccessPolicy, AppAttestMint.macAccessPolicy + [0], []] {
            subject.mint.accessPolicy = policy
            #expect(evidenceRefusal { _ = try subject.judge() } == .notVerifiedBoot)
        }
    }

    // MARK: Mutations

    static let mutations: [Mutation<Subject>] = [
        // Apple's steps.
        Mutation("step 1: another root", .untrustedRoot) { $0.policy.roots = [.appleAppAttest] },
        Mutation("step 1: a root of the same name", .brokenChain) { subject in
            let other = TestAuthority.root(named: "Test App Attestation Root CA")
            subject.policy.roots = [try! TrustAnchor(certificate: other.certificate)]
        },
        Mutation("step 1: an attacker's own root", .untrustedRoot) { subject in
            subject.mint = AppAttestMint(
                appID: subject.mint.appID, clientDataHash: subject.mint.clientDataHash, root: .root(named: "Attacker"))
            let root = subject.mint.root.certificate
            subject.mint.chain = { $0 + [root] }
        },
        Mutation("step 1: an intermediate that is no authority", .notAnAuthority) { subject in
            subject.mint.intermediate = subject.mint.root.authority(named: "CA 1", key: .p384()) {
                $0.extensions = [.notAuthority, .signsData]
            }
        },
        Mutation("step 1: before the key's certificate", .notYetValid) {
            $0.mint.leaf = { $0.notBefore = UnixTime(seconds: 1_800_000_001) }
        },
        Mutation("step 1: after the key's certificate", .expired) {
            $0.mint.leaf = { $0.notAfter = UnixTime(seconds: 1_799_999_999) }
        },
        Mutation("step 1: an unknown critical extension", .unknownCriticalExtension) {
            $0.mint.leaf = { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) }
        },
        Mutation("step 1: a signature with SHA-1", .unsupported) { subject in
            let sha1 = subject.mint.intermediate.key.algorithm(.sha1)
            subject.mint.leaf = { $0.algorithm = sha1 }
        },
        Mutation("step 1: a genuine key signs a fake certificate and puts it in front", .notAnAuthority) { subject in
            // The attacker holds an attested key and makes it issue a certificate of a key in software.
            let genuine = subject.mint
            var fake = genuine
            fake.key = .p256()
            fake.intermediate = genuine.intermediate.authority(named: "genuine", key: genuine.key) {
                $0.extensions = [.notAuthority, .signsData]
            }
            let authority = genuine.intermediate.certificate
            fake.chain = { $0 + [authority] }
            subject.mint = fake
        },
        Mutation("step 1: a certificate of an RSA key of 16 Kbit", .weakKey) { subject in
            let spki = MintedKey.spki(modulus: [UInt8](repeating: 0xFF, count: 2048))
            subject.mint.leaf = { $0.spki = spki }
        },
        Mutation("step 1: a certificate of a P-384 key", .weakKey) { subject in
            let spki = MintedKey.p384().spki
            subject.mint.leaf = { $0.spki = spki }
        },
        Mutation("step 2: another challenge", .wrongChallenge) { $0.clientDataHash.flip(31) },
        Mutation("step 4: no nonce", .malformed) { $0.mint.leaf = { $0.extensions.removeLast() } },
        Mutation("step 4: a nonce of another form", .malformed) { $0.mint.nonceExtension = [0x04, 0x02, 1, 2] },
        Mutation("step 4: a nonce of 31 bytes", .malformed) {
            $0.mint.nonceExtension = [0x30, 0x23, 0xA1, 0x21, 0x04, 0x1F] + [UInt8](repeating: 1, count: 31)
        },
        Mutation("step 4: a byte behind the nonce", .malformed) {
            $0.mint.nonceExtension = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + [UInt8](repeating: 1, count: 33)
        },
        Mutation("step 4: another nonce", .wrongChallenge) {
            $0.mint.nonceExtension = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + [UInt8](repeating: 1, count: 32)
        },
        Mutation("step 4: two nonces", .malformed) { $0.mint.leaf = { $0.extensions.append($0.extensions[2]) } },
        Mutation("step 5: another key id", .wrongKey) { $0.keyID = [UInt8](repeating: 1, count: 32) },
        Mutation("step 5: another key id, in the data too", .wrongKey) {
            $0.keyID = [UInt8](repeating: 1, count: 32)
            $0.mint.credentialID = $0.keyID
        },
        Mutation("step 6: another app", .wrongApp) { $0.mint.appID = "ABCDE12345.example.other" },
        Mutation("step 6: another team", .wrongApp) { $0.mint.appID = "FGHIJ67890.example.bank" },
        Mutation("step 7: a key that signed before", .counterNotZero) { $0.mint.counter = 1 },
        Mutation("step 8: development evidence in production", .wrongEnvironment) { $0.mint.aaguid = AppAttestMint.development },
        Mutation("step 8: production evidence in development", .wrongEnvironment) { $0.policy.environment = .development },
        Mutation("step 8: another authenticator", .wrongEnvironment) { $0.mint.aaguid = [UInt8](repeating: 0, count: 16) },
        Mutation("step 9: another credential id", .wrongKey) { $0.mint.credentialID = [UInt8](repeating: 1, count: 32) },
        Mutation("a credential id of 33 bytes", .malformed) { $0.mint.credentialID = [UInt8](repeating: 1, count: 33) },
        Mutation("another key in the data", .wrongKey) { $0.mint.credentialKey = AppAttestMint.cose(MintedKey.p256().x963!) },
        Mutation("a key off its curve in the data", .weakKey) {
            $0.mint.credentialKey = AppAttestMint.cose([4] + [UInt8](repeating: 1, count: 64))
        },
        Mutation("a key with the label of x twice", .malformed) { subject in
            // One parser would read the attacker's x, and another one the right one.
            let point = subject.mint.key.x963!
            subject.mint.credentialKey = .map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)),
                (.int(-2), .bytes([UInt8](repeating: 1, count: 32))),
                (.wide(.int(-2), bytes: 1), .bytes(Array(point[1..<33]))),
            ])
        },
        Mutation("a key in another order", .malformed) { subject in
            let point = subject.mint.key.x963!
            subject.mint.credentialKey = .map([
                (.int(3), .int(-7)), (.int(1), .int(2)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[1..<33]))),
                (.int(-3), .bytes(Array(point[33...]))),
            ])
        },
        Mutation("no flag of credential data", .malformed) { $0.mint.flags = 0x80 },
        Mutation("a flag of extensions without them", .malformed) { $0.mint.flags = 0xC0 },
        Mutation("extensions that are no map", .malformed) { $0.mint.extensions = .array([]) },
        Mutation("an extension twice", .malformed) {
            $0.mint.extensions = .object([
                ("apple_validation_category_01", .bytes([4, 0, 0, 0])), ("apple_validation_category_01", .bytes([3, 0, 0, 0])),
            ])
        },
        Mutation("an extension twice in two spellings", .malformed) {
            $0.mint.extensions = .map([
                (.text("apple_validation_category_01"), .bytes([4, 0, 0, 0])),
                (.wide(.text("apple_validation_category_01"), bytes: 2), .bytes([3, 0, 0, 0])),
            ])
        },
        Mutation("a category of three bytes", .malformed) {
            $0.mint.extensions = .object([("apple_validation_category_01", .bytes([4, 0, 0]))])
        },
        Mutation("a category of 33 bits", .malformed) {
            $0.mint.extensions = .object([("apple_validation_category_01", .unsigned(1 << 32))])
        },
        Mutation("a category below zero", .malformed) {
            $0.mint.extensions = .object([("apple_validation_category_01", .int(-1))])
        },
        Mutation("a bundle version as a number", .malformed) {
            $0.mint.extensions = .object([("apple_bundle_version_01", .unsigned(1))])
        },
        Mutation("a bundle version of 129 bytes", .malformed) {
            $0.mint.extensions = .object([("apple_bundle_version_01", .text(String(repeating: "1", count: 129)))])
        },
        Mutation("a byte behind the extensions", .malformed) {
            $0.mint.extensions = .map([])
            $0.mint.trailing = [0]
        },
        Mutation("step 10: an app that a developer runs", .wrongEnvironment) {
            $0.mint.extensions = AppAttestMint.launch(category: 3, bundleVersion: "1")
        },
        Mutation("more than 4 KiB of authenticator data", .tooLarge) {
            $0.mint.extensions = .object([("a", .bytes([UInt8](repeating: 0, count: 4096)))])
        },
    ]

    @Test("each change is refused for its reason, and without it all is well", arguments: mutations)
    func changed(_ mutation: Mutation<Subject>) {
        let subject = Subject()
        var changed = subject
        mutation.change(&changed)
        #expect(evidenceRefusal { _ = try changed.judge() } == mutation.reason)
        #expect(evidenceRefusal { _ = try subject.judge() } == nil)
    }

    @Test func aRefusalSaysWhatWasExpectedAndWhatWasFound() {
        var subject = Subject()
        subject.mint.counter = 5
        do {
            _ = try subject.judge()
            Issue.record("a used key was accepted")
        } catch {
            #expect(
                (error as? EvidenceRefusal)?.explanation
                    == "expected the counter 0, of a key that signed nothing yet, found 5 (Apple's step 7)")
        }
    }

    // MARK: Assertions

    /// An assertion and everything that it is judged by.
    struct Use: Sendable {
        var assertion: AppAttestMint.Assertion
        var members: @Sendable ([(String, MintedCBOR)]) -> MintedCBOR = { .object($0) }
        var clientDataHash = [UInt8](repeating: 9, count: 32)
        var key: AppAttestKey
        var lastCounter: UInt32 = 4
        var policy: AppAttestPolicy

        func judge() throws -> AppAttestAssertion {
            try AppAttest.verify(
                assertion: members(assertion.members).encoded, clientDataHash: clientDataHash, key: key,
                lastCounter: lastCounter, policy: policy)
        }
    }

    private static let attested = Subject()

    static func use() throws -> Use {
        Use(
            assertion: attested.mint.assertion(clientDataHash: [UInt8](repeating: 9, count: 32), counter: 5),
            key: try attested.judge().key, policy: attested.policy)
    }

    static let misuses: [Mutation<Use>] = [
        Mutation("a counter that stands still", .counterNotGreater) { $0.assertion.counter = 4 },
        Mutation("a counter that goes back", .counterNotGreater) { $0.assertion.counter = 3 },
        Mutation("a counter of zero", .counterNotGreater) {
            $0.lastCounter = 0
            $0.assertion.counter = 0
        },
        Mutation("the greatest counter again", .counterNotGreater) {
            $0.lastCounter = .max
            $0.assertion.counter = .max
        },
        Mutation("other client data", .wrongSignature) { $0.clientDataHash.flip(0) },
        Mutation("another key", .wrongSignature) { $0.assertion.key = .p256() },
        Mutation("another app", .wrongApp) { $0.assertion.appID = "ABCDE12345.example.other" },
        Mutation("another app of the policy", .wrongApp) { $0.assertion.appID = "ABCDE12345.example.bank.clip" },
        Mutation("a key of an app that the policy has no more", .wrongApp) { $0.policy.appIDs = [] },
        Mutation("a key of another environment", .wrongEnvironment) {
            $0.key = AppAttestKey(publicKey: $0.key.publicKey, appID: $0.key.appID, environment: .development)
        },
        Mutation("an app that a developer runs", .wrongEnvironment) {
            $0.assertion.extensions = AppAttestMint.launch(category: 3, bundleVersion: "1")
        },
        Mutation("a flag of extensions without them", .malformed) { $0.assertion.flags = 0xC0 },
        Mutation("a byte behind the data", .malformed) { $0.assertion.trailing = [0] },
        Mutation("credential data", .malformed) { $0.assertion.trailing = [UInt8](repeating: 0, count: 50) },
        Mutation("the signature twice", .malformed) { $0.members = { .object([$0[0], $0[0], $0[1]]) } },
        Mutation("the data twice", .malformed) { $0.members = { .object([$0[0], $0[1], $0[1]]) } },
        Mutation("a further member", .malformed) { $0.members = { .object($0 + [("zzzzzzzzzzzzzzzzzz", .unsigned(1))]) } },
        Mutation("no signature", .malformed) { $0.members = { .object([$0[1]]) } },
        Mutation("a list", .malformed) { $0.members = { .array([$0[0].1, $0[1].1]) } },
        Mutation("members in another order", .malformed) { $0.members = { .object($0.reversed()) } },
        Mutation("an object of indefinite length", .malformed) { $0.members = { .indefinite(.object($0)) } },
        Mutation("a signature in raw form", .wrongSignature) { use in
            let message = Array(SHA256.hash(data: use.assertion.authenticatorData + use.assertion.clientDataHash))
            let der = use.assertion.key.sign(message)
            let raw = try! P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation
            use.members = { .object([("signature", .bytes(Array(raw))), $0[1]]) }
        },
        Mutation("a byte behind the signature", .wrongSignature) { use in
            let signature = use.assertion.signature()
            use.members = { .object([("signature", .bytes(signature + [0])), $0[1]]) }
        },
        Mutation("a signature over the bytes without their hash", .wrongSignature) { use in
            let signature = use.assertion.key.sign(use.assertion.authenticatorData + use.assertion.clientDataHash)
            use.members = { .object([("signature", .bytes(signature)), $0[1]]) }
        },
        Mutation("more than 8 KiB", .tooLarge) {
            $0.members = { .object([("signature", .bytes([UInt8](repeating: 0, count: 8192))), $0[1]]) }
        },
    ]

    @Test("each change of an assertion is refused for its reason, and without it all is well", arguments: misuses)
    func misused(_ mutation: Mutation<Use>) throws {
        let use = try Self.use()
        var changed = use
        mutation.change(&changed)
        #expect(evidenceRefusal { _ = try changed.judge() } == mutation.reason)
        #expect(try use.judge().counter == 5)
    }

    @Test("an assertion of iOS 27 tells what its attestation told", arguments: [UInt8(0x00), 0x40, 0x80, 0xC0])
    func launch(flags: UInt8) throws {
        var use = try Self.use()
        use.assertion.flags = flags
        use.assertion.extensions = AppAttestMint.launch(category: 4, bundleVersion: "2")
        #expect(try use.judge().launch == AppAttestLaunch(category: .appStore, bundleVersion: "2"))
    }

    @Test func theLastCounterMayJump() throws {
        var use = try Self.use()
        use.assertion.counter = .max
        #expect(try use.judge().counter == .max)
    }
}
