#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Authenticates the callers of routes.
extension Routes {
    /// A route without authentication.
    func anyone(_ handler: Route.Handler<Void>) -> Route.Access {
        access(.none, .noDevice, handler, authenticate: { _, _ in }, admit: { _, _ in })
    }

    /// A route for the holder of a session key. The handler looks up the device of the key, which may have none.
    ///
    /// - Parameter rule: what the device may do during its cool-off. `settledKey` is for a route that is refused then.
    func sessionKey(_ rule: Route.KeyRule, _ handler: Route.Handler<DPoPProof>) -> Route.Access {
        access(.sessionKey, rule.coolOff, handler) { request, sent in
            try await dpop(of: request, body: sent.bytes)
        } admit: { dpop, _ in
            dpop
        }
    }

    /// A route for the session key of a device that does not cool off.
    func settledKey(_ handler: Route.Handler<SettledDevice>) -> Route.Access {
        access(.sessionKey, .refused, handler) { request, sent in
            try await dpop(of: request, body: sent.bytes)
        } admit: { dpop, _ in
            try await service.settledDevice(dpop)
        }
    }

    /// A route for a signed-in device.
    func accessToken(_ rule: Route.TokenRule, _ handler: Route.Handler<Caller>) -> Route.Access {
        access(.accessToken, rule.coolOff, handler) { request, sent in
            try await caller(of: request, body: sent.bytes)
        } admit: { caller, context in
            try requireSettled(caller, under: rule, context)
            return caller
        }
    }

    /// A route for a signed-in device, and for the holder of a session key who sends no access token. During its cool-off a
    /// device may do everything there.
    func accessToken(
        _ handler: Route.Handler<Caller>, orSessionKey other: Route.Handler<DPoPProof>
    ) -> Route.Access {
        byAuthorization(accessToken(.allowed, handler), or: sessionKey(.allowed, other), .allowed)
    }

    /// A route for a back end with a scope. A form may carry the back end's assertion.
    func backEnd(_ scope: ClientScope, _ handler: Route.Handler<Client>) -> Route.Access {
        access(.backEnd(scope), .noDevice, handler) { request, sent in
            try await client(of: request, body: sent.bytes, form: sent.form, needing: scope)
        } admit: { client, _ in
            client
        }
    }

    /// A route for a back end with a scope, and for the session key of a device that does not cool off and sends no access token.
    func backEnd(
        _ scope: ClientScope, _ handler: Route.Handler<Client>, orSettledKey other: Route.Handler<SettledDevice>
    ) -> Route.Access {
        byAuthorization(backEnd(scope, handler), or: settledKey(other), .refused)
    }

    /// The token endpoint, where the grant decides which credentials are needed.
    func sessionKeyOrBackEnd(_ handler: @escaping @Sendable (Request, ServerContext) async throws -> Response) -> Route.Access {
        Route.Access(credentials: [.sessionKey, .backEnd(nil)], coolOff: .byCeremony, answer: handler)
    }

    // MARK: The checks

    /// A route with one kind of credentials. The order is the same for every route: read the body, authenticate its sender
    /// by a DPoP proof that covers the body, parse it, refuse what the caller may not do during its cool-off, answer. So the
    /// answer to a request without the key does not depend on the content of its body, and only the authenticated device is
    /// told that it is in its cool-off. (A form is parsed when it is read, because it may have a back end's assertion.)
    private func access<Proven, Admitted>(
        _ credentials: Route.Credentials, _ coolOff: Route.CoolOffRule, _ handler: Route.Handler<Admitted>,
        authenticate: @escaping @Sendable (Request, Route.Sent) async throws -> Proven,
        admit: @escaping @Sendable (Proven, ServerContext) async throws -> Admitted
    ) -> Route.Access {
        Route.Access(credentials: [credentials], coolOff: coolOff) { request, context in
            let sent = try await handler.read(request)
            let proven = try await authenticate(request, sent)
            let answer = try handler.parse(sent)
            let caller = try await admit(proven, context)
            return try await answer(Route.Incoming(request: request, context: context, caller: caller))
        }
    }

    /// A route with two kinds of credentials: `second` is for requests without the header `Authorization`.
    private func byAuthorization(
        _ first: Route.Access, or second: Route.Access, _ coolOff: Route.CoolOffRule
    ) -> Route.Access {
        Route.Access(credentials: first.credentials + second.credentials, coolOff: coolOff) { request, context in
            try await (request.headers[.authorization] == nil ? second : first).answer(request, context)
        }
    }

    /// Refuses what the caller's device may not do during its cool-off.
    private func requireSettled(_ caller: Caller, under rule: Route.TokenRule, _ context: ServerContext) throws {
        switch rule {
        case .allowed: return
        case .refused: try service.requireSettled(caller)
        case .itselfOnly: try service.requireSettled(caller, toChange: context.parameters.get("id"))
        }
    }

    /// Verifies the only DPoP proof of a request: for this method, this URL and this body, fresh and not seen before.
    ///
    /// - Parameter token: the access token that the proof has to cover, at a resource.
    func dpop(of request: Request, body: [UInt8], token: String? = nil) async throws -> DPoPProof {
        let atResource = token != nil
        guard let text = request.dpopProof else { throw RequestError.dpop(.malformed, atResource: atResource) }
        let target = request.dpopTarget(at: service.settings.publicURL, accessToken: token, body: body)
        do {
            return try await service.admit(text, for: target)
        } catch let error as VerificationError {
            throw RequestError.dpop(error, atResource: atResource)
        }
    }

    /// The session of the access token in `Authorization: DPoP …`. A bound token that is sent as a bearer token is
    /// refused (RFC 9449 section 7.2).
    func caller(of request: Request, body: [UInt8]) async throws -> Caller {
        guard let token = request.authorization(scheme: "DPoP") else {
            throw RequestError.unverified(.init(.token, .missing))
        }
        return try await service.caller(token: token, dpop: try await dpop(of: request, body: body, token: token))
    }

    /// The back end that sends a request, if it has this scope.
    ///
    /// It authenticates by a token of the client credentials grant, in `Authorization: DPoP …` with a DPoP proof or, if
    /// the operator allows it, in `Authorization: Bearer …`; or by a `client_assertion` in the form where the body is
    /// one; one way at a time (RFC 6749 section 2.3). Its request is counted against its rate.
    private func client(
        of request: Request, body: [UInt8], form: Form? = nil, needing scope: ClientScope
    ) async throws -> Client {
        let client: Client
        if let form, form["client_assertion"] != nil {
            guard request.headers[.authorization] == nil else { throw RequestError.malformed(error: .invalidRequest) }
            client = try await service.client(asserting: try TokenRequest.clientAssertion(in: form))
        } else if let token = request.authorization(scheme: "DPoP") {
            let proof = try await dpop(of: request, body: body, token: token)
            client = try await service.client(token: token, boundTo: proof.jkt)
        } else {
            guard let token = request.authorization(scheme: "Bearer") else {
                throw RequestError.invalidToken(.init(.clientToken, .missing))
            }
            client = try await service.client(token: token, boundTo: nil)
        }
        try service.admit(client)
        guard client.scopes.contains(scope) else { throw RequestError.insufficientScope(scope) }
        return client
    }

    /// The network that wrong attempts of this request count against.
    func network(of request: Request, _ context: ServerContext) -> Network {
        Network(request, context.remoteAddress, behind: service.settings.trustedProxies)
    }
}
#endif
