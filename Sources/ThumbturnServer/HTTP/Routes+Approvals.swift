#if Server
import Hummingbird
import HTTPTypes
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    /// Approvals: a back end comes with its Bearer token, a device with a DPoP proof of its session key.
    func addApprovals(to router: Router<ServerContext>) {
        let approvals = router.group("v1/approvals")
        approvals.post { request, _ in
            let client = try await client(of: request, needing: .approvals)
            let body = try Self.decode(ApprovalRequest.self, try await request.bytes(of: "application/json"))
            let (record, isNew) = try await service.createApproval(body, by: client)
            return Response.json(record, status: isNew ? .created : .ok)
        }
        approvals.get { request, _ in
            Response.json(try await service.approvals(try dpop(of: request, body: try await request.cappedBytes())))
        }
        approvals.get("{id}") { request, context in
            let id = try context.parameters.require("id")
            guard request.headers[.authorization] == nil else {
                return Response.json(try await service.approval(id, for: try await client(of: request, needing: .approvals)))
            }
            return Response.json(try await service.approval(id, try dpop(of: request, body: try await request.cappedBytes())))
        }
        approvals.delete("{id}") { request, context in
            let client = try await client(of: request, needing: .approvals)
            return Response.json(try await service.withdraw(try context.parameters.require("id"), by: client))
        }
        approvals.post("{id}/challenge") { request, context in
            let bytes = try await request.bytes(of: "application/json")
            let dpop = try dpop(of: request, body: bytes)
            let body = try Self.decode(ApprovalChallengeRequest.self, bytes)
            return Response.json(try await service.challenge(for: try context.parameters.require("id"), body, dpop))
        }
        approvals.post("{id}/proofs") { request, context in
            let bytes = try await request.bytes(of: "application/json")
            let dpop = try dpop(of: request, body: bytes)
            let body = try Self.decode(ApprovalProofRequest.self, bytes)
            return Response.json(try await service.approve(try context.parameters.require("id"), body, dpop))
        }
        approvals.post("{id}/decline") { request, context in
            let dpop = try dpop(of: request, body: try await request.cappedBytes())
            return Response.json(try await service.decline(try context.parameters.require("id"), dpop))
        }
        approvals.post("{id}/redeem") { request, context in
            let client = try await client(of: request, needing: .approvals)
            let body = try Self.decode(ApprovalRedemption.self, try await request.bytes(of: "application/json"))
            // One value of visible characters (draft-ietf-httpapi-idempotency-key-header).
            let keys = request.headers[values: .idempotencyKey]
            guard keys.count == 1, ShownText.identifier.holds(keys[0]) else { throw RequestError.malformed() }
            let id = try context.parameters.require("id")
            return Response.json(try await service.redeemApproval(id, body, key: keys[0], by: client))
        }
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
#endif
