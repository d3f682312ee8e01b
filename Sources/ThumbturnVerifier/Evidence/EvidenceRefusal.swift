/// Why evidence was refused, for the operator. A client gets one neutral problem type instead.
public struct EvidenceRefusal: Error, Hashable, Sendable {
    /// The check that failed.
    public let reason: Reason
    /// A sentence that names what was expected and what was found. It may quote the evidence, so it is for the operator
    /// alone.
    public let explanation: String

    /// A refusal for one reason.
    public init(_ reason: Reason, _ explanation: String) {
        self.reason = reason
        self.explanation = explanation
    }

    /// The checks of all formats: a closed set of stable codes.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// There is no evidence, and the policy demands it.
        case missing

        // MARK: Form

        /// Something is larger, longer or deeper than its cap.
        case tooLarge = "too_large"
        /// The bytes do not have the form that their standard gives them.
        case malformed
        /// The format, the version or the algorithm is none that this verifier reads.
        case unsupported

        // MARK: The chain of certificates

        /// The chain has more than ten certificates.
        case chainTooLong = "chain_too_long"
        /// The chain does not lead to a root that the policy trusts.
        case untrustedRoot = "untrusted_root"
        /// A certificate is not issued by the next one: its issuer has another name, or the signature is not valid.
        case brokenChain = "broken_chain"
        /// A certificate that issues another one is no certificate authority.
        case notAnAuthority = "not_an_authority"
        /// A certificate is not yet valid.
        case notYetValid = "not_yet_valid"
        /// A certificate is expired.
        case expired
        /// A key is of a kind, size or curve that is not accepted.
        case weakKey = "weak_key"
        /// A certificate has a critical extension that this verifier does not know.
        case unknownCriticalExtension = "unknown_critical_extension"
        /// A certificate follows the one that attests: the attested key signed it.
        case chainExtended = "chain_extended"
        /// Between root and key are other certificates than those by which the platform is known to attest.
        case unknownPath = "unknown_path"
        /// A certificate on the chain is revoked.
        case revoked
        /// A certificate on the chain is suspended.
        case suspended
        /// The status list is missing or too old, and the policy refuses without it.
        case statusUnknown = "status_unknown"

        // MARK: What the evidence is bound to

        /// The evidence is bound to another challenge, or to other keys than those enrolled.
        case wrongChallenge = "wrong_challenge"
        /// The evidence is about another key than the one that it is given for.
        case wrongKey = "wrong_key"
        /// A signature of the evidence itself is not valid.
        case wrongSignature = "wrong_signature"
        /// The evidence is by another app: another app id, package or signing certificate.
        case wrongApp = "wrong_app"
        /// Development evidence where the policy takes production evidence, or the reverse.
        case wrongEnvironment = "wrong_environment"
        /// The counter is not greater than the last one.
        case counterNotGreater = "counter_not_greater"
        /// The key signed something before it was attested.
        case counterNotZero = "counter_not_zero"
        /// The device could not open the credential that was made for its attestation key.
        case wrongCredential = "wrong_credential"

        // MARK: What the evidence says

        /// No certificate has a key description.
        case noKeyDescription = "no_key_description"
        /// The key, or the attestation of it, is at another security level than the policy demands or the chain claims.
        case wrongSecurityLevel = "wrong_security_level"
        /// The key was not generated in the secure hardware.
        case wrongOrigin = "wrong_origin"
        /// The key may be used for something else than signing.
        case wrongPurpose = "wrong_purpose"
        /// The key is not EC P-256 with SHA-256.
        case wrongAlgorithm = "wrong_algorithm"
        /// The key needs no user authentication, or another one than the policy demands.
        case wrongAuthentication = "wrong_authentication"
        /// The key can be used for some time after an authentication.
        case authenticationTimeout = "authentication_timeout"
        /// The device did not boot a verified system, or its bootloader is unlocked.
        case notVerifiedBoot = "not_verified_boot"
        /// The system's security patch is older than the policy demands.
        case oldPatchLevel = "old_patch_level"
        /// The hardware does not promise that a deleted key stays deleted, and the policy demands it.
        case noRollbackResistance = "no_rollback_resistance"
        /// The version of the attestation is not in the policy.
        case unknownVersion = "unknown_version"
        /// The TPM's key has other attributes than the policy demands.
        case wrongAttributes = "wrong_attributes"
        /// The TPM's key has another authorization policy than the one of its kind.
        case wrongPolicyDigest = "wrong_policy_digest"
        /// The structure was not made by a TPM, or is of another type.
        case notFromTPM = "not_from_tpm"
    }
}

extension EvidenceRefusal: CustomStringConvertible {
    /// The reason's code, without the explanation.
    public var description: String { reason.rawValue }
}

extension EvidenceRefusal: CustomDebugStringConvertible {
    /// The reason's code and the explanation, for the operator.
    public var debugDescription: String { "\(reason.rawValue): \(explanation)" }
}
