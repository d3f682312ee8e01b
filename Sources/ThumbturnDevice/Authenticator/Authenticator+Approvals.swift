import Foundation
import Synchronization
public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// What this account may approve now, oldest first; without what this version cannot show. Silent, and nobody needs to be signed in.
    public func approvals() async throws(Failure) -> [Approval] {
        let list = try await connection.send("GET", "/v1/approvals", key: try await sessionKey(), expecting: ApprovalList.self)
        return list.approvals.compactMap(Approval.init)
    }

    /// Fetches an approval, to be shown.
    ///
    /// - Throws: `approvalOver` where there is none for this account; `unexpectedAnswer` for one that this version cannot show whole.
    public func approval(_ id: String) async throws(Failure) -> Approval {
        try await send("GET", id)
    }

    /// Has the person prove the approval of exactly what was shown: `approval.details`.
    ///
    /// The challenge comes from the server and has to hold those bytes, or no key is asked. There is a prompt of its own each time; no
    /// unlock and no step-up stands for it, and nobody who asks the same at the same time shares it. Where two keys are demanded, the
    /// sensor answers first and then the PIN.
    ///
    /// - Parameters:
    ///   - approval: as it was shown to the person.
    ///   - language: of the prompt's reason, which names the transaction.
    ///   - liveness: runs before the prompt, with the challenge, where evidence is demanded. It goes to the server unread.
    /// - Returns: the approval as it stands afterwards: `open` where somebody else has to approve as well.
    /// - Throws: what `authenticate` throws; `approvalOver`; `policyDenies` where liveness evidence is demanded and there is no check.
    @discardableResult
    public func approve(
        _ approval: Approval, in language: MessageLanguage = .english, liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> Approval {
        guard approval.demand.liveness == nil || liveness != nil else { throw Failure(.policyDenies) }
        let policy = approval.policy
        let reason = approval.reason(in: language)
        return try await platform.prompts.inTurn(ask(reason, policy), mayShare: false, on: platform) { () async throws(Failure) in
            let session = try await self.sessionKey()
            let asked = AskedForApproval()
            let (_, signed, _) = try await self.answer(
                reason, policy, sharesChallenge: false, ask: self.challenge(for: approval, liveness, notingIn: asked)
            ) { [connection = self.connection] (proofs, challenge) async throws(Failure) in
                let request = ApprovalProofRequest(proof: proofs[0].jws, liveness: asked[challenge.text]?.jws)
                return try await connection.send(
                    "POST", "/v1/approvals/\(approval.id)/proofs", .json(Signing.encode(request)), key: session,
                    expecting: ApprovalRecord.self
                )
            }
            guard let signed = Approval(signed), signed.txn == approval.txn else {
                throw Failure(.unexpectedAnswer)
            }
            return signed
        }
    }

    /// Tells the server that this person does not want it. Never prompts; the approval has ended for everybody who was asked.
    public func decline(_ approval: Approval) async throws(Failure) {
        _ = try await send("POST", approval.id, "/decline")
    }

    private func send(_ method: String, _ id: String, _ rest: String = "") async throws(Failure) -> Approval {
        // It may come from a push message, and becomes part of a path.
        guard Base64URL.decode(id)?.count == 16 else { throw Failure(.approvalOver) }
        let record: ApprovalRecord
        do throws(Failure) {
            record = try await connection.send(
                method, "/v1/approvals/\(id)\(rest)", key: try await sessionKey(), expecting: ApprovalRecord.self
            )
        } catch {
            guard error.status == .init(domain: "HTTP", code: 404) else { throw error }
            throw Failure(.approvalOver, status: error.status)
        }
        guard let approval = Approval(record), approval.id == id else { throw Failure(.unexpectedAnswer) }
        return approval
    }

    private func sessionKey() async throws(Failure) -> KeyName {
        guard try await liveEnrolment() != nil else { throw Failure(.notEnrolled) }
        return try await liveName(of: .session)
    }

    /// The challenge comes first, because the evidence has to name it.
    private nonisolated func challenge(
        for approval: Approval, _ liveness: (any LivenessCheck)?, notingIn asked: AskedForApproval
    ) -> Asking {
        { [connection] (kids, session) async throws(Failure) in
            let since = self.moment
            let challenge = try await connection.challenge(for: approval, kids: kids, key: session)
            // Of two keys the second signs a challenge of its own, and was not asked for evidence.
            let isForSecond = approval.demand.keys == [.biometric, .pin] && asked.isRecent(at: self.moment)
            guard approval.demand.liveness != nil, let liveness, !isForSecond else { return challenge }
            let evidence = try await liveness.evidence(for: challenge.text, action: .approval)
            // The person still has to answer the prompt.
            guard let elapsed = since.elapsed(until: self.moment), elapsed <= challenge.lifetime - .seconds(60) else {
                throw Failure(.timedOut)
            }
            asked.note(challenge.text, since, evidence)
            return challenge
        }
    }
}

extension StepUpAction {
    /// What a liveness check for an approval is told that it is for.
    public static let approval: StepUpAction = {
        guard let action = StepUpAction("approve", maximumAge: .zero) else { preconditionFailure("the name has the right letters") }
        return action
    }()
}

/// The evidence that goes with each challenge of an approval.
private final class AskedForApproval: Sendable {
    private let noted = Mutex<(evidence: [String: LivenessEvidence], since: Moment?)>(([:], nil))

    subscript(challenge: String) -> LivenessEvidence? { noted.withLock { $0.evidence[challenge] } }

    func note(_ challenge: String, _ since: Moment, _ evidence: LivenessEvidence) {
        noted.withLock {
            $0.evidence[challenge] = evidence
            $0.since = since
        }
    }

    /// Whether the last evidence is young enough that its challenge has not been asked for anew because of its age.
    func isRecent(at now: Moment) -> Bool {
        noted.withLock { $0.since }?.elapsed(until: now).map { $0 < .seconds(60) } ?? false
    }
}
