#if Server
import Crypto
public import ThumbturnCore
import ThumbturnMessages
public import ThumbturnVerifier

/// Which evidence of keys a server judges, and what it demands of accounts.
///
/// A format without a policy is not judged: such evidence raises nothing and is not stored. Evidence of a judged format that
/// is refused refuses the whole request.
public struct EvidencePolicy: Sendable {
    /// Apple's App Attest; nil where it is not judged.
    public var appAttest: AppAttestPolicy?
    /// Android key attestation; nil where it is not judged. Its own least verification is `none`: what each key demands
    /// becomes its assurance.
    public var android: AndroidPolicy?
    /// TPM 2.0; nil where it is not judged.
    public var tpm: TPMPolicy?
    /// What the server has from outside beside the policy.
    package var lists = EvidenceLists()
    /// What happens to a device that brings no evidence of a judged format.
    public var withoutEvidence: WithoutEvidence
    /// The least assurance of the keys of accounts by group; the empty name is that of accounts without a group. A key below
    /// it authorises nothing, full credentials open no session, and a device without a key that reaches it is not enrolled.
    public var minimums: [String: Assurance]
    /// The version of the file, if it has one; see `docs/cluster.md`.
    package var version: Int64?
    /// Base64url SHA-256 of the file that the policy was read from. Where it names files of roots, it is that of the SHA-256 of
    /// all of them, one behind the other. Empty for a policy that a program made.
    package var digest = ""
    /// The authorities of chains that were accepted before, by every copy of this policy.
    let issuers = IssuerMemory()

    /// What happens to a device that brings no evidence.
    public enum WithoutEvidence: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is enrolled, and its keys count as `software` and as unverified.
        case lower
        /// It is not enrolled.
        case refuse
    }

    /// A policy that judges no format.
    public init(withoutEvidence: WithoutEvidence, minimums: [String: Assurance] = [:]) {
        self.withoutEvidence = withoutEvidence
        self.minimums = minimums
    }

    /// No evidence is judged, and none is demanded.
    public static let nothing = EvidencePolicy(withoutEvidence: .lower)

    /// Every assurance that a key can have.
    var assurances: [Assurance] {
        var seen: Set<Assurance> = []
        let all =
            [Assurance.withoutEvidence]
            + (appAttest == nil ? [] : Self.verifications.map { Assurance(protection: .attestedApp, verification: $0) })
            + (android == nil ? [] : Self.verifications.map { Assurance(protection: .attestedHardware, verification: $0) })
            + (tpm?.protections ?? []).flatMap { protection in
                [UserVerification.none, .pin, .biometric].map { Assurance(protection: protection, verification: $0) }
            }
        return all.filter { seen.insert($0).inserted }
    }

    /// Whether a key can have an assurance, by what is judged.
    func canReach(_ demanded: Assurance) -> Bool { assurances.contains { $0.meets(demanded) } }

    private static let verifications: [UserVerification] = [.none, .passcode, .biometric]

    /// Whether evidence of a format is judged.
    func judges(_ evidence: KeyEvidence) -> Bool {
        switch evidence {
        case .appAttest: appAttest != nil
        case .androidKey: android != nil
        case .tpm: tpm != nil
        }
    }
}

extension TPMPolicy {
    /// The protections that the keys of its TPMs can have.
    fileprivate var protections: [KeyProtection] {
        let best: KeyProtection = roots.contains { $0.kind != .programs } ? .attestedHardware : .software
        return [KeyProtection.software, .attestedHardware].filter { ($0 >= minimum) && ($0 <= best) }
    }
}
#endif
