import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// Minted chains: what is accepted, one change of each rule, and the known attacks.
@Suite struct AndroidAttestationTests {
    static let rsa = MintedKey.rsa()
    static let past = UnixTime(seconds: 1_700_000_000)
    static let future = UnixTime(seconds: 1_800_000_001)

    // MARK: What is accepted

    @Test(
        "a biometric key is accepted from the factory and from Google's servers, with its root and without it",
        arguments: AndroidMint.Form.allCases, [true, false])
    func accepted(_ form: AndroidMint.Form, hasRoot: Bool) throws {
        for (level, claim) in [(1, "TEE"), (2, "StrongBox")] {
            var android = AndroidCase()
            (android.mint.form, android.mint.claim, android.mint.hasRoot) = (form, claim, hasRoot)
            android.mint.description.setLevel(level)
            let verdict = try android.verdict()
            #expect(verdict.key.x963 == android.mint.key.x963)
            #expect(verdict.level.rawValue == level && verdict.verification == .biometric)
            #expect(verdict.assurance == Assurance(protection: .attestedHardware, verification: .biometric))
            #expect(verdict.version == 400 && verdict.patchLevel == AndroidPatchLevel(year: 2026, month: 7))
            #expect(verdict.rootOfTrust?.state == .verified && verdict.rootOfTrust?.isDeviceLocked == true)
            #expect(verdict.application?.packages.map(\.name) == ["com.example.bank"])
            #expect(verdict.isStatusKnown)
            let between: [AndroidMint.Form: [String]] = [.direct: ["33"], .factory: ["33", "11"], .remote: ["33", "22", "11"]]
            #expect(verdict.serials == ["1"] + between[form]! + (hasRoot ? ["1"] : []))
            let provisioning: [AndroidMint.Form: AndroidProvisioning] = [.direct: .none, .factory: .factory, .remote: .remote]
            #expect(verdict.provisioning == provisioning[form])
        }
    }

    @Test("keys of every kind may sign a chain", arguments: AndroidMint.Form.allCases)
    func kinds(_ form: AndroidMint.Form) throws {
        for (root, below) in [
            (MintedKey.p384(), MintedKey.p384()), (Self.rsa, .p384()), (Self.rsa, Self.rsa), (.p256(), Self.rsa),
        ] {
            var android = AndroidCase()
            android.mint.root = .root(key: root)
            android.mint.form = form
            (android.mint.intermediateKey, android.mint.serverKey, android.mint.attestationKey) = (below, below, below)
            #expect(android.refusal == .untrustedRoot)
            android.policy.roots = [try TrustAnchor(certificate: android.mint.root.certificate)]
            #expect(android.refusal == nil)
        }
    }

    @Test("every known version is read", arguments: [1, 2, 3, 4, 100, 200, 300, 400, 500])
    func versions(_ version: Int) {
        var android = AndroidCase()
        android.mint.description.version = version
        if version < 3 { android.mint.description.hardwareEnforced[704] = .rootOfTrust(hash: nil) }
        #expect(android.refusal == nil)
    }

    @Test("the verification that a key demands is the weakest that unlocks it")
    func verification() throws {
        typealias Edit = (inout MintedKeyDescription) -> Void
        let edits: [(UserVerification, Edit)] = [
            (.biometric, { _ in }),
            (.passcode, { $0.hardwareEnforced[504] = .integer(1) }),
            (.passcode, { $0.hardwareEnforced[504] = .integer(3) }),
            (.passcode, { $0.hardwareEnforced[504] = .integer(0xFFFF_FFFF) }),
            (.none, { $0.hardwareEnforced[504] = .integer(0) }),
            (.none, { $0.hardwareEnforced[504] = .integer(4) }),
            (.none, { $0.hardwareEnforced[504] = nil }),
            // The system's word does not count for a key of the hardware.
            (
                .none,
                {
                    $0.softwareEnforced[504] = .integer(2)
                    $0.hardwareEnforced[504] = nil
                }
            ),
            (.none, { $0.hardwareEnforced[503] = .null }),
            (.none, { $0.softwareEnforced[503] = .null }),
            (.none, { $0.hardwareEnforced[505] = .integer(300) }),
            (.none, { $0.hardwareEnforced[505] = .integer(0) }),
            (.none, { $0.hardwareEnforced[506] = .null }),
        ]
        for (expected, edit) in edits {
            var android = AndroidCase()
            edit(&android.mint.description)
            android.policy.verification = .none
            #expect(try android.verdict().verification == expected)
            android.policy.verification = .passcode
            #expect((android.refusal == nil) == (expected >= .passcode))
            android.policy.verification = .biometric
            #expect((android.refusal == nil) == (expected == .biometric))
        }
    }

    @Test func aKeyInSoftwareIsWhatItIs() throws {
        var android = AndroidCase()
        android.mint.form = .direct
        android.mint.claim = nil
        android.mint.description.setLevel(0)
        android.mint.description.softwareEnforced.members += android.mint.description.hardwareEnforced.members
        android.mint.description.hardwareEnforced = MintedAuthorizations()
        #expect(android.refusal == .wrongSecurityLevel)
        android.policy.levels = [.software]
        let verdict = try android.verdict()
        #expect(verdict.level == .software && verdict.provisioning == .none)
        #expect(verdict.assurance == Assurance(protection: .software, verification: .biometric))
    }

    @Test("deviations of real devices are accepted")
    func leniencies() {
        var android = AndroidCase()
        android.mint.editTarget = {
            $0.algorithm = MintedAlgorithm("1.2.840.10045.4.3.2").withNull
            $0.extensions[0].criticality = .one
        }
        android.mint.description.hardwareEnforced[704] = .rootOfTrust(isLockedAsOne: true)
        android.mint.description.hardwareEnforced.members.reverse()
        android.mint.description.hardwareEnforced[1] = .integers([3, 2])
        android.mint.editAttestation = { $0.extensions[0] = .notAuthority }
        #expect(android.refusal == nil)
    }

    // MARK: One change of each rule

    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: EvidenceRefusal.Reason?
        let apply: @Sendable (inout AndroidCase) -> Void
        var testDescription: String { name }

        init(_ name: String, _ reason: EvidenceRefusal.Reason?, _ apply: @escaping @Sendable (inout AndroidCase) -> Void) {
            (self.name, self.reason, self.apply) = (name, reason, apply)
        }

        static func description(
            _ name: String, _ reason: EvidenceRefusal.Reason?, _ edit: @escaping @Sendable (inout MintedKeyDescription) -> Void
        ) -> Change {
            Change(name, reason) { edit(&$0.mint.description) }
        }
    }

    static let descriptions: [Change] = [
        .description("another challenge", .wrongChallenge) { $0.challenge[0] ^= 1 },
        .description("no challenge", .wrongChallenge) { $0.challenge = [] },
        .description("an unknown version", .unknownVersion) { $0.version = 600 },
        .description("a key of the TEE attested by StrongBox", .wrongSecurityLevel) { $0.attestationLevel = 2 },
        .description("a key of StrongBox attested by the TEE", .wrongSecurityLevel) { $0.keyMintLevel = 2 },
        .description("a key in software attested by the TEE", .wrongSecurityLevel) { $0.keyMintLevel = 0 },
        .description("a key in software", .wrongSecurityLevel) { $0.setLevel(0) },
        .description("software claimed as StrongBox", .wrongSecurityLevel) { $0.setLevel(2) },
        .description("a level that does not exist", .malformed) { $0.setLevel(3) },
        .description("an imported key", .wrongOrigin) { $0.hardwareEnforced[702] = .integer(2) },
        .description("an origin that is only the system's word", .wrongOrigin) {
            $0.softwareEnforced[702] = .integer(0)
            $0.hardwareEnforced[702] = nil
        },
        .description("a key that also decrypts", .wrongPurpose) { $0.hardwareEnforced[1] = .integers([1, 2]) },
        .description("a key that attests others", .wrongPurpose) { $0.hardwareEnforced[1] = .integers([7]) },
        .description("a key that only verifies", .wrongPurpose) { $0.hardwareEnforced[1] = .integers([3]) },
        .description("no purpose", .wrongPurpose) { $0.hardwareEnforced[1] = .integers([]) },
        .description("a key that signs and verifies", nil) { $0.hardwareEnforced[1] = .integers([2, 3]) },
        .description("RSA", .wrongAlgorithm) { $0.hardwareEnforced[2] = .integer(1) },
        .description("P-384", .wrongAlgorithm) {
            $0.hardwareEnforced[3] = .integer(384)
            $0.hardwareEnforced[10] = .integer(2)
        },
        .description("a size without its curve", nil) { $0.hardwareEnforced[10] = nil },
        .description("a curve without its size", nil) { $0.hardwareEnforced[3] = nil },
        .description("neither size nor curve", .wrongAlgorithm) {
            $0.hardwareEnforced[3] = nil
            $0.hardwareEnforced[10] = nil
        },
        .description("also without a hash", .wrongAlgorithm) { $0.hardwareEnforced[5] = .integers([0, 4]) },
        .description("SHA-1", .wrongAlgorithm) { $0.hardwareEnforced[5] = .integers([2]) },
        .description("no authentication required", .wrongAuthentication) { $0.hardwareEnforced[503] = .null },
        .description("no authentication required, by the system", .wrongAuthentication) { $0.softwareEnforced[503] = .null },
        .description("passcode or biometric", .wrongAuthentication) { $0.hardwareEnforced[504] = .integer(3) },
        .description("passcode", .wrongAuthentication) { $0.hardwareEnforced[504] = .integer(1) },
        .description("any authentication", .wrongAuthentication) { $0.hardwareEnforced[504] = .integer(0xFFFF_FFFF) },
        .description("no userAuthType", .wrongAuthentication) { $0.hardwareEnforced[504] = nil },
        .description("a userAuthType of 33 bits", .malformed) { $0.hardwareEnforced[504] = .integer(0x1_0000_0002) },
        .description("a userAuthType below 0", .malformed) { $0.hardwareEnforced[504] = .integer(-2) },
        .description("a time after an authentication", .authenticationTimeout) { $0.hardwareEnforced[505] = .integer(1) },
        .description("such a time by the system", .authenticationTimeout) { $0.softwareEnforced[505] = .integer(1) },
        .description("use while it is on the body", .wrongAuthentication) { $0.hardwareEnforced[506] = .null },
        .description("an open bootloader", .notVerifiedBoot) { $0.hardwareEnforced[704] = .rootOfTrust(isLocked: false) },
        .description("a self-signed system", .notVerifiedBoot) { $0.hardwareEnforced[704] = .rootOfTrust(state: 1) },
        .description("an unverified system", .notVerifiedBoot) { $0.hardwareEnforced[704] = .rootOfTrust(state: 2) },
        .description("a system that failed", .notVerifiedBoot) { $0.hardwareEnforced[704] = .rootOfTrust(state: 3) },
        .description("a state that does not exist", .malformed) { $0.hardwareEnforced[704] = .rootOfTrust(state: 4) },
        .description("no root of trust", .notVerifiedBoot) { $0.hardwareEnforced[704] = nil },
        .description("a root of trust by the system", .notVerifiedBoot) {
            $0.softwareEnforced[704] = .rootOfTrust()
            $0.hardwareEnforced[704] = nil
        },
        .description("another package", .wrongApp) {
            $0.softwareEnforced[709] =
                MintedApplication(
                    package: "com.example.bank2", signingDigest: AndroidCase.app.signingDigests[0]
                ).value
        },
        .description("another signer", .wrongApp) {
            $0.softwareEnforced[709] =
                MintedApplication(
                    package: "com.example.bank", signingDigest: [UInt8](repeating: 2, count: 32)
                ).value
        },
        .description("a further signer", .wrongApp) {
            var app = AndroidCase.app
            app.signingDigests.append([UInt8](repeating: 2, count: 32))
            $0.softwareEnforced[709] = app.value
        },
        .description("a further package", .wrongApp) {
            var app = AndroidCase.app
            app.packages.append(("com.example.other", 1))
            $0.softwareEnforced[709] = app.value
        },
        .description("no signer", .wrongApp) {
            var app = AndroidCase.app
            app.signingDigests = []
            $0.softwareEnforced[709] = app.value
        },
        .description("no package", .wrongApp) {
            var app = AndroidCase.app
            app.packages = []
            $0.softwareEnforced[709] = app.value
        },
        .description("no app", .wrongApp) { $0.softwareEnforced[709] = nil },
        .description("all apps", .wrongApp) { $0.hardwareEnforced[600] = .null },
        .description("old patches", .oldPatchLevel) { $0.hardwareEnforced[706] = .integer(202_605) },
        .description("a patch level with a day", nil) { $0.hardwareEnforced[706] = .integer(20_260_605) },
        .description("a patch level of month 13", .oldPatchLevel) { $0.hardwareEnforced[706] = .integer(202_613) },
        .description("no patch level", .oldPatchLevel) { $0.hardwareEnforced[706] = nil },
        .description("a tag twice", .malformed) {
            $0.hardwareEnforced.members.append((504, .integer(2)))
        },
        .description("an unknown tag", nil) { $0.hardwareEnforced[9999] = .integers([1]) },
        .description("a purpose that is no set", .malformed) { $0.hardwareEnforced[1] = .integer(2) },
        .description("a purpose twice", .malformed) { $0.hardwareEnforced[1] = .integers([2, 2]) },
    ]

    static let paths = [
        Change("an attacker's own root", .untrustedRoot) { $0.mint.root = .root(named: "Attacker") },
        Change("an attacker's own root with the name of ours", .untrustedRoot) { $0.mint.root = .root() },
        Change("no root at all", .untrustedRoot) { $0.editChain = { [$0[0]] } },
        Change("a missing intermediate", .brokenChain) { $0.editChain = { [$0[0], $0[1], $0[3]] } },
        Change("two certificates swapped", .brokenChain) { $0.editChain = { [$0[0], $0[2], $0[1], $0[3]] } },
        Change("an empty chain", .malformed) { $0.editChain = { _ in [] } },
        Change("the root alone", .brokenChain) { $0.editChain = { [$0[3]] } },
        Change("40 certificates", .chainTooLong) { $0.editChain = { Array(repeating: $0[0], count: 40) } },
        Change("a certificate of 9 KiB", .tooLarge) {
            $0.editChain = { [[UInt8](repeating: 0x30, count: 9 * 1024)] + $0 }
        },
        Change("a target with an RSA key of 16 Kbit", .weakKey) {
            $0.mint.editTarget = { $0.spki = MintedKey.spki(modulus: [UInt8](repeating: 0xFF, count: 2048)) }
        },
        Change("a factory certificate that is expired", nil) { $0.mint.editAttestation = { $0.notAfter = past } },
        Change("a factory certificate that is not yet valid", .notYetValid) {
            $0.mint.editAttestation = { $0.notBefore = future }
        },
        Change("an intermediate that is not yet valid", .notYetValid) { $0.mint.editIntermediate = { $0.notBefore = future } },
        Change("a target that is not yet valid", nil) { $0.mint.editTarget = { $0.notBefore = future } },
        Change("a target that is expired", nil) { $0.mint.editTarget = { $0.notAfter = past } },
        Change("a remote certificate that is expired", .expired) {
            $0.mint.form = .remote
            $0.mint.editAttestation = { $0.notAfter = past }
        },
        Change("a server that is expired", .expired) {
            $0.mint.form = .remote
            $0.mint.editServer = { $0.notAfter = past }
        },
        Change("a server that is not yet valid", .notYetValid) {
            $0.mint.form = .remote
            $0.mint.editServer = { $0.notBefore = future }
        },
        Change("a remote target with any dates", nil) {
            $0.mint.form = .remote
            $0.mint.editTarget = { ($0.notBefore, $0.notAfter) = (future, past) }
        },
        Change("four certificates without provisioning information", .unknownPath) {
            $0.mint.form = .remote
            $0.mint.editAttestation = { $0.extensions.removeLast() }
        },
        Change("an expired certificate with provisioning information below the maker's intermediate", .expired) {
            $0.mint.editAttestation = {
                $0.extensions.append(MintedExtension(AndroidMint.provisioningInfo, value: [0xA0]))
                $0.notAfter = past
            }
        },
        Change("such a certificate that is valid", nil) {
            $0.mint.editAttestation = { $0.extensions.append(MintedExtension(AndroidMint.provisioningInfo, value: [0xA0])) }
        },
        Change("extensions that no strict parser reads", nil) {
            $0.mint.editTarget = { $0.extensions[0].value = [1, 2, 3] }
            $0.mint.editAttestation = { $0.extensions[0].value = [1, 2, 3] }
        },
        Change("no key description", .noKeyDescription) { $0.mint.editTarget = { $0.extensions.removeLast() } },
        Change("a description in the attestation certificate too", .chainExtended) { android in
            let description = android.mint.description.der
            android.mint.editAttestation = {
                $0.extensions.append(MintedExtension(AndroidMint.keyDescription, value: description))
            }
        },
        Change("a key description of junk", .malformed) {
            $0.mint.editTarget = { $0.extensions[1].value = [1, 2, 3] }
        },
        Change("a target of SHA-1", .unsupported) {
            $0.mint.editTarget = { $0.algorithm = MintedAlgorithm("1.2.840.10045.4.1", hash: .sha1) }
        },
        Change("a StrongBox certificate for a key of the TEE", .wrongSecurityLevel) { $0.mint.claim = "StrongBox" },
        Change("an attestation certificate that claims no level", nil) { $0.mint.claim = nil },
        Change("another key than the enrolled one", .wrongKey) { $0.enrolled = TestKey().verifying },
        Change("an RSA key where the description says EC", .wrongKey) { $0.mint.key = rsa },
        Change("a P-384 key where the description says P-256", .wrongKey) {
            $0.mint.key = .p384()
            $0.enrolled = TestKey().verifying
        },
        Change("evidence for the challenge of another enrolment", .wrongChallenge) { $0.challenge = [1] },
        Change("a policy without apps", .wrongApp) { $0.policy.apps = [] },
        Change("a policy without levels", .wrongSecurityLevel) { $0.policy.levels = [] },
        Change("a policy without versions", .unknownVersion) { $0.policy.versions = [] },
        Change("a policy without roots", .untrustedRoot) { $0.policy.roots = [] },
        Change("the default roots", .untrustedRoot) { $0.policy.roots = TrustAnchor.googleHardware },
        Change("rollback resistance that the hardware does not promise", .noRollbackResistance) {
            $0.policy.demandsRollbackResistance = true
        },
        Change("rollback resistance that the system promises alone", .noRollbackResistance) {
            $0.policy.demandsRollbackResistance = true
            $0.mint.description.softwareEnforced[303] = .null
        },
        Change("rollback resistance", nil) {
            $0.policy.demandsRollbackResistance = true
            $0.mint.description.hardwareEnforced[303] = .null
        },
        Change("rollback resistance by Keymaster 2", nil) {
            $0.policy.demandsRollbackResistance = true
            $0.mint.description.hardwareEnforced[703] = .null
        },
        Change("a policy without a patch level", nil) {
            $0.policy.minimumPatchLevel = nil
            $0.mint.description.hardwareEnforced[706] = nil
        },
    ]

    @Test("one change is judged for its own reason, and accepted when undone", arguments: descriptions + paths)
    func changed(_ change: Change) {
        var android = AndroidCase()
        #expect(android.refusal == nil)
        change.apply(&android)
        #expect(android.refusal == change.reason)
    }

    // MARK: A genuine hardware key signs a certificate of the attacker's

    @Test("a fake certificate in front of a genuine chain is refused", arguments: AndroidMint.Form.allCases)
    func chainExtended(_ form: AndroidMint.Form) throws {
        var genuine = AndroidCase()
        genuine.mint.form = form
        let chain = genuine.mint.chain()
        let software = MintedKey.p256()
        let target = TestAuthority(key: genuine.mint.key, named: "Android Keystore Key", certificate: chain[0])
        for extensions in [
            [MintedExtension(AndroidMint.keyDescription, value: genuine.mint.description.der)], [],
            [MintedExtension(AndroidMint.provisioningInfo, value: [0xA0])],
        ] {
            var attack = genuine
            let fake = target.issue(MintedCertificate(named: "Android Keystore Key", spki: software.spki, extensions: extensions))
            attack.editChain = { [fake] + $0 }
            attack.enrolled = try VerifyingKey(x963: software.x963!)
            attack.mint.hasRoot = true
            // The same certificates: the mint would sign others.
            attack.editChain = { _ in [fake] + chain }
            #expect(attack.refusal == .chainExtended)
            attack.editChain = { _ in [fake] + chain.dropLast() }
            #expect(attack.refusal == .chainExtended)
            attack.editChain = { _ in chain }
            #expect(attack.refusal == .wrongKey)
            attack.enrolled = nil
            #expect(attack.refusal == nil)
        }
    }

    @Test func evidenceOfOneUserIsNoneForAnother() throws {
        let (a, b) = (AndroidCase(), AndroidCase())
        var stolen = b
        stolen.editChain = { _ in a.mint.chain() }
        stolen.enrolled = try VerifyingKey(x963: b.mint.key.x963!)
        #expect(stolen.refusal == .wrongKey)
        stolen.enrolled = try VerifyingKey(x963: a.mint.key.x963!)
        stolen.challenge = [7]
        #expect(stolen.refusal == .wrongChallenge)
    }

    @Test("each byte of the target counts: no change of one bit is accepted")
    func everyBit() {
        let android = AndroidCase()
        let chain = android.mint.chain()
        for index in chain[0].indices {
            var changed = android
            changed.editChain = { _ in
                var chain = chain
                chain[0][index] ^= UInt8(1 << (index % 8))
                return chain
            }
            #expect(changed.refusal != nil, "byte \(index)")
        }
    }

    // MARK: The status list

    @Test(
        "a serial number on the list refuses the chain at every position", arguments: AndroidMint.Form.allCases,
        [("REVOKED", .revoked), ("SUSPENDED", .suspended), ("PAUSED", .revoked)] as [(String, EvidenceRefusal.Reason)])
    func revoked(_ form: AndroidMint.Form, _ status: (text: String, reason: EvidenceRefusal.Reason)) throws {
        // One with letters, one of digits only.
        for (serial, bytes) in [
            ("c00fee", [0x00, 0xC0, 0x0F, 0xEE]),
            ("8350192447815228107", [0x08, 0x35, 0x01, 0x92, 0x44, 0x78, 0x15, 0x22, 0x81, 0x07]),
        ] as [(String, [UInt8])] {
            let edit: @Sendable (inout MintedCertificate) -> Void = { $0.serial = bytes }
            let positions: [(inout AndroidCase) -> Void] = [
                { $0.mint.editTarget = edit }, { $0.mint.editAttestation = edit }, { $0.mint.editIntermediate = edit },
                { $0.mint.editServer = edit },
                {
                    $0.mint.root = .root(key: AndroidCase.root.key, edit: edit)
                },
            ]
            let list = try AndroidStatusList(
                json: Array(#"{"entries":{"\#(serial)":{"status":"\#(status.text)","reason":"KEY_COMPROMISE"}}}"#.utf8),
                fetched: AndroidCase.now)
            var refused = 0
            for position in positions {
                var android = AndroidCase()
                android.mint.form = form
                position(&android)
                #expect(android.refusal == nil)
                android.status = list
                if android.refusal == status.reason { refused += 1 } else { #expect(android.refusal == nil) }
            }
            #expect(refused == [.direct: 3, .factory: 4, .remote: 5][form])
        }
    }

    @Test func aKeyOfDigitsIsNotReadAsADecimalNumber() throws {
        var android = AndroidCase()
        // 8350192447815228107 as a decimal number.
        android.mint.editAttestation = { $0.serial = [0x73, 0xE1, 0xB4, 0xA3, 0xA0, 0xC2, 0x3E, 0xCB] }
        android.status = try AndroidStatusList(
            json: Array(#"{"entries":{"8350192447815228107":{"status":"REVOKED"}}}"#.utf8), fetched: android.now)
        #expect(android.refusal == nil)
    }

    @Test("without a list that is young enough, the policy decides", arguments: AndroidStatusPolicy.WhenUnknown.allCases)
    func stale(_ whenUnknown: AndroidStatusPolicy.WhenUnknown) throws {
        var android = AndroidCase()
        android.policy.status = AndroidStatusPolicy(maximumAge: .seconds(100), whenUnknown: whenUnknown)
        let json = Array(#"{"entries":{"33":{"status":"REVOKED"}}}"#.utf8)
        let clean = Array(#"{"entries":{}}"#.utf8)
        func judge(_ list: AndroidStatusList?) -> EvidenceRefusal.Reason? {
            android.status = list
            return android.refusal
        }
        let refusal: EvidenceRefusal.Reason? = whenUnknown == .refuse ? .statusUnknown : nil
        #expect(judge(nil) == refusal)
        #expect(judge(try AndroidStatusList(json: clean, fetched: UnixTime(seconds: 1_799_999_900))) == nil)
        #expect(try android.verdict().isStatusKnown)
        #expect(judge(try AndroidStatusList(json: clean, fetched: UnixTime(seconds: 1_799_999_899))) == refusal)
        if whenUnknown == .accept { #expect(try !android.verdict().isStatusKnown) }
        // What an old list says remains true.
        #expect(judge(try AndroidStatusList(json: json, fetched: UnixTime(seconds: 0))) == .revoked)
    }
}
