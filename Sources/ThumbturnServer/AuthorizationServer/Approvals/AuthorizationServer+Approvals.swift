#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The routes of approvals for the back ends that create them: dynamic linking (SCA-RTS Article 5). The routes for
/// devices are in `AuthorizationServer+Approving.swift`.
extension AuthorizationServer {
    /// `POST /v1/approvals`: creates an approval. The transaction is encoded once, in a canonical form. The device
    /// shows and signs these bytes, and the server compares them and never encodes the transaction again.
    func createApproval(_ request: ApprovalRequest, by client: Client) async throws -> (ApprovalRecord, isNew: Bool) {
        let shortest = Duration.seconds(30)
        let lifetime = request.expiresIn.map { Duration.seconds($0) } ?? settings.approvals.lifetime
        guard let account = AccountID(request.account), (shortest...settings.approvals.longestLifetime).contains(lifetime) else {
            throw RequestError.malformed()
        }
        let second = request.secondAccount.map { AccountID($0) }
        // An account is not its own second approver.
        if let second { guard let second, second != account else { throw RequestError.malformed() } }
        let txn = try Self.txn(of: request.transaction)
        let demand = try demand(of: request)
        // A level of liveness that no trusted vendor is certified for could never be met.
        if let level = demand.liveness, !settings.approvals.canJudge(level) { throw RequestError.malformed(.insufficient) }
        let new = NewApproval(
            id: .random(), creator: client.id, transactionID: request.transaction.id, account: account, second: second ?? nil,
            txn: txn, demand: demand, lifetime: lifetime, cap: settings.approvals.openPerAccount
        )
        switch try await store.create(new) {
        case .made(let approval): return (record(of: approval), isNew: true)
        case .exists(let approval): return (record(of: approval), isNew: false)
        case .unknownAccount: throw RequestError.notFound
        case .tooMany: throw RequestError.conflict(.tooManyOpen)
        case .tooFast(let wait): throw RequestError.tooManyRequests(.init(.approval, .overloaded), retryAfter: wait)
        case .redeemed: throw RequestError.conflict(.state(.redeemed))
        case .notAllowed: throw RequestError.insufficientScope(nil)
        }
    }

    /// `GET /v1/approvals/{id}`, called by the approval's creator.
    func approval(_ id: String, for client: Client) async throws -> ApprovalRecord {
        record(of: try await approval(id, createdBy: client))
    }

    /// `DELETE /v1/approvals/{id}`, called by the approval's creator: withdraws it.
    func withdraw(_ id: String, by client: Client) async throws -> ApprovalRecord {
        let approval = try await approval(id, createdBy: client)
        guard let withdrawn = try await store.withdraw(approval.id, by: client.id) else {
            throw RequestError.conflict(.state(approval.state(at: time.now)))
        }
        return record(of: withdrawn)
    }

    /// `POST /v1/approvals/{id}/redeem`: redeems an approval once. The call is idempotent: a creator that lost the
    /// answer repeats the call with the same `Idempotency-Key` and gets the same answer.
    func redeemApproval(
        _ id: String, _ request: ApprovalRedemption, key: String, by client: Client
    ) async throws -> ApprovalProof {
        let approval = try await approval(id, createdBy: client)
        let redemption = Redemption(
            approval: approval.id, creator: client.id, key: key, txn: try Self.txn(of: request.transaction),
            // The key is looked up in the transaction too: an operator may have revoked the one of a moment ago.
            receipt: { [secrets, publicURL = settings.publicURL] approval, now, edition in
                let secrets = secrets.current
                guard secrets.edition == edition else { throw StoreError.anotherEpoch }
                return try secrets.signer(at: now).sign(
                    ApprovalReceipt(
                        iss: publicURL, aud: client.id, iat: now, approval: approval.id.text,
                        txnHash: Base64URL.encode(SHA256.hash(data: Base64URL.decode(approval.txn) ?? [])),
                        approvedBy: approval.signatures.map(Self.signer)
                    ))
            }
        )
        await beforeSpending()
        switch try await store.redeem(redemption) {
        case .redeemed(let approval):
            counters.redemptions.count()
            return try Self.proof(of: approval)
        case .changed: throw RequestError.conflict(.changed)
        case .not(let state): throw RequestError.conflict(.state(state))
        case .unknown: throw RequestError.notFound
        case .notAllowed: throw RequestError.insufficientScope(nil)
        }
    }

    /// What an approval demands: the policy's demands of its action, and the request's own where they are stricter.
    private func demand(of request: ApprovalRequest) throws -> ApprovalDemand {
        let (own, table) = (request.demand ?? .oneKey, settings.stepUp.current)
        // Only an action that the creator has named has to be in the policy.
        let name = request.action ?? request.transaction.defaultAction.flatMap { table.actions[$0] == nil ? nil : $0 }
        guard let name else { return own }
        guard let ask = ActionAsk(name, amount: request.transaction.amount) else { throw RequestError.malformed() }
        let demanded: ActionDemand
        do throws(StepUpTable.Unasked) {
            demanded = try table.demand(for: ask)
        } catch {
            throw RequestError(.denied(error), .stepUp)
        }
        let demand = demanded.approvalDemand(
            atLeast: own, hasSecondApprover: request.secondAccount != nil, judges: settings.approvals.canJudge)
        // No key of a format that is judged could meet it.
        guard let demand, settings.evidence.current.canReach(demand.assurance ?? .withoutEvidence) else {
            throw RequestError.malformed(.insufficient)
        }
        return demand
    }

    /// The record of an approval.
    ///
    /// - Parameter account: the account whose device asks; nil if the creator asks.
    func record(of approval: ApprovalView, for account: AccountID? = nil) -> ApprovalRecord {
        ApprovalRecord(
            id: approval.id.text, state: approval.state(at: time.now), txn: approval.txn, demand: approval.demand,
            from: approval.creator, createdAt: approval.createdAt, expiresAt: approval.expiresAt,
            signed: account.map(approval.isSigned)
        )
    }

    private func approval(_ id: String, createdBy client: Client) async throws -> ApprovalView {
        // An approval of another back end is reported as not found, even if that back end was removed and had this
        // one's name.
        guard let id = ApprovalID(id), let approval = try await store.approval(id), approval.creator == client.id,
            approval.createdAt >= client.createdAt
        else { throw RequestError.notFound }
        return approval
    }

    private static func signer(_ signature: ApprovalSignature) -> ApprovalReceipt.Signer {
        ApprovalReceipt.Signer(
            account: signature.account.text, device: signature.device.text, kind: signature.kind, kid: signature.kid,
            enrolledAt: signature.enrolledAt, enrolledBy: signature.enrolledBy,
            acr: signature.assurance.acr,
            at: signature.at, proofHash: signature.proof.map { Base64URL.encode(SHA256.hash(data: Array($0.utf8))) }
        )
    }

    private static func proof(of approval: ApprovalView) throws -> ApprovalProof {
        ApprovalProof(
            txn: approval.txn,
            signatures: try approval.signatures.compactMap { signature in
                guard let proof = signature.proof else { return nil }
                return ApprovalProof.Signature(
                    challenge: try UnverifiedProof(proof).challenge, proof: proof,
                    publicKey: try VerifyingKey(x963: signature.x963).jwk, liveness: signature.liveness
                )
            },
            receipt: approval.redemption?.receipt ?? ""
        )
    }

    /// The canonical bytes of a transaction, in base64url: sorted members, no spaces, and every value a string.
    private static func txn(of transaction: ApprovalTransaction) throws -> String {
        let bytes = WireJSON.encode(transaction)
        guard bytes.count <= ApprovalTransaction.largest else { throw RequestError.malformed() }
        return Base64URL.encode(bytes)
    }
}
#endif
