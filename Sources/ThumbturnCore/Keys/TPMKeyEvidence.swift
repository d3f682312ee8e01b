/// A TPM 2.0's evidence of the keys of a device: the certificate of its endorsement key, the answer to the server's credential,
/// and a statement of its attestation key about each key.
public struct TPMKeyEvidence: Hashable, Sendable {
    /// The certificate of the endorsement key in DER, and those that issued it, in their order. The root may be left out.
    public let endorsement: [[UInt8]]
    /// The attestation key's public area: a `TPMT_PUBLIC`.
    public let attestationKey: [UInt8]
    /// The server's text beside its credential, as received.
    public let token: String
    /// The secret of the credential, which the TPM opened.
    public let secret: [UInt8]
    /// What the TPM says about each key. A PIN key is never among them.
    public let keys: [KeyKind: Key]

    /// Evidence as the TPM gave it.
    public init(
        endorsement: [[UInt8]], attestationKey: [UInt8], token: String, secret: [UInt8], keys: [KeyKind: Key]
    ) {
        self.endorsement = endorsement
        self.attestationKey = attestationKey
        self.token = token
        self.secret = secret
        self.keys = keys
    }

    /// One key, and what `TPM2_CertifyCreation` answered about it (TPM 2.0 Library, part 3, section 18.3).
    public struct Key: Hashable, Sendable {
        /// The key's public area: a `TPMT_PUBLIC`.
        public let publicArea: [UInt8]
        /// The circumstances of its creation: a `TPMS_CREATION_DATA`.
        public let creationData: [UInt8]
        /// What the TPM says: a `TPMS_ATTEST`.
        public let attestation: [UInt8]
        /// The attestation key's signature over it: a `TPMT_SIGNATURE`.
        public let signature: [UInt8]
        /// What the key's use needs.
        public let guarding: Guarding

        /// A statement as the TPM gave it.
        public init(
            publicArea: [UInt8], creationData: [UInt8], attestation: [UInt8], signature: [UInt8], guarding: Guarding
        ) {
            self.publicArea = publicArea
            self.creationData = creationData
            self.attestation = attestation
            self.signature = signature
            self.guarding = guarding
        }
    }

    /// What a key's use needs, with the arguments of its policy, so that a server can compute the policy's digest.
    public enum Guarding: Hashable, Sendable {
        /// Every process that can load the key can use it.
        case open
        /// The matcher with this key signs each use, while a counter has a value. The reference has 32 bytes, and the counter's
        /// public area is a `TPMS_NV_PUBLIC`.
        case matcher(PublicKey, reference: [UInt8], counter: [UInt8], value: UInt64)
        /// A PIN is shown, and this index counts wrong ones. The public area is a `TPMS_NV_PUBLIC`.
        case pin(index: [UInt8], reference: [UInt8])
    }
}

extension TPMKeyEvidence: Redacted {
    /// The kind of evidence, without the certificate, which names the TPM, and without the secret.
    public var description: String { "TPM evidence" }
}

extension TPMKeyEvidence.Key: Redacted {
    /// That this is a statement about a key, without its bytes.
    public var description: String { "TPM evidence of one key" }
}

extension TPMKeyEvidence.Guarding: CustomStringConvertible {
    /// What guards the key, without the references and counters, which name the TPM.
    public var description: String {
        switch self {
        case .open: "open"
        case .matcher: "matcher"
        case .pin: "PIN"
        }
    }
}
