#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    // MARK: The back end that creates an approval

    func createApproval(_ body: ApprovalRequest, _ asked: Route.Incoming<Client>) async throws -> Response {
        let (record, isNew) = try await service.createApproval(body, by: asked.caller)
        return .json(record, status: isNew ? .created : .ok)
    }

    func createdApproval(_ asked: Route.Incoming<Client>) async throws -> Response {
        .json(try await service.approval(try asked.id(), for: asked.caller))
    }

    func withdrawApproval(_ asked: Route.Incoming<Client>) async throws -> Response {
        .json(try await service.withdraw(try asked.id(), by: asked.caller))
    }

    func redeemApproval(_ body: ApprovalRedemption, _ asked: Route.Incoming<Client>) async throws -> Response {
        // One value of visible characters (draft-ietf-httpapi-idempotency-key-header).
        let keys = asked.request.headers[values: .idempotencyKey]
        guard keys.count == 1, ShownText.identifier.holds(keys[0]) else { throw RequestError.malformed() }
        return .json(try await service.redeemApproval(try asked.id(), body, key: keys[0], by: asked.caller))
    }

    // MARK: The device that is asked to approve

    func openApprovals(_ asked: Route.Incoming<SettledDevice>) async throws -> Response {
        .json(try await service.approvals(asked.caller))
    }

    func askedApproval(_ asked: Route.Incoming<SettledDevice>) async throws -> Response {
        .json(try await service.approval(try asked.id(), asked.caller))
    }

    func issueApprovalChallenge(
        _ body: ApprovalChallengeRequest, _ asked: Route.Incoming<SettledDevice>
    ) async throws -> Response {
        .json(try await service.challenge(for: try asked.id(), body, asked.caller))
    }

    func approve(_ body: ApprovalProofRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.approve(try asked.id(), body, asked.caller))
    }

    func decline(_ asked: Route.Incoming<SettledDevice>) async throws -> Response {
        .json(try await service.decline(try asked.id(), asked.caller))
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
#endif
