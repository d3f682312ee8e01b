#if Server
import Foundation
package import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/evidence/tpm`: makes a credential for a TPM, with a DPoP proof and no token.
    ///
    /// A stranger may ask: the chain is capped before it is read, a chain that leads to no trusted root is refused before a
    /// credential is made, and nothing is stored. So a request costs ten signatures and one key agreement at most.
    func activate(_ request: TPMActivationRequest, dpop: DPoPProof) throws -> TPMActivationAnswer {
        guard let policy = settings.evidence.current.tpm else { throw RequestError.notFound }
        let now = time.now
        do throws(EvidenceRefusal) {
            let endorsement = try policy.endorse(request.endorsement, at: now)
            var generator = SystemRandomNumberGenerator()
            let credential = try policy.credential(
                for: endorsement, attestationKey: request.attestationKey, using: &generator)
            return TPMActivationAnswer(
                idObject: credential.idObject, encryptedSeed: credential.encryptedSeed,
                token: activations.issue(credential.expectation, jkt: dpop.jkt, at: now),
                expiresIn: TPMActivations.lifetime.components.seconds)
        } catch {
            var refused = RequestError.unverified(.init(.enrolment, evidence: error.reason))
            refused.explanation = error.explanation
            throw refused
        }
    }

    var activations: TPMActivations { TPMActivations(issuer: settings.publicURL, secrets: secrets.current) }

    /// What judging stored evidence anew came to.
    package struct Rejudged: Hashable, Sendable {
        /// The evidence that was judged.
        package var judged = 0
        /// The evidence that proves less now.
        package var lowered = 0
    }

    /// Judges all stored evidence by a policy, and gives its keys what it proves now. Dates count as of the day on which the
    /// evidence arrived, because certificates expire and keys do not; the status list counts as it is now.
    ///
    /// - Throws: `SetupError.policyOutdated` as soon as another node has used a later version of the policy.
    package func judgeAnew(by policy: EvidencePolicy) async throws -> Rejudged {
        var outcome = Rejudged()
        var last: EvidenceID?
        while true {
            let page = try await store.evidence(after: last, atMost: 100)
            guard let end = page.last else { return outcome }
            for stored in page {
                outcome.judged += 1
                let verdict = try await verdict(on: stored, by: policy)
                if try await store.record(.init(evidence: stored.id, verdict: verdict)) == .lowered { outcome.lowered += 1 }
            }
            last = end.id
        }
    }

    private func verdict(on stored: StoredEvidence, by policy: EvidencePolicy) async throws -> EvidenceVerdict {
        guard let record = try? WireJSON.decode(EvidenceRecord.self, from: Array(stored.record.utf8)) else {
            // One damaged record must not keep the others from being judged.
            return EvidenceVerdict(by: policy, refusal: .malformed)
        }
        var known: AppAttestRecord?
        if case .appAttest(let evidence) = record.evidence, let id = AppAttestRecord.id(of: evidence) {
            known = try await store.appAttestKey(id)
            // This evidence was counted when it arrived.
            known?.counter = 0
        }
        do throws(EvidenceRefusal) {
            let judged = try policy.judge(record, knowing: known, at: stored.receivedAt)
            return EvidenceVerdict(keys: judged.keys, by: policy)
        } catch {
            return EvidenceVerdict(by: policy, refusal: error.reason)
        }
    }

    /// Takes a newer list of revoked Android certificates, and judges all evidence anew. Throws `EvidenceRefusal` for a text
    /// that is no such list, and `SetupError.policyOutdated` if another node has used a later policy; the list is kept then.
    ///
    /// - Returns: what came of it; nil if the list that the server has is newer.
    @discardableResult
    package func adopt(statusList text: [UInt8], fetchedAt time: UnixTime) async throws -> Rejudged? {
        guard try await keep(statusList: text, fetchedAt: time, allowsShorter: false) != nil else { return nil }
        // Other nodes see that the list is newer, and judge by their later policy.
        try await agreeOnPolicies()
        settings.evidence.use(try await evidenceLists())
        return try await judgeAnew(by: settings.evidence.current)
    }

    /// Stores a list of revoked Android certificates that was fetched at this time, or now if that is earlier. Running servers
    /// judge all evidence by it within a minute. A list that is empty or less than half as long as the one before is refused,
    /// because it would take back what was revoked.
    ///
    /// - Parameter allowsShorter: whether such a list is stored all the same.
    /// - Returns: how many certificates it names; nil if the server has one that is as new.
    /// - Throws: `EvidenceRefusal` for a text that is no such list, and `SetupError.statusListShorter`.
    package func keep(statusList text: [UInt8], fetchedAt time: UnixTime, allowsShorter: Bool) async throws -> Int? {
        // A list that is dated in the future would keep out every other list until then.
        let time = min(time, self.time.now)
        let list = try AndroidStatusList(json: text, fetched: time)
        let before = try await evidenceLists().status?.count ?? 0
        guard allowsShorter || (list.count > 0 && list.count * 2 >= before) else {
            throw SetupError.statusListShorter(before: before, now: list.count)
        }
        let stored = EvidenceList(kind: .androidStatus, text: text, fetchedAt: time)
        return try await store.keep(stored, naming: list.count) ? list.count : nil
    }

    /// The lists as they are stored now.
    package func evidenceLists() async throws -> EvidenceLists {
        var stored: [EvidenceList] = []
        for kind in EvidenceList.Kind.allCases { stored += try await store.evidenceList(kind).map { [$0] } ?? [] }
        return try EvidenceLists(stored)
    }

    /// Reads the lists again, which another process may have renewed, and judges all evidence anew after a change of one or
    /// of the policy, and when the process has started: a newer version of this program may judge better. The running server
    /// calls it every minute.
    func keepUpEvidence() async throws {
        // What an older policy demands must not reach the database.
        try await agreeOnPolicies()
        let rules = settings.evidence
        let lists = try await evidenceLists()
        if lists.fetched != rules.current.lists.fetched { rules.use(lists) }
        let policy = rules.current
        // An epoch begins in a database that may lack what was written last, the verdicts among it.
        let epoch = secrets.current.epoch
        guard rules.isDue(policy, in: epoch) else { return }
        try await store.setMinimums(policy.minimums, version: policy.version)
        _ = try await judgeAnew(by: policy)
        // Only now: what stopped half-way is judged again.
        rules.wasJudged(by: policy, in: epoch)
    }
}

extension EvidenceVerdict {
    init(keys: [String: Assurance] = [:], by policy: EvidencePolicy, refusal: EvidenceRefusal.Reason? = nil) {
        self.init(keys: keys, policy: policy.digest, version: policy.version, refusal: refusal?.rawValue)
    }
}

extension AppAttestRecord {
    /// The id that evidence names; nil for a text that is none.
    static func id(of evidence: AppAttestEvidence) -> [UInt8]? {
        Data(base64Encoded: evidence.keyID).map { Array($0) }
    }
}
#endif
