#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension EvidencePolicy {
    /// What evidence proves of each key, by its id, and the App Attest key that it came from.
    struct Judged: Sendable {
        var keys: [String: Assurance]
        var appAttestKey: AppAttestRecord?
    }

    /// Judges evidence: when it arrives, and in the same way whenever it is judged anew. Throws the first check that failed.
    ///
    /// - Parameter known: what the server knows of the App Attest key; nil for a new one.
    func judge(
        _ record: EvidenceRecord, knowing known: AppAttestRecord?, at now: UnixTime
    ) throws(EvidenceRefusal) -> Judged {
        guard let value = Base64URL.decode(record.value) else {
            throw EvidenceRefusal(.malformed, "the bound value is no base64url")
        }
        switch record.evidence {
        case .appAttest(let evidence):
            guard let policy = appAttest else { throw Self.notJudged(record.evidence) }
            return try Self.judge(evidence, boundTo: value, of: record.keys, knowing: known, policy, at: now)
        case .androidKey(let evidence):
            guard let policy = android else { throw Self.notJudged(record.evidence) }
            return Judged(keys: try judge(evidence, boundTo: value, of: record.keys, policy, at: now))
        default: throw Self.notJudged(record.evidence)
        }
    }

    private static func notJudged(_ evidence: KeyEvidence) -> EvidenceRefusal {
        EvidenceRefusal(.unsupported, "the policy judges no \(evidence.description)")
    }

    /// The hardware says of each key that comes with a chain what it demands of the person. A key without one has no
    /// evidence; a chain without a key of this request is refused.
    private func judge(
        _ evidence: AndroidKeyEvidence, boundTo value: [UInt8], of keys: [EvidenceRecord.Key], _ policy: AndroidPolicy,
        at now: UnixTime
    ) throws(EvidenceRefusal) -> [String: Assurance] {
        guard !evidence.chains.isEmpty, Set(evidence.chains.keys).isSubset(of: keys.map(\.kind)) else {
            throw EvidenceRefusal(.wrongKey, "expected chains of the keys of this request, found another one or none")
        }
        var proven: [String: Assurance] = [:]
        for key in keys {
            guard let chain = evidence.chains[key.kind] else { continue }
            guard let point = Base64URL.decode(key.x963), let expected = try? VerifyingKey(x963: point) else {
                throw EvidenceRefusal(.malformed, "the stored key is no point on P-256")
            }
            let verdict = try AndroidKeyAttestation.verify(
                chain, challenge: value, key: expected, policy: policy, status: statusList, at: now)
            proven[key.kid] = verdict.assurance
        }
        return proven
    }

    /// A genuine copy of the app says of each key what it demands of the person.
    private static func judge(
        _ evidence: AppAttestEvidence, boundTo value: [UInt8], of keys: [EvidenceRecord.Key], knowing known: AppAttestRecord?,
        _ policy: AppAttestPolicy, at now: UnixTime
    ) throws(EvidenceRefusal) -> Judged {
        var history = AppAttestVerdict.History.newKey
        if let known {
            guard let key = try? VerifyingKey(x963: known.x963) else {
                throw EvidenceRefusal(.malformed, "the stored App Attest key is no point on P-256")
            }
            history = .known(
                AppAttestKey(
                    publicKey: key, appID: known.appID, environment: known.isProduction ? .production : .development),
                lastCounter: known.counter)
        }
        let verdict = try AppAttestVerdict(of: evidence, boundTo: value, history: history, policy: policy, at: now)
        let proven = keys.map { ($0.kid, Assurance(protection: .attestedApp, verification: $0.kind.userVerification)) }
        return Judged(
            keys: Dictionary(proven, uniquingKeysWith: { first, _ in first }),
            appAttestKey: AppAttestRecord(
                id: verdict.key.id, x963: verdict.key.publicKey.x963, appID: verdict.key.appID,
                isProduction: verdict.key.environment == .production, counter: verdict.counter,
                attestedAt: known?.attestedAt ?? now, receipt: verdict.attestation?.receipt ?? known?.receipt ?? []))
    }
}
#endif
