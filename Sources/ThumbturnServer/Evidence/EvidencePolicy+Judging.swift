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
        case .tpm(let evidence):
            guard let policy = tpm else { throw Self.notJudged(record.evidence) }
            guard
                let expected = record.expected.flatMap({ Base64URL.decode($0) }).flatMap({
                    TPMCredential.Expectation(digest: $0)
                })
            else { throw EvidenceRefusal(.malformed, "the record has no expectation of a credential") }
            return Judged(
                keys: try judge(evidence, boundTo: value, of: record.keys, opening: expected, policy, at: now))
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
        var policy = policy
        if policy.roots == TrustAnchor.googleHardware { policy.roots += lists.androidRoots }
        var proven: [String: Assurance] = [:]
        for key in keys {
            guard let chain = evidence.chains[key.kind] else { continue }
            let point = try key.point
            let verdict = try issuers.verify { (known) throws(EvidenceRefusal) in
                try AndroidKeyAttestation.verify(
                    chain, challenge: value, key: point, policy: policy, status: lists.status, at: now, knowing: &known)
            }
            // Such a key is another one than it is enrolled as.
            guard key.kind == .session || verdict.verification > .none else {
                throw EvidenceRefusal(
                    .wrongAuthentication, "the \(key.kind) key has to demand the person at each use, and demands nothing")
            }
            proven[key.kid] = verdict.assurance
        }
        return proven
    }

    /// The TPM says of each key that it made it, and the digest of the key's policy proves what its use needs. A
    /// biometric key has to be guarded by a matcher; it has what is proved of itself, which is nothing of the person where the
    /// policy does not trust that matcher.
    private func judge(
        _ evidence: TPMKeyEvidence, boundTo value: [UInt8], of keys: [EvidenceRecord.Key],
        opening expectation: TPMCredential.Expectation, _ policy: TPMPolicy, at now: UnixTime
    ) throws(EvidenceRefusal) -> [String: Assurance] {
        var points: [VerifyingKey] = []
        for key in keys { points.append(try key.point) }
        let read = try TPMEvidence(evidence)
        let verdict = try issuers.verify { (known) throws(EvidenceRefusal) in
            try policy.judge(read, of: points, boundTo: value, opening: expectation, at: now, knowing: &known)
        }
        var proven: [String: Assurance] = [:]
        for (key, proved) in zip(keys, verdict.keys) {
            if key.kind == .biometric {
                // Such a key is another one than it is enrolled as.
                guard case .matcher = proved.guarding else {
                    throw EvidenceRefusal(
                        .wrongAuthentication, "a matcher has to guard the biometric key, and \(proved.guarding) guards it")
                }
            }
            proven[key.kid] = Assurance(protection: verdict.protection, verification: proved.verification)
        }
        return proven
    }

    /// A genuine copy of the app says of each key what it demands of the person.
    private static func judge(
        _ evidence: AppAttestEvidence, boundTo value: [UInt8], of keys: [EvidenceRecord.Key], knowing known: AppAttestRecord?,
        _ policy: AppAttestPolicy, at now: UnixTime
    ) throws(EvidenceRefusal) -> Judged {
        // The attestation is judged each time, because the policy may take other roots and devices by now, as of the day on
        // which it arrived, because its certificate expires and the key does not.
        let verdict = try AppAttestVerdict(
            of: evidence, boundTo: value, history: .newKey, policy: policy, at: known?.attestedAt ?? now)
        let last = known?.counter ?? 0
        guard verdict.counter > last else {
            throw EvidenceRefusal(.counterNotGreater, "expected a counter above \(last), found \(verdict.counter)")
        }
        let proven = keys.map { ($0.kid, Assurance(protection: .attestedApp, verification: $0.kind.userVerification)) }
        return Judged(
            keys: Dictionary(proven, uniquingKeysWith: { first, _ in first }),
            appAttestKey: AppAttestRecord(
                id: verdict.key.id, x963: verdict.key.publicKey.x963, appID: verdict.key.appID,
                isProduction: verdict.key.environment == .production, counter: verdict.counter,
                attestedAt: known?.attestedAt ?? now, receipt: verdict.attestation?.receipt ?? []))
    }
}

extension EvidenceRecord.Key {
    /// The key. Throws if the record is damaged.
    fileprivate var point: VerifyingKey {
        get throws(EvidenceRefusal) {
            guard let bytes = Base64URL.decode(x963), let key = try? VerifyingKey(x963: bytes) else {
                throw EvidenceRefusal(.malformed, "the stored key is no point on P-256")
            }
            return key
        }
    }
}

extension TPMEvidence {
    /// The evidence as the verifier reads it.
    init(_ evidence: TPMKeyEvidence) throws(EvidenceRefusal) {
        var keys: [Key] = []
        // In one order, so that the same evidence is always refused for the same reason.
        for (_, key) in evidence.keys.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            keys.append(
                Key(
                    publicArea: key.publicArea, creationData: key.creationData, attestation: key.attestation,
                    signature: key.signature, guarding: try Guarding(key.guarding)))
        }
        self.init(
            endorsement: evidence.endorsement, attestationKey: evidence.attestationKey, secret: evidence.secret, keys: keys)
    }
}

extension TPMEvidence.Guarding {
    fileprivate init(_ guarding: TPMKeyEvidence.Guarding) throws(EvidenceRefusal) {
        switch guarding {
        case .open: self = .open
        case .matcher(let key, let reference, let counter, let value):
            guard let key = try? VerifyingKey(key) else {
                throw EvidenceRefusal(.malformed, "the matcher's key is no point on P-256")
            }
            self = .matcher(TPMEvidence.Matcher(key: key, reference: reference, counter: counter, value: value))
        case .pin(let index, let reference): self = .pin(TPMEvidence.PIN(index: index, reference: reference))
        }
    }
}
#endif
