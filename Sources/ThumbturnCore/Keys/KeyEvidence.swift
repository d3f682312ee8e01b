/// Evidence of where a device's keys live, in a format that the server judges.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyEvidence: Hashable, Sendable {
    /// Apple's App Attest, for all keys of the request but a PIN key.
    case appAttest(AppAttestEvidence)
    /// Android key attestation, a chain of certificates for each key.
    case androidKey(AndroidKeyEvidence)
    /// A TPM 2.0's statements about all keys of the request but a PIN key.
    case tpm(TPMKeyEvidence)
}

/// Android key attestation of the keys of a device.
public struct AndroidKeyEvidence: Hashable, Sendable {
    /// The challenge that the keys were made for, as received; it names the device's session key alone. Its bound value is
    /// each key's attestation challenge (32 bytes), because a key is attested when it is made, before the challenge that
    /// names the key itself.
    public let challenge: String
    /// The certificates of each key, that of the key first, each in DER, as the Keystore gives them.
    public let chains: [KeyKind: [[UInt8]]]

    /// Evidence as the system gave it.
    public init(challenge: String, chains: [KeyKind: [[UInt8]]]) {
        self.challenge = challenge
        self.chains = chains
    }
}

extension KeyEvidence: CustomStringConvertible {
    /// The kind of evidence, without the keys that it names.
    public var description: String {
        switch self {
        case .appAttest(let evidence): evidence.description
        case .androidKey(let evidence): evidence.description
        case .tpm(let evidence): evidence.description
        }
    }
}

extension AndroidKeyEvidence: CustomStringConvertible {
    /// The kind of evidence, without the certificates, which name the device's own.
    public var description: String { "Android key attestation" }
}
