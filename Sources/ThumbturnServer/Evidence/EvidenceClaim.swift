#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The evidence of one request, with what the server knows about it before the ceremony.
struct EvidenceClaim: Sendable {
    var policy = EvidencePolicy.nothing
    /// As received; nil if the request has none.
    var evidence: KeyEvidence?
    /// The challenge that Android's keys were made for, once it was opened; nil for other formats.
    var making: Result<MakingChallenge, VerificationError>?
    /// The credential that the TPM opened, once its token was verified; nil for other formats.
    var activation: Result<TPMActivations.Activation, VerificationError>?
    /// What the server knows of the App Attest key that the evidence names.
    var appAttestKey: AppAttestRecord?

    /// An opened challenge that keys were made for.
    struct MakingChallenge: Sendable {
        var claims: ChallengeClaims
        var spend: Spend
    }

    /// The evidence as it is stored with these keys; nil if there is none that is judged. Throws the first check that
    /// failed.
    ///
    /// - Parameters:
    ///   - keys: the new keys of the request.
    ///   - challenge: the ceremony's challenge, as received.
    ///   - jkt: the thumbprint of the caller's session key.
    ///   - account: the account that the keys are enrolled for.
    func judge(
        _ keys: [RegisteredKey], over challenge: String, jkt: String, of account: AccountID?, at now: UnixTime
    ) throws(EvidenceRefusal) -> NewEvidence? {
        guard let evidence, policy.judges(evidence) else {
            guard policy.withoutEvidence == .lower else {
                throw EvidenceRefusal(
                    .missing, "the policy refuses devices without evidence, and found \(evidence.map(\.description) ?? "none")")
            }
            return nil
        }
        if let owner = appAttestKey?.account, owner != account {
            throw EvidenceRefusal(.wrongKey, "the App Attest key is another account's")
        }
        let keys = keys.filter { $0.kind != .pin }
        let activation = try activation(of: evidence, jkt: jkt)
        let record = EvidenceRecord(
            evidence: evidence, value: try value(of: evidence, keys, over: challenge, jkt: jkt),
            keys: keys.map(EvidenceRecord.Key.init),
            expected: activation.map { Base64URL.encode($0.expectation.digest) })
        let judged = try policy.judge(record, knowing: appAttestKey, at: now)
        if policy.withoutEvidence == .refuse, let bare = keys.first(where: { $0.kind != .session && judged.keys[$0.kid] == nil })
        {
            throw EvidenceRefusal(.missing, "the policy refuses keys without evidence, and the \(bare.kind) key has none")
        }
        return NewEvidence(
            id: .random(), record: json(record), verdict: EvidenceVerdict(keys: judged.keys, by: policy),
            appAttestKey: judged.appAttestKey, spends: [(try? making?.get())?.spend, activation?.spend].compactMap { $0 })
    }

    /// The credential that a TPM's evidence answers; nil for other formats.
    private func activation(
        of evidence: KeyEvidence, jkt: String
    ) throws(EvidenceRefusal) -> TPMActivations.Activation? {
        guard case .tpm = evidence else { return nil }
        switch activation {
        case .success(let activation) where activation.jkt == jkt: return activation
        case .success: throw Self.wrongToken("it is that of another session key")
        case .failure(let error): throw Self.wrongToken("it is \(error.rawValue)")
        case nil: throw Self.wrongToken("there is none")
        }
    }

    private static func wrongToken(_ found: String) -> EvidenceRefusal {
        EvidenceRefusal(.wrongCredential, "the live token of a credential for this device's session key is expected; \(found)")
    }

    /// The value that the evidence has to be bound to, in base64url.
    private func value(
        of evidence: KeyEvidence, _ keys: [RegisteredKey], over challenge: String, jkt: String
    ) throws(EvidenceRefusal) -> String {
        switch evidence {
        case .appAttest, .tpm:
            return Self.value(challenge, keys.map(\.key.thumbprint))
        case .androidKey(let android):
            // The keys were made before the ceremony's challenge, which names them.
            guard case .success(let making) = making, making.claims.cnf.jkt == jkt, making.claims.kids == [jkt] else {
                throw EvidenceRefusal(
                    .wrongChallenge,
                    "the keys were not made for a live challenge of purpose enrol that names this device's session key alone")
            }
            return Self.value(android.challenge, [jkt])
        }
    }

    private static func value(_ challenge: String, _ thumbprints: [String]) -> String {
        Base64URL.encode(SHA256.hash(data: EvidenceBinding.input(challenge: challenge, thumbprints: thumbprints)))
    }
}
#endif
