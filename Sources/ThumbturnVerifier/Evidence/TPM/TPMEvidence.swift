/// What a device shows to prove that its keys live in its TPM.
public struct TPMEvidence: Hashable, Sendable {
    /// The certificate of the endorsement key in DER, and those that issued it, in their order. The root may be left out.
    public var endorsement: [[UInt8]]
    /// The attestation key's public area: a `TPMT_PUBLIC`.
    public var attestationKey: [UInt8]
    /// The secret of the `TPMCredential`, which the TPM opened.
    public var secret: [UInt8]
    /// The keys to be enrolled, each with the TPM's statement that it made it.
    public var keys: [Key]

    /// Creates the evidence from what arrived.
    public init(endorsement: [[UInt8]], attestationKey: [UInt8], secret: [UInt8], keys: [Key]) {
        self.endorsement = endorsement
        self.attestationKey = attestationKey
        self.secret = secret
        self.keys = keys
    }

    /// The most keys that evidence may be about: a device enrols four at most.
    public static let mostKeys = 4

    /// One key, and what `TPM2_CertifyCreation` answered about it (TPM 2.0 Library, part 3, section 18.3).
    public struct Key: Hashable, Sendable {
        /// The key's public area: a `TPMT_PUBLIC`.
        public var publicArea: [UInt8]
        /// The circumstances of its creation: a `TPMS_CREATION_DATA`.
        public var creationData: [UInt8]
        /// What the TPM says: a `TPMS_ATTEST`.
        public var attestation: [UInt8]
        /// The attestation key's signature over it: a `TPMT_SIGNATURE`.
        public var signature: [UInt8]
        /// What the device says about the key's policy. It is believed only as far as the policy's digest proves it.
        public var guarding: Guarding

        /// Creates the evidence of one key from what arrived.
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

    /// What a key's use needs, with the arguments of its policy.
    public enum Guarding: Hashable, Sendable {
        /// Every process that can load the key can use it.
        case open
        /// A matcher signs each use, while the enrolment counter has a value.
        case matcher(Matcher)
        /// The PIN is shown, and an index counts wrong ones.
        case pin(PIN)
    }

    /// The arguments of a biometric key's policy.
    public struct Matcher: Hashable, Sendable {
        /// The matcher's public key.
        public var key: VerifyingKey
        /// The reference of the authorizations for this key, 32 bytes.
        public var reference: [UInt8]
        /// The enrolment counter's public area: a `TPMS_NV_PUBLIC`.
        public var counter: [UInt8]
        /// The counter's value that the key is for.
        public var value: UInt64

        /// Creates the arguments from what arrived.
        public init(key: VerifyingKey, reference: [UInt8], counter: [UInt8], value: UInt64) {
            self.key = key
            self.reference = reference
            self.counter = counter
            self.value = value
        }
    }

    /// The arguments of a PIN key's policy.
    public struct PIN: Hashable, Sendable {
        /// The public area of the index that counts wrong PINs: a `TPMS_NV_PUBLIC`.
        public var index: [UInt8]
        /// The reference of the proofs for this key, 32 bytes.
        public var reference: [UInt8]

        /// Creates the arguments from what arrived.
        public init(index: [UInt8], reference: [UInt8]) {
            self.index = index
            self.reference = reference
        }
    }
}
