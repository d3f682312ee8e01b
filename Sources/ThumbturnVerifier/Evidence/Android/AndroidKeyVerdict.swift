public import ThumbturnCore

/// What an accepted attestation proved about an Android key.
public struct AndroidKeyVerdict: Hashable, Sendable {
    /// The attested key.
    public let key: VerifyingKey
    /// Where it lives.
    public let level: AndroidSecurityLevel
    /// The user verification that it demands at each use.
    public let verification: UserVerification
    /// The version of the attestation.
    public let version: Int
    /// How the device booted; nil where the hardware does not say.
    public let rootOfTrust: RootOfTrust?
    /// The level of the system's security patches; nil where the hardware does not say.
    public let patchLevel: AndroidPatchLevel?
    /// Whether the hardware promises that a deleted key stays deleted, whatever is restored. Few devices do, and no public API
    /// of Android asks for it.
    public let isRollbackResistant: Bool
    /// The app that asked for the key, by the word of the system.
    public let application: AndroidApplication?
    /// How the attestation key came into the device.
    public let provisioning: AndroidProvisioning
    /// The serial numbers of all certificates of the chain, for later status lists: see `AndroidStatusList.check`.
    public let serials: [String]
    /// Whether a status list that was young enough said that no certificate is revoked.
    public let isStatusKnown: Bool

    /// What the key is worth.
    public var assurance: Assurance {
        Assurance(protection: level == .software ? .software : .attestedHardware, verification: verification)
    }
}

/// Android key attestation: whether a chain of certificates proves what a policy demands of a key.
public enum AndroidKeyAttestation {
    /// Verifies the evidence of one key.
    ///
    /// - Parameters:
    ///   - chain: the certificates in DER as Android's `KeyStore.getCertificateChain` returns them: the key's own first.
    ///   - challenge: what the key was made with (`setAttestationChallenge`). The caller sees to it that it is used once.
    ///   - key: the key that is enrolled.
    ///   - policy: what is demanded.
    ///   - status: the list of revoked certificates; nil where there is none.
    ///   - now: the current time.
    ///   - known: the authorities of chains that were accepted before; those of this one are added.
    /// - Throws: the first check that failed: the chain's form, its path, the status list, then the conditions of the
    ///   policy.
    public static func verify(
        _ chain: [[UInt8]], challenge: [UInt8], key: VerifyingKey, policy: AndroidPolicy, status: AndroidStatusList?,
        at now: UnixTime, knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) -> AndroidKeyVerdict {
        let facts = try AndroidKeyFacts(chain: chain, to: policy.roots, at: now, knowing: &known)
        let isStatusKnown = try policy.status.check(facts.serials, in: status, at: now)
        if let refusal = facts.refusals(by: policy, challenge: challenge, key: key).first { throw refusal }
        return AndroidKeyVerdict(
            key: key, level: facts.description.attestationLevel, verification: facts.verification,
            version: facts.description.version, rootOfTrust: facts.enforced.rootOfTrust,
            patchLevel: facts.enforced.osPatchLevel, isRollbackResistant: facts.isRollbackResistant,
            application: facts.description.softwareEnforced.application,
            provisioning: facts.provisioning,
            serials: facts.serials, isStatusKnown: isStatusKnown)
    }

    /// Verifies the evidence of one key without knowledge of other chains.
    public static func verify(
        _ chain: [[UInt8]], challenge: [UInt8], key: VerifyingKey, policy: AndroidPolicy, status: AndroidStatusList?,
        at now: UnixTime
    ) throws(EvidenceRefusal) -> AndroidKeyVerdict {
        var known = KnownIssuers()
        return try verify(
            chain, challenge: challenge, key: key, policy: policy, status: status, at: now, knowing: &known)
    }
}
