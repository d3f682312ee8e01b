public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// The transactions that this account may approve now, oldest first, without those that this version cannot show.
    /// Silent; it needs no session.
    public func approvals() async throws(Failure) -> [Approval] {
        let list = try await connection.send("GET", to: "/v1/approvals", key: approvingKey(), expecting: ApprovalList.self)
        return list.approvals.compactMap(Approval.init)
    }

    /// Fetches an approval, to be shown.
    ///
    /// - Throws: `approvalOver` where this account has no such approval; `unexpectedAnswer` for one that this version
    ///   cannot show whole.
    public func approval(_ id: String) async throws(Failure) -> Approval {
        try await fetch(id, method: "GET")
    }

    /// Has the person prove the approval of exactly what was shown: `approval.details`.
    ///
    /// The challenge comes from the server and has to hold those bytes, or no key is asked. Each approval has a prompt
    /// of its own: no unlock and no step-up stands in for it, and no other call shares it. Where two keys are demanded,
    /// the sensor answers first and then the PIN.
    ///
    /// - Parameters:
    ///   - approval: the approval as it was shown to the person.
    ///   - language: the language of the prompt's reason, which names the transaction.
    ///   - liveness: runs before the prompt, with the challenge, where evidence is demanded. Its evidence goes to the
    ///     server unread.
    /// - Returns: the approval as it stands afterwards: `open` where another account has to approve as well.
    /// - Throws: what `authenticate` throws; `approvalOver`; `policyDenies` where liveness evidence is demanded and
    ///   there is no check.
    @discardableResult
    public func approve(
        _ approval: Approval, in language: MessageLanguage = .english, liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> Approval {
        let demandsEvidence = approval.demand.liveness != nil
        guard !demandsEvidence || liveness != nil else {
            throw Failure(.policyDenies, hint: "This approval demands liveness evidence: pass a LivenessCheck.")
        }
        let request = request(approval.reason(in: language), approval.policy, .approval)
        return try await platform.prompts.ask(request, on: platform, telling: observe) { (ask) async throws(Failure) in
            let session = try await self.approvingKey()
            let evidence = EvidenceCollector(demandsEvidence ? liveness : nil, for: .approval, on: self.platform)
            let answer = try await self.answer(
                ask, sharesChallenge: false, challenge: self.challenge(for: approval, collecting: evidence)
            ) { [connection = self.connection] (proofs, challenge) async throws(Failure) in
                let proof = ApprovalProofRequest(proof: proofs[0].jws, liveness: evidence[challenge]?.evidence?.jws)
                return try await connection.send(
                    "POST", to: "/v1/approvals/\(approval.id)/proofs", body: .json(Signing.encode(proof)), key: session,
                    expecting: ApprovalRecord.self
                )
            }
            guard let signed = Approval(answer.redeemed), signed.txn == approval.txn else { throw Failure(.unexpectedAnswer) }
            return signed
        }
    }

    /// Tells the server that the person declines. Never prompts; the approval ends for every account that was asked.
    public func decline(_ approval: Approval) async throws(Failure) {
        _ = try await fetch(approval.id, method: "POST", subpath: "/decline")
    }

    private func fetch(_ id: String, method: String, subpath: String = "") async throws(Failure) -> Approval {
        // The id may come from a push message, and becomes part of a path.
        guard Base64URL.decode(id)?.count == 16 else { throw Failure(.approvalOver) }
        let record: ApprovalRecord
        do throws(Failure) {
            record = try await connection.send(
                method, to: "/v1/approvals/\(id)\(subpath)", key: approvingKey(), expecting: ApprovalRecord.self
            )
        } catch {
            guard error.status == .notFound else { throw error }
            throw Failure(.approvalOver, status: error.status)
        }
        guard let approval = Approval(record), approval.id == id else { throw Failure(.unexpectedAnswer) }
        return approval
    }

    /// The live enrolment's session key, which asks for approvals.
    private func approvingKey() async throws(Failure) -> KeyName {
        guard try await liveEnrolment() != nil else { throw Failure(.notEnrolled) }
        return try await liveName(of: .session)
    }

    private nonisolated func challenge(
        for approval: Approval, collecting evidence: EvidenceCollector
    ) -> ChallengeRequester {
        { [connection] (kids, session) async throws(Failure) in
            let since = self.moment
            let challenge = try await connection.challenge(for: approval, kids: kids, key: session)
            // Where two keys are demanded, the second signs a challenge of its own, for which no evidence is demanded.
            let isForSecondKey = approval.demand.keys == [.biometric, .pin] && evidence.isRecent
            guard approval.demand.liveness != nil, !isForSecondKey else { return challenge }
            try await evidence.collect(for: challenge, askedAt: since)
            return challenge
        }
    }
}

extension StepUpAction {
    /// The action that a liveness check is given for an approval.
    public static let approval: StepUpAction = {
        guard let action = StepUpAction("approve", maximumAge: .zero) else {
            preconditionFailure("the name has the right letters")
        }
        return action
    }()
}
