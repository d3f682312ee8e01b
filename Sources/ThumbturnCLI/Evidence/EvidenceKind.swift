#if Tools
import ThumbturnCore
import ThumbturnMessages

/// The formats of evidence, each with the command that judges it.
enum EvidenceKind: CaseIterable {
    case appAttest, androidChains, tpm

    /// The name of the command after `thumbturn verify`.
    var command: String {
        switch self {
        case .appAttest: "app-attest"
        case .androidChains: "android-chains"
        case .tpm: "tpm"
        }
    }

    /// The members that only a case of this kind has.
    var members: [String] {
        switch self {
        case .appAttest: ["attestation", "attestationClientDataHash", "keyId"]
        case .androidChains: ["chainDerB64"]
        case .tpm: ["Public", "CreateData", "CreateAttestation", "CreateSignature"]
        }
    }

    /// The member `format` of evidence as a device sends it.
    var format: String {
        switch self {
        case .appAttest: AppAttestEvidence.format
        case .androidChains: AndroidKeyEvidence.format
        case .tpm: TPMKeyEvidence.format
        }
    }

    /// A member that evidence of this kind has as a device sends it, and a case never has.
    var sentMember: String {
        switch self {
        case .appAttest: "attested_value"
        case .androidChains: "chains"
        case .tpm: "attestation_key"
        }
    }
}
#endif
