public import ThumbturnCore

/// What a device's TPM evidence proves.
public struct TPMVerdict: Hashable, Sendable {
    /// The TPM, as its maker's certificate describes it.
    public let endorsement: TPMEndorsement
    /// Where the keys live: `attestedHardware` in a chip, `software` in a simulator.
    public var protection: KeyProtection { endorsement.protection }
    /// The firmware's version in the maker's numbering. It is made up unless the attestation key belongs to the endorsement
    /// hierarchy, as that of Thumbturn's devices does.
    public let firmwareVersion: UInt64
    /// The keys, in the order of the enrolled ones.
    public let keys: [Key]

    /// What is proved about one key.
    public struct Key: Hashable, Sendable {
        /// The public key.
        public let publicKey: VerifyingKey
        /// The user verification that the key demands at each use.
        public let verification: UserVerification
        /// Why that much is proved.
        public let guarding: Guarding
    }

    /// What the key's use needs.
    public enum Guarding: Hashable, Sendable {
        /// Every process that can load the key can use it.
        case open
        /// The matcher with this thumbprint signs each use, at this value of the enrolment counter. Its matches count as
        /// biometric only if the policy trusts it.
        case matcher(thumbprint: String, isTrusted: Bool, counter: UInt64)
        /// The PIN is shown, and the TPM counts wrong ones. The limit of the count is not proved.
        case pin
    }
}
