import Crypto
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// The evidence of a TPM: what it proves, and one change of each rule.
@Suite struct TPMEvidenceTests {
    @Test("a chip proves where the keys live and what each of them demands", arguments: TPMMint.Curve.allCases)
    func accepted(curve: TPMMint.Curve) throws {
        let verdict = try TPMDevice(curve: curve).judge()
        #expect(verdict.protection == .attestedHardware)
        #expect(verdict.endorsement.manufacturer == TPMManufacturer(id: 0x4946_5800))
        #expect("\(verdict.endorsement.manufacturer) \(verdict.endorsement.model)" == "IFX SLB9670")
        #expect(verdict.endorsement.version == "id:0007" && verdict.endorsement.serials == ["1", "1"])
        #expect(verdict.firmwareVersion == 0x0007_0002_0003_0001)
        #expect(verdict.keys.map(\.publicKey.x963) == TPMDevice.points)
        #expect(verdict.keys.map(\.verification) == [.none, .biometric, .pin])
        let matcher = TPMDevice.key(TPMDevice.matcher).thumbprint
        #expect(
            verdict.keys.map(\.guarding) == [.open, .matcher(thumbprint: matcher, isTrusted: true, counter: 3), .pin])
    }

    @Test func theVerdictHasTheOrderOfTheEnrolledKeys() throws {
        var device = TPMDevice()
        device.enrolled.reverse()
        #expect(try device.judge().keys.map(\.verification) == [.pin, .biometric, .none])
    }

    @Test func theChainMayLackItsRoot() throws {
        var device = TPMDevice()
        device.evidence = { $0.endorsement.removeLast() }
        #expect(try device.judge().protection == .attestedHardware)
    }

    @Test func theAuthoritiesOfAnAcceptedChainAreRemembered() throws {
        var device = TPMDevice()
        device.mint.authority = TPMDevice.authority.authority(named: "Issuer")
        var known = KnownIssuers()
        for _ in 1...2 {
            _ = try device.policy.endorse(device.mint.chain, at: device.now, knowing: &known)
            #expect(known.count == 1, "the authority, and neither the root nor the device's own certificate")
        }
        // A remembered signature is no judgement: dates and trust are judged each time.
        #expect(
            evidenceRefusal {
                _ = try device.policy.endorse(device.mint.chain, at: UnixTime(seconds: 2_208_988_801), knowing: &known)
            } == .expired)
        device.policy.roots = []
        #expect(
            evidenceRefusal { _ = try device.policy.endorse(device.mint.chain, at: device.now, knowing: &known) }
                == .untrustedRoot)
    }

    @Test func aMatcherThatThePolicyDoesNotTrustProvesNoFinger() throws {
        var device = TPMDevice()
        device.policy.matchers = [TPMDevice.key(P256.Signing.PrivateKey()).thumbprint]
        let keys = try device.judge().keys
        #expect(keys.map(\.verification) == [.none, .none, .pin])
        guard case .matcher(_, isTrusted: false, counter: 3) = keys[1].guarding else {
            Issue.record("\(keys[1].guarding)")
            return
        }
    }

    @Test(
        "a simulator's keys count as software",
        arguments: [
            TPMMint.names(manufacturer: "id:00001014", model: "swtpm"), TPMMint.names(manufacturer: "id:49424D00"),
            TPMMint.names(model: "swtpm"), TPMMint.names(manufacturer: "id:53494d33"),
        ])
    func simulators(names: MintedExtension) throws {
        var device = TPMDevice()
        device.mint.certificate.extensions[1] = names
        #expect(evidenceRefusal { _ = try device.judge() } == .wrongSecurityLevel, "by default chips alone are taken")
        device.policy.minimum = .software
        #expect(try device.judge().protection == .software)
        device.policy.roots[0].kind = .testHardware
        #expect(try device.judge().protection == .attestedHardware, "the policy says by name that it is a test")
    }

    @Test func theTPMsOfVirtualMachinesCountAsSoftware() throws {
        var device = TPMDevice()
        device.policy.roots[0].kind = .programs
        #expect(evidenceRefusal { _ = try device.judge() } == .wrongSecurityLevel)
        device.policy.minimum = .software
        #expect(try device.judge().protection == .software)
    }

    @Test func aPolicyWithoutRootsRefusesEveryTPM() {
        var device = TPMDevice()
        device.policy.roots = []
        #expect(evidenceRefusal { _ = try device.judge() } == .untrustedRoot)
    }

    @Test func anEarlierSignatureWithSHA1IsTakenOnlyByName() throws {
        var device = TPMDevice()
        device.mint.attestationKey.parameters = MintedTPMPublic.ecdsa(hash: 0x0004)
        let mint = device.mint
        device.evidence = { evidence in
            for key in evidence.keys.indices {
                evidence.keys[key].signature = mint.sign(evidence.keys[key].attestation, insecureSHA1: true)
            }
        }
        #expect(evidenceRefusal { _ = try device.judge() } == .wrongAlgorithm)
        device.policy.hashes.insert(.insecureSHA1)
        #expect(try device.judge().keys.count == 3)
    }

    @Test func namesMayBeInOneSet() throws {
        var device = TPMDevice()
        let attributes = ["2.23.133.2.3": "1", "2.23.133.2.1": "id:494E5443", "2.23.133.2.2": "PTT"]
        let set = MintedDER.set(attributes.map { MintedDER.sequence([MintedDER.oid($0.key), MintedDER.utf8($0.value)]) })
        device.mint.certificate.extensions[1].value =
            MintedDER.sequence([
                MintedDER.context(2, Array("dns.example".utf8), isConstructed: false),
                MintedDER.context(4, MintedDER.sequence([set])),
            ])
        #expect(try device.judge().endorsement.manufacturer.description == "INTC")
    }

    // MARK: One change of each rule

    /// A change of a device or of its evidence, and why it is refused.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: EvidenceRefusal.Reason
        let apply: @Sendable (inout TPMDevice) -> Void
        var testDescription: String { name }

        init(_ name: String, _ reason: EvidenceRefusal.Reason, _ apply: @escaping @Sendable (inout TPMDevice) -> Void) {
            (self.name, self.reason, self.apply) = (name, reason, apply)
        }
    }

    @Test("a change is refused for its own reason, and without it the evidence is accepted", arguments: changes)
    func change(_ change: Change) throws {
        var device = TPMDevice()
        _ = try device.judge()
        let before = device
        change.apply(&device)
        do {
            _ = try device.judge()
            Issue.record("accepted: \(change.name)")
        } catch let error as EvidenceRefusal {
            #expect(error.reason == change.reason, "\(error.debugDescription)")
            #expect(error.explanation.count > 20)
        }
        _ = try before.judge()
    }

    static let changes: [Change] = [
        chainChanges, attestationKeyChanges, attestationKeyBits, statementChanges, keyChanges, keyBits, guardingChanges,
    ].flatMap { $0 }

    private static let chainChanges: [Change] = [
        Change("a root of the attacker's with the name of ours", .untrustedRoot) {
            $0.mint.authority = .root(named: "TPM Test Root", key: .p256())
        },
        Change("the same without the root", .brokenChain) {
            let attacker = TestAuthority.root(named: "TPM Test Root", key: .p256())
            let certificate = $0.mint.certificate
            $0.evidence = { $0.endorsement = [attacker.issue(certificate)] }
        },
        Change("an endorsement key that the operator revoked", .revoked) {
            $0.policy.revoked = [Array(SHA256.hash(data: $0.mint.certificate.spki))]
        },
        Change("an authority that the operator revoked", .revoked) {
            $0.policy.revoked = [Array(SHA256.hash(data: $0.mint.authority.key.spki))]
        },
        Change("a root that the operator revoked and the device left out", .revoked) {
            $0.policy.revoked = [Array(SHA256.hash(data: $0.mint.authority.key.spki))]
            $0.evidence = { $0.endorsement = Array($0.endorsement.prefix(1)) }
        },
        Change("expired", .expired) { $0.now = UnixTime(seconds: 2_208_988_801) },
        Change("not yet valid", .notYetValid) { $0.now = UnixTime(seconds: 1_577_836_799) },
        Change("a certificate for web servers", .wrongAttributes) {
            $0.mint.certificate.extensions[0] = TPMMint.uses("1.3.6.1.5.5.7.3.1")
        },
        Change("a certificate that does not say its use", .wrongAttributes) { $0.mint.certificate.extensions.remove(at: 0) },
        Change("the endorsement key is an authority", .wrongAttributes) { $0.mint.certificate.extensions[2] = .authority() },
        Change("no names", .malformed) { $0.mint.certificate.extensions.remove(at: 1) },
        Change("a manufacturer that is no id", .malformed) {
            $0.mint.certificate.extensions[1] = TPMMint.names(manufacturer: "id:IFX")
        },
        Change("a manufacturer with a sign", .malformed) {
            $0.mint.certificate.extensions[1] = TPMMint.names(manufacturer: "id:+9465800")
        },
        Change("two manufacturers", .malformed) {
            let (one, two) = (TPMMint.names(), TPMMint.names(manufacturer: "id:00001014"))
            // Both sequences have one member, and heads of two bytes.
            $0.mint.certificate.extensions[1].value = MintedDER.sequence([
                Array(one.value.dropFirst(2)), Array(two.value.dropFirst(2)),
            ])
        },
        Change("a critical extension that is not known", .unknownCriticalExtension) {
            $0.mint.certificate.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0]))
        },
        Change("an RSA endorsement key", .unsupported) { $0.mint.certificate.spki = rsa.spki },
        Change("an RSA key of 16 Kbit", .weakKey) {
            $0.mint.certificate.spki = MintedKey.spki(modulus: [UInt8](repeating: 0xFF, count: 2048))
        },
        Change("a chain of 40 certificates", .chainTooLong) {
            $0.evidence = { $0.endorsement += [[UInt8]](repeating: $0.endorsement[1], count: 38) }
        },
        Change("a certificate too many bytes", .tooLarge) {
            $0.evidence = { $0.endorsement[0] += [UInt8](repeating: 0, count: 8 * 1024) }
        },
        Change("another certificate's signature", .brokenChain) {
            $0.evidence = { $0.endorsement[0][$0.endorsement[0].count - 1] ^= 1 }
        },
    ]
    private static let rsa = MintedKey.rsa()

    private static let attestationKeyBits: [Change] = {
        let bits: [(String, UInt32)] = [
            ("fixedTPM", 1 << 1), ("fixedParent", 1 << 4), ("sensitiveDataOrigin", 1 << 5), ("restricted", 1 << 16),
            ("sign", 1 << 18),
        ]
        return bits.map { name, bit in
            Change("an attestation key without \(name)", .wrongAttributes) { $0.mint.attestationKey.attributes &= ~bit }
        }
    }()

    private static let attestationKeyChanges: [Change] = [
        Change("an attestation key that decrypts", .wrongAttributes) { $0.mint.attestationKey.attributes |= 1 << 17 },
        Change("an attestation key without a scheme", .wrongAlgorithm) {
            $0.mint.attestationKey.parameters = MintedTPMPublic.ecdsa(hash: nil)
        },
        Change("another attestation key than the activated one", .wrongCredential) {
            let (other, value) = (TPMMint(under: TPMDevice.authority), $0.value)
            let session = $0.area(.session)
            $0.evidence = { evidence in
                evidence.attestationKey = other.attestationKey.bytes
                let said = other.certify(session, boundTo: value)
                evidence.keys[0].attestation = said.attestation
                evidence.keys[0].signature = said.signature
            }
        },
        Change("the endorsement of another TPM", .wrongCredential) {
            let chain = TPMMint(under: TPMDevice.authority).chain
            $0.evidence = { $0.endorsement = chain }
        },
        Change("a secret with one wrong bit", .wrongCredential) { $0.evidence = { $0.secret[31] ^= 1 } },
        Change("no secret", .wrongCredential) { $0.evidence = { $0.secret = [] } },
        Change("a secret too long", .wrongCredential) { $0.evidence = { $0.secret += [0] } },
    ]

    private static let statementChanges: [Change] = [
        Change("the bytes do not come from a TPM", .notFromTPM) { $0.attest = { _, attest in attest.magic ^= 1 } },
        Change("a quote", .notFromTPM) {
            $0.attest = { _, attest in
                attest.type = 0x8018
                attest.attested = [0, 0, 0, 1, 0x00, 0x0B, 3, 1, 0, 0] + MintedTPMBytes.sized([UInt8](repeating: 0, count: 32))
            }
        },
        Change("a statement that a key is loaded", .notFromTPM) { $0.attest = { _, attest in attest.type = 0x8017 } },
        Change("a statement about the time", .notFromTPM) { $0.attest = { _, attest in attest.type = 0x8019 } },
        Change("bound to another challenge", .wrongChallenge) { $0.value[0] ^= 1 },
        Change("bound to nothing", .wrongChallenge) { $0.value = [] },
        Change("bound to a part of the value", .wrongChallenge) { $0.value.removeLast() },
        Change("a clock that is neither safe nor unsafe", .malformed) { $0.attest = { _, attest in attest.isSafe = 2 } },
        Change("other creation data", .wrongKey) {
            var other = MintedTPMCreation()
            other.locality = 2
            let bytes = other.bytes
            $0.evidence = { $0.keys[1].creationData = bytes }
        },
        Change("the statement about another key", .wrongKey) {
            $0.evidence = {
                $0.keys[0].attestation = $0.keys[1].attestation
                $0.keys[0].signature = $0.keys[1].signature
            }
        },
        Change("a name with another algorithm", .wrongKey) {
            $0.attest = { _, attest in attest.attested[3] = 0x0C }
        },
        Change("a signature with one wrong bit", .wrongSignature) { $0.evidence = { $0.keys[2].signature[20] ^= 1 } },
        Change("the attestation key of another TPM signed", .wrongSignature) {
            let other = TPMMint(under: TPMDevice.authority)
            $0.evidence = { $0.keys[2].signature = other.sign($0.keys[2].attestation) }
        },
        Change("the statement was changed afterwards", .wrongSignature) { $0.evidence = { $0.keys[2].attestation[60] ^= 1 } },
        Change("a signature with SHA-1", .wrongAlgorithm) {
            let mint = $0.mint
            $0.evidence = { $0.keys[0].signature = mint.sign($0.keys[0].attestation, insecureSHA1: true) }
        },
        Change("a signature of RSA", .wrongAlgorithm) {
            $0.evidence = {
                $0.keys[0].signature = [0x00, 0x14, 0x00, 0x0B] + MintedTPMBytes.sized([UInt8](repeating: 1, count: 256))
            }
        },
        Change("a signature of an unknown scheme", .unsupported) { $0.evidence = { $0.keys[0].signature[1] = 0x1C } },
        Change("a signature with an unknown hash", .unsupported) { $0.evidence = { $0.keys[0].signature[3] = 0x27 } },
        Change("a byte behind the signature", .malformed) { $0.evidence = { $0.keys[0].signature += [0] } },
        Change("a byte behind the statement", .malformed) { $0.attest = { _, attest in attest.attested += [0] } },
        Change("a byte behind the creation data", .malformed) { $0.evidence = { $0.keys[0].creationData += [0] } },
        Change("the statement ends too early", .malformed) { $0.evidence = { $0.keys[0].attestation.removeLast() } },
        Change("the creation data end too early", .malformed) { $0.evidence = { $0.keys[0].creationData.removeLast() } },
        Change("the signature ends too early", .malformed) { $0.evidence = { $0.keys[0].signature.removeLast() } },
        Change("a long statement", .tooLarge) { $0.evidence = { $0.keys[0].attestation += [UInt8](repeating: 0, count: 1024) } },
        Change("long creation data", .tooLarge) {
            $0.evidence = { $0.keys[0].creationData += [UInt8](repeating: 0, count: 1024) }
        },
        Change("a long signature", .tooLarge) { $0.evidence = { $0.keys[0].signature += [UInt8](repeating: 0, count: 1024) } },
        Change("too many banks of registers", .malformed) { $0.created.registers = [0, 0, 0, 17] },
        Change("a long selection of registers", .malformed) { $0.created.registers = [0, 0, 0, 1, 0, 0x0B, 5, 0, 0, 0, 0, 0] },
    ]

    private static let keyChanges: [Change] = [
        Change("evidence for a key that is not enrolled", .wrongKey) {
            $0.enrolled[1] = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        },
        Change("evidence for fewer keys than are enrolled", .wrongKey) { $0.evidence = { $0.keys.removeLast() } },
        Change("evidence for more keys than are enrolled", .wrongKey) { $0.enrolled.removeLast() },
        Change("evidence for no key", .wrongKey) { $0.evidence = { $0.keys = [] } },
        Change("no key is enrolled", .wrongKey) {
            $0.enrolled = []
            $0.evidence = { $0.keys = [] }
        },
        Change("one key is enrolled twice", .wrongKey) { $0.enrolled[2] = $0.enrolled[1] },
        Change("one key twice", .wrongKey) { $0.evidence = { $0.keys[1] = $0.keys[0] } },
        Change("five keys", .tooLarge) { $0.evidence = { $0.keys += [$0.keys[0], $0.keys[0]] } },
        Change("a key on P-224", .weakKey) { edit(&$0, .session) { $0.parameters = MintedTPMPublic.ecdsa(curve: 0x0002) } },
        Change("a key on P-384", .unsupported) { edit(&$0, .session) { $0.parameters = MintedTPMPublic.ecdsa(curve: 0x0004) } },
        Change("a point that is not on the curve", .weakKey) { edit(&$0, .session) { $0.unique[40] ^= 1 } },
        Change("a point without y", .malformed) { edit(&$0, .session) { $0.unique = Array($0.unique.prefix(34)) + [0, 0] } },
        Change("a key of another kind", .unsupported) { edit(&$0, .session) { $0.type = 0x0008 } },
        Change("a name of SHA-1", .wrongAlgorithm) { edit(&$0, .session) { $0.nameHash = 0x0004 } },
        Change("a name of an unknown hash", .unsupported) { edit(&$0, .session) { $0.nameHash = 0x0027 } },
        Change("a key that signs SHA-1", .wrongAlgorithm) {
            edit(&$0, .session) { $0.parameters = MintedTPMPublic.ecdsa(hash: 0x0004) }
        },
        Change("a reserved attribute", .malformed) { edit(&$0, .session) { $0.attributes |= 1 << 30 } },
        Change("a policy of the wrong length", .malformed) { edit(&$0, .biometric) { $0.policy.removeLast() } },
        Change("a byte behind the public area", .malformed) { edit(&$0, .session) { $0.unique += [0] } },
        Change("a long public area", .tooLarge) { edit(&$0, .session) { $0.unique += [UInt8](repeating: 0, count: 1024) } },
        Change("a key derivation", .unsupported) { edit(&$0, .session) { $0.parameters[9] = 0x20 } },
    ]

    private static let keyBits: [Change] = {
        let bits: [(String, UInt32)] = [
            ("fixedTPM", 1 << 1), ("fixedParent", 1 << 4), ("sensitiveDataOrigin", 1 << 5), ("sign", 1 << 18),
            ("userWithAuth", 1 << 6), ("restricted", 1 << 16), ("decrypt", 1 << 17), ("stClear", 1 << 2),
            ("x509sign", 1 << 19),
        ]
        return TPMDevice.Kind.allCases.flatMap { kind in
            bits.map { name, bit in
                Change("a \(kind) key with \(name) the other way round", .wrongAttributes) {
                    edit(&$0, kind) { $0.attributes ^= bit }
                }
            }
        }
    }()

    private static let guardingChanges: [Change] = [
        Change("a session key with a policy", .wrongPolicyDigest) {
            edit(&$0, .session) { $0.policy = [UInt8](repeating: 1, count: 32) }
        },
        Change("a biometric key without a policy", .wrongPolicyDigest) { edit(&$0, .biometric) { $0.policy = [] } },
        Change("a biometric key that needs no counter", .wrongPolicyDigest) {
            edit(&$0, .biometric) {
                $0.policy =
                    MintedTPMPolicy().signed(
                        by: TPMDevice.name(of: TPMDevice.matcher), reference: TPMDevice.reference
                    ).digest
            }
        },
        Change("a matcher of the attacker's in the policy", .wrongPolicyDigest) {
            let counter = $0.counter.name
            edit(&$0, .biometric) {
                $0.policy =
                    MintedTPMPolicy().signed(
                        by: TPMDevice.name(of: P256.Signing.PrivateKey()), reference: TPMDevice.reference
                    ).counter(counter, equals: 3).digest
            }
        },
        Change("another value of the counter", .wrongPolicyDigest) { matcher(&$0) { $0.value += 1 } },
        Change("another reference", .wrongPolicyDigest) { matcher(&$0) { $0.reference[0] ^= 1 } },
        Change("a short reference", .malformed) { matcher(&$0) { $0.reference.removeLast() } },
        Change("another counter", .wrongPolicyDigest) { matcher(&$0) { $0.counter[3] ^= 1 } },
        Change("a counter that any program can write", .wrongPolicyDigest) { $0.counter.attributes &= ~UInt32(0x10) },
        Change("a counter that was never raised", .wrongPolicyDigest) { $0.counter.attributes &= ~UInt32(1 << 29) },
        Change("a counter with a name of SHA-1", .wrongAlgorithm) { $0.counter.nameHash = 0x0004 },
        Change("a counter that is a key", .malformed) { $0.counter.handle = 0x8100_0001 },
        Change("a byte behind the counter", .malformed) { matcher(&$0) { $0.counter += [0] } },
        Change("a PIN key that says that it is biometric", .wrongPolicyDigest) {
            let guarding = $0.guarding(.biometric)
            $0.evidence = { $0.keys[2].guarding = guarding }
        },
        Change("a PIN key that says that it is open", .wrongAttributes) { $0.evidence = { $0.keys[2].guarding = .open } },
        Change("a session key that says that it needs a PIN", .wrongAttributes) {
            let guarding = $0.guarding(.pin)
            $0.evidence = { $0.keys[0].guarding = guarding }
        },
        Change("a PIN index that does not count", .wrongPolicyDigest) { $0.index.attributes &= ~UInt32(0xF0) },
        Change("a PIN index whose count the PIN can write", .wrongPolicyDigest) { $0.index.attributes |= 1 << 2 },
        Change("a PIN index whose count the owner can write", .wrongPolicyDigest) { $0.index.attributes |= 1 << 1 },
        Change("another PIN index", .wrongPolicyDigest) { pin(&$0) { $0.index[3] ^= 1 } },
        Change("another reference of the PIN", .wrongPolicyDigest) { pin(&$0) { $0.reference[0] ^= 1 } },
        Change("a long reference of the PIN", .malformed) { pin(&$0) { $0.reference += [0] } },
    ]

    private static func edit(
        _ device: inout TPMDevice, _ kind: TPMDevice.Kind, _ change: @escaping @Sendable (inout MintedTPMPublic) -> Void
    ) {
        device.area = { edited, area in if edited == kind { change(&area) } }
    }

    private static func matcher(_ device: inout TPMDevice, _ change: @escaping (inout TPMEvidence.Matcher) -> Void) {
        guard case .matcher(var said) = device.guarding(.biometric) else { return }
        change(&said)
        device.evidence = { [said] in $0.keys[1].guarding = .matcher(said) }
    }

    private static func pin(_ device: inout TPMDevice, _ change: @escaping (inout TPMEvidence.PIN) -> Void) {
        guard case .pin(var said) = device.guarding(.pin) else { return }
        change(&said)
        device.evidence = { [said] in $0.keys[2].guarding = .pin(said) }
    }
}
