import Crypto
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// A device with a minted TPM that enrols a session key, a biometric key and a PIN key. Each step can be changed.
struct TPMDevice {
    static let authority = TestAuthority.root(named: "TPM Test Root", key: .p256())
    static let matcher = P256.Signing.PrivateKey()
    static let points = (0..<3).map { _ in Array(P256.Signing.PrivateKey().publicKey.x963Representation) }
    static let reference = [UInt8](repeating: 9, count: 32)
    static let value = [UInt8](repeating: 5, count: 32)

    enum Kind: CaseIterable { case session, biometric, pin }

    var mint: TPMMint
    var policy: TPMPolicy
    var now = UnixTime(seconds: 1_800_000_000)
    /// The value that the device gives to the TPM.
    var value = TPMDevice.value
    var counter = MintedTPMIndex.counter
    var index = MintedTPMIndex.pin
    var created = MintedTPMCreation()
    /// Changes a key before it is certified.
    var area: (Kind, inout MintedTPMPublic) -> Void = { _, _ in }
    /// Changes a statement before it is signed.
    var attest: (Kind, inout MintedTPMAttest) -> Void = { _, _ in }
    /// Changes the evidence on its way.
    var evidence: (inout TPMEvidence) -> Void = { _ in }
    /// The keys that the server enrols.
    var enrolled = TPMDevice.points

    init(curve: TPMMint.Curve = .p256) {
        mint = TPMMint(under: Self.authority, curve: curve)
        policy = TPMPolicy(
            roots: [TPMRoot(try! TrustAnchor(certificate: Self.authority.certificate), kind: .chips)],
            matchers: [Self.key(Self.matcher).thumbprint])
    }

    static func key(_ key: P256.Signing.PrivateKey) -> VerifyingKey {
        try! VerifyingKey(x963: Array(key.publicKey.x963Representation))
    }

    /// A matcher's key as a TPM names it.
    static func name(of key: P256.Signing.PrivateKey) -> [UInt8] {
        MintedTPMPublic(x963: Array(key.publicKey.x963Representation), attributes: 0x0004_0040).name
    }

    func area(_ kind: Kind) -> MintedTPMPublic {
        let policies = MintedTPMPolicy()
        var area =
            switch kind {
            case .session: MintedTPMPublic(x963: Self.points[0], attributes: MintedTPMPublic.open)
            case .biometric:
                MintedTPMPublic(
                    x963: Self.points[1], attributes: MintedTPMPublic.guarded,
                    policy: policies.signed(by: Self.name(of: Self.matcher), reference: Self.reference)
                        .counter(counter.name, equals: 3).digest)
            case .pin:
                MintedTPMPublic(
                    x963: Self.points[2], attributes: MintedTPMPublic.guarded,
                    policy: policies.secret(of: index.name, reference: Self.reference).digest)
            }
        self.area(kind, &area)
        return area
    }

    func guarding(_ kind: Kind) -> TPMEvidence.Guarding {
        switch kind {
        case .session: .open
        case .biometric:
            .matcher(.init(key: Self.key(Self.matcher), reference: Self.reference, counter: counter.bytes, value: 3))
        case .pin: .pin(.init(index: index.bytes, reference: Self.reference))
        }
    }

    func certified(_ kind: Kind) -> TPMEvidence.Key {
        let said = mint.certify(area(kind), created: created, boundTo: value) { attest(kind, &$0) }
        return TPMEvidence.Key(
            publicArea: said.publicArea, creationData: said.creationData, attestation: said.attestation,
            signature: said.signature, guarding: guarding(kind))
    }

    /// The credential of the server, opened by the TPM.
    func open() throws -> (secret: [UInt8], expectation: TPMCredential.Expectation) {
        let endorsement = try policy.endorse(mint.chain, at: now)
        var generator = SeededGenerator(seed: 7)
        let credential = try policy.credential(
            for: endorsement, attestationKey: mint.attestationKey.bytes, using: &generator)
        let secret = try #require(mint.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed))
        return (secret, credential.expectation)
    }

    /// All three steps.
    func judge() throws -> TPMVerdict {
        let (secret, expectation) = try open()
        var shown = TPMEvidence(
            endorsement: mint.chain, attestationKey: mint.attestationKey.bytes, secret: secret,
            keys: Kind.allCases.map { certified($0) })
        evidence(&shown)
        return try policy.judge(
            shown, of: enrolled.map { try VerifyingKey(x963: $0) }, boundTo: Self.value, opening: expectation, at: now)
    }
}
