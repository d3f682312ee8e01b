#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnMessages
public import ThumbturnCore
public import ThumbturnDevice

/// A TPM as a simulated device has it: evidence under a test root, which no default policy trusts.
///
///     var platform = phone.platform()
///     platform.evidence = SimulatedTPM()
///
/// A server trusts it where its policy names the root, and its matches where the policy names `matcher`.
public struct SimulatedTPM: EvidenceSource {
    /// The TPM, with its endorsement key and its attestation key.
    public var mint: TPMMint
    /// The public key of the matcher that guards the biometric keys.
    public let matcher: PublicKey
    /// The counter in the policy of biometric keys.
    public var counter = MintedTPMIndex.counter
    /// Whether the matcher guards biometric keys; otherwise every process can use them.
    public var guardsBiometricKeys = true
    /// What answers the server's credential in place of the right secret; nil for the right one.
    public var secret: [UInt8]?

    /// A TPM with new keys, and a new matcher.
    public init(under authority: TestAuthority = .root(named: "Thumbturn Test TPM Root")) {
        mint = TPMMint(under: authority)
        guard let point = PublicKey(x963: Array(P256.Signing.PrivateKey().publicKey.x963Representation)) else {
            preconditionFailure("a new key has an uncompressed point")
        }
        matcher = point
    }

    /// Asks the server for a credential, opens it, and says that this TPM made the keys. Keys of other kinds than
    /// `biometric` are open.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        let question = TPMActivationRequest(endorsement: mint.chain, attestationKey: mint.attestationKey.bytes)
        let body = try await request.exchange("/v1/evidence/tpm", StrictJSON.encode(question))
        guard let credential = try? StrictJSON.decodeIgnoringUnknown(TPMActivationAnswer.self, from: body),
            let opened = mint.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed)
        else { throw Failure(.unexpectedAnswer) }
        var keys: [KeyKind: TPMKeyEvidence.Key] = [:]
        for (name, key) in request.keys { keys[name.kind] = certified(name.kind, key, boundTo: request.boundValue) }
        return .tpm(
            TPMKeyEvidence(
                endorsement: mint.chain, attestationKey: mint.attestationKey.bytes, token: credential.token,
                secret: secret ?? opened, keys: keys))
    }

    private func certified(_ kind: KeyKind, _ key: PublicKey, boundTo value: [UInt8]) -> TPMKeyEvidence.Key {
        let reference = [UInt8](repeating: 9, count: 32)
        var (area, guarding) = (
            MintedTPMPublic(x963: key.x963, attributes: MintedTPMPublic.open), TPMKeyEvidence.Guarding.open
        )
        if kind == .biometric, guardsBiometricKeys {
            let name = MintedTPMPublic(x963: matcher.x963, attributes: 0x0004_0040).name
            let policy = MintedTPMPolicy().signed(by: name, reference: reference).counter(counter.name, equals: 3)
            area.attributes = MintedTPMPublic.guarded
            area.policy = policy.digest
            guarding = .matcher(matcher, reference: reference, counter: counter.bytes, value: 3)
        }
        let said = mint.certify(area, boundTo: value)
        return TPMKeyEvidence.Key(
            publicArea: said.publicArea, creationData: said.creationData, attestation: said.attestation,
            signature: said.signature, guarding: guarding)
    }
}
