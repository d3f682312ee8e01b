#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

/// What a back end does with its approvals, if more than the message and the id decide the answer.
extension Routes {
    /// Creates an approval, or answers with the one that an equal request has created.
    func createApproval(_ body: ApprovalRequest, _ asked: Route.Incoming<Client>) async throws -> Response {
        let (record, isNew) = try await service.createApproval(body, by: asked.caller)
        return .json(record, status: isNew ? .created : .ok)
    }

    /// Redeems an approval, once for each key of the request (draft-ietf-httpapi-idempotency-key-header).
    func redeemApproval(_ body: ApprovalRedemption, _ asked: Route.Incoming<Client>) async throws -> Response {
        // One value of visible characters.
        let keys = asked.request.headers[values: .idempotencyKey]
        guard keys.count == 1, ShownText.identifier.holds(keys[0]) else { throw RequestError.malformed() }
        return .json(try await service.redeemApproval(try asked.id(), body, key: keys[0], by: asked.caller))
    }
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
#endif
