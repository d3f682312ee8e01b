#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Approvals by the devices of those who are asked. A device shows itself by its session key: whoever is to pay needs not be signed in.
extension AuthorizationServer {
    /// `GET /v1/approvals`.
    func approvals(_ dpop: DPoPProof) async throws -> ApprovalList {
        let device = try await device(dpop)
        let now = time.now
        let open = try await store.openApprovals(of: device.account).filter { $0.state(at: now) == .open }
        return ApprovalList(approvals: open.map { record(of: $0, for: device.account) })
    }

    /// `GET /v1/approvals/{id}`.
    func approval(_ id: String, _ dpop: DPoPProof) async throws -> ApprovalRecord {
        let device = try await device(dpop)
        return record(of: try await approval(id, askedOf: device.account), for: device.account)
    }

    /// `POST /v1/approvals/{id}/decline`.
    func decline(_ id: String, _ dpop: DPoPProof) async throws -> ApprovalRecord {
        let device = try await device(dpop)
        let approval = try await approval(id, askedOf: device.account)
        guard let declined = try await store.decline(approval.id, by: device.account) else {
            throw RequestError.conflict(approval.state(at: time.now).rawValue)
        }
        return record(of: declined, for: device.account)
    }

    /// `POST /v1/approvals/{id}/challenge`: what is to be signed, from the row that is kept. The key ids are echoed without looking.
    func challenge(for id: String, _ request: ApprovalChallengeRequest, _ dpop: DPoPProof) async throws -> ChallengeAnswer {
        let device = try await device(dpop)
        let approval = try await approval(id, askedOf: device.account)
        let now = time.now
        guard approval.state(at: now) == .open, !approval.isSigned(by: device.account) else {
            throw RequestError.conflict(approval.state(at: now).rawValue)
        }
        guard now >= device.coolsOffUntil else { throw RequestError.unverified(.init(.approval, .coolingOff)) }
        var generator = SystemRandomNumberGenerator()
        do throws(VerificationError) {
            let challenge = try challenges.issue(
                approval: approval.id.text, txn: approval.txn, demand: approval.demand, kids: request.kids, jkt: dpop.jkt,
                at: now, using: &generator
            )
            return ChallengeAnswer(challenge: challenge, expiresIn: Purpose.approve.lifetime.components.seconds)
        } catch {
            throw RequestError.malformed(error)
        }
    }

    /// `POST /v1/approvals/{id}/proofs`: one key's signature.
    ///
    /// The order is the rule, as for a sign-in: nothing is spent until the sender has shown the session key that the challenge names.
    /// From then on the challenge is spent. The signature is judged last, so that no answer says whether a PIN is right unless it was
    /// counted.
    func approve(_ id: String, _ request: ApprovalProofRequest, _ dpop: DPoPProof) async throws -> ApprovalRecord {
        let claims: ChallengeClaims
        let spend: Spend
        do {
            guard let challenge = UnverifiedProof.challenge(in: request.proof) else { throw VerificationError.malformed }
            (claims, spend) = try await verified(challenge, for: .approve)
            guard claims.act == id else { throw VerificationError.wrongPurpose }
            guard claims.cnf.jkt == dpop.jkt else { throw VerificationError.foreignKey }
        } catch let refusal as VerificationError {
            throw RequestError.unverified(.init(.approval, refusal)).counting(refusal)
        }

        let judged: (proof: UnverifiedProof, key: EnrolledKey, signature: NewApprovalSignature)
        do {
            judged = try await judge(request, id, claims)
        } catch let refusal as VerificationError {
            _ = try await store.spend([spend])
            throw RequestError.unverified(.init(.approval, refusal)).counting(refusal)
        }
        try await refuseIfPaused(judged.key, spending: [spend])
        counters.verifications.count()
        do throws(VerificationError) {
            try judged.proof.verify(by: try VerifyingKey(x963: judged.key.x963))
        } catch {
            guard let count = try await store.spend([spend], wronglySignedBy: judged.key.kid), judged.key.kind == .pin else {
                throw RequestError.unverified(.init(.approval, error))
            }
            throw RequestError.wrongPIN(after: count)
        }

        await beforeSpending()
        switch try await store.approve(judged.signature, spending: spend) {
        case .done(let approval): return record(of: approval, for: judged.signature.account)
        case .refused: throw RequestError.unverified(.init(.approval, .replayed))
        case .disabled: throw RequestError.wrongPIN(after: PINLedger.limit)
        }
    }

    /// Everything but the signature.
    private func judge(
        _ request: ApprovalProofRequest, _ id: String, _ claims: ChallengeClaims
    ) async throws -> (proof: UnverifiedProof, key: EnrolledKey, signature: NewApprovalSignature) {
        guard let device = try await store.device(withSessionKey: claims.cnf.jkt), let approvalID = ApprovalID(id),
            let approval = try await store.approval(approvalID), approval.accounts.contains(device.account)
        else { throw VerificationError.unknownKey }
        let now = time.now
        guard now >= device.coolsOffUntil else { throw VerificationError.notYetValid }
        guard approval.state(at: now) == .open, !approval.isSigned(by: device.account) else { throw VerificationError.over }
        // The row that is kept counts, not only our own MAC over what it once was.
        guard let txn = claims.txn, let demand = claims.demand, approval.txn == txn, approval.demand == demand else {
            throw VerificationError.changed
        }
        let proof = try UnverifiedProof(request.proof)
        guard claims.kids.contains(proof.kid), let key = device.keys.first(where: { $0.kid == proof.kid }), demand.takes(key.kind)
        else { throw VerificationError.unknownKey }
        if let evidence = request.liveness {
            // What nobody asked for is not judged, and must not look as if it counted.
            guard let level = demand.liveness else { throw VerificationError.malformed }
            try settings.approvals.livenessVendors.judge(evidence, for: proof.challenge, demanding: level, at: now)
        } else if demand.wantsLiveness(with: key.kind) {
            throw VerificationError.insufficient
        }
        let signature = NewApprovalSignature(
            approval: approvalID, account: device.account, kid: key.kid, txn: txn, demand: demand, proof: request.proof,
            liveness: request.liveness, redeemableFor: settings.approvals.redeemableFor
        )
        return (proof, key, signature)
    }

    private func device(_ dpop: DPoPProof) async throws -> EnrolledDevice {
        guard let device = try await store.device(withSessionKey: dpop.jkt) else { throw RequestError.notFound }
        return device
    }

    private func approval(_ id: String, askedOf account: AccountID) async throws -> ApprovalView {
        guard let id = ApprovalID(id), let approval = try await store.approval(id), approval.accounts.contains(account) else {
            throw RequestError.notFound
        }
        return approval
    }
}
#endif
