#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The routes of approvals for the devices of the accounts that are asked to approve. A device authenticates by its
/// session key; the person need not be signed in. During its cool-off a device neither sees nor changes approvals.
extension AuthorizationServer {
    /// `GET /v1/approvals`: the open approvals of the device's account.
    func approvals(_ device: SettledDevice) async throws -> ApprovalList {
        let now = time.now
        let open = try await store.openApprovals(of: device.account).filter { $0.state(at: now) == .open }
        return ApprovalList(approvals: open.map { record(of: $0, for: device.account) })
    }

    /// `GET /v1/approvals/{id}`: one approval of the device's account.
    func approval(_ id: String, _ device: SettledDevice) async throws -> ApprovalRecord {
        return record(of: try await approval(id, askedOf: device.account), for: device.account)
    }

    /// `POST /v1/approvals/{id}/decline`: declines an approval for the device's account.
    func decline(_ id: String, _ device: SettledDevice) async throws -> ApprovalRecord {
        let approval = try await approval(id, askedOf: device.account)
        guard let declined = try await store.decline(approval.id, byDeviceOf: device.jkt) else {
            throw RequestError.conflict(.state(approval.state(at: time.now)))
        }
        return record(of: declined, for: device.account)
    }

    /// `POST /v1/approvals/{id}/challenge`: issues the challenge that the device signs, from the stored approval. The
    /// key ids are copied into it without looking them up.
    func challenge(for id: String, _ request: ApprovalChallengeRequest, _ device: SettledDevice) async throws -> ChallengeAnswer {
        let approval = try await approval(id, askedOf: device.account)
        let now = time.now
        guard approval.state(at: now) == .open, !approval.isSigned(by: device.account) else {
            throw RequestError.conflict(.state(approval.state(at: now)))
        }
        var generator = SystemRandomNumberGenerator()
        do throws(VerificationError) {
            let challenge = try challenges.issue(
                approval: approval.id.text, txn: approval.txn, demand: approval.demand, kids: request.kids, jkt: device.jkt,
                at: now, using: &generator
            )
            metrics.countChallenge(.approve)
            return ChallengeAnswer(challenge: challenge, expiresIn: Purpose.approve.lifetime.components.seconds)
        } catch {
            throw RequestError.malformed(error)
        }
    }

    /// `POST /v1/approvals/{id}/proofs`: adds the signature of one key.
    func approve(_ id: String, _ request: ApprovalProofRequest, _ dpop: DPoPProof) async throws -> ApprovalRecord {
        // The server issues no challenge for such an id.
        guard let approvalID = ApprovalID(id) else { throw RequestError(.unopened(.wrongPurpose), .approve) }
        let intent = ApprovalIntent(
            id: approvalID, proof: request.proof, liveness: request.liveness, vendors: settings.approvals.livenessVendors,
            redeemableFor: settings.approvals.redeemableFor)
        let signed = try await run(Ceremony(.approve(intent), proofs: [request.proof], jkt: dpop.jkt)).approval
        return record(of: signed.view, for: signed.account)
    }

    /// The device of a session key. Throws `RequestError` if there is none, or if it is in its cool-off.
    func settledDevice(_ dpop: DPoPProof) async throws -> SettledDevice {
        guard let device = try await store.device(withSessionKey: dpop.jkt),
            let standing = device.keys.first(where: { $0.kind == .session })?.standing(at: time.now), standing.state != .gone
        else { throw RequestError.notFound }
        if let rest = standing.coolOff { throw RequestError.coolsOff(rest, for: .approval) }
        return SettledDevice(account: device.account, jkt: dpop.jkt)
    }

    private func approval(_ id: String, askedOf account: AccountID) async throws -> ApprovalView {
        guard let id = ApprovalID(id), let approval = try await store.approval(id), approval.accounts.contains(account) else {
            throw RequestError.notFound
        }
        return approval
    }
}

/// The device of a session key that signed a request, and that does not cool off.
struct SettledDevice {
    let account: AccountID
    /// The thumbprint of its session key.
    let jkt: String

    fileprivate init(account: AccountID, jkt: String) {
        self.account = account
        self.jkt = jkt
    }
}
#endif
