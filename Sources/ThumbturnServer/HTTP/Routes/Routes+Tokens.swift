#if Server
import HTTPTypes
import Hummingbird
import NIOCore
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    func health(_: Route.Incoming<Void>) async throws -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain"], body: .init(byteBuffer: ByteBuffer(string: "ok\n")))
    }

    /// Whether this node reaches its database, can open the secrets that are there now, has the latest policies, and a clock that can
    /// follow the time of all nodes, for a balancer: otherwise 503.
    func ready(_ request: Route.Incoming<Void>) async throws -> Response {
        try await service.secrets.keepUp()
        try await service.followTime()
        try await service.agreeOnPolicies()
        return try await health(request)
    }

    /// The server's metadata (RFC 8414).
    func metadata(_: Route.Incoming<Void>) async throws -> Response {
        .json(service.metadata, cacheControl: "public, max-age=300")
    }

    /// The public keys of access tokens (RFC 7517).
    func keySet(_: Route.Incoming<Void>) async throws -> Response {
        try await service.secrets.keepUp()
        return .json(service.jwks, cacheControl: "public, max-age=300")
    }

    /// The token endpoint (RFC 6749 section 3.2).
    func token(_ request: Request, _: ServerContext) async throws -> Response {
        let (form, bytes) = try await Self.form(of: request)
        let asked = try TokenRequest(
            form,
            .init(
                judgesLiveness: service.livenessJudge != nil, exchangesTokens: service.exchangesTokens,
                takesUnlocks: service.takesUnlocks, opensVisits: service.visitLifetime != nil))
        // A back end authenticates by its assertion. Its DPoP proof is by any key that the token is to be bound to; it
        // is judged first, so that a proof without a live nonce does not consume the assertion.
        if case .clientCredentials(let assertion, let scope) = asked {
            var jkt: String?
            if request.headers[.dpop] != nil { jkt = try await self.dpop(of: request, body: bytes).jkt }
            return .json(try await service.clientToken(asserting: assertion, scope: scope, jkt: jkt))
        }
        let dpop = try await dpop(of: request, body: bytes)
        switch asked {
        case .clientCredentials: preconditionFailure("a back end was answered before")
        case .signIn(let proof, let second):
            return .json(try await service.redeem(proof, also: second, dpop: dpop))
        case .stepUp(let proof, let second, let act, let liveness):
            return .json(try await service.stepUp(proof, also: second, act: act, liveness: liveness, dpop: dpop))
        case .stepUpByUnlock(let token, let act):
            return .json(try await service.stepUp(byUnlock: token, act: act, dpop: dpop))
        case .refresh(let token): return .json(try await service.refresh(token, dpop: dpop))
        case .visit(let ticket): return .json(try await service.visit(by: ticket, dpop: dpop))
        case .exchange(let idToken, let challenge):
            return .json(try await service.exchange(idToken, begunBy: challenge, dpop: dpop))
        case .unreadable(let error): throw RequestError.malformed(error: error)
        }
    }

    /// The introspection endpoint (RFC 7662 section 2).
    func introspect(_ form: Form, _ asked: Route.Incoming<Client>) async throws -> Response {
        guard let token = form["token"] else { throw RequestError.malformed(error: .invalidRequest) }
        return .json(try await service.introspect(token, by: asked.caller))
    }

    /// The revocation endpoint (RFC 7009 section 2).
    func revokeToken(_ form: Form, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        guard let token = form["token"] else { throw RequestError.malformed(error: .invalidRequest) }
        try await service.revoke(token: token, dpop: asked.caller)
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }
}
#endif
