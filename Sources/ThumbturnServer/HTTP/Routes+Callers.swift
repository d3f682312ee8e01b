#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Authenticates the callers of routes.
///
/// The order is always the same: read the body, judge the DPoP proof that covers it, then parse it. So the answer to a
/// request without the key does not depend on the content of its body. (A form is parsed before, because it may have a
/// back end's assertion.)
extension Routes {
    // MARK: Anyone

    /// A route without authentication and without a body.
    func anyone(_ handler: @escaping Route.Handler<Void>) -> Route.Access {
        Route.Access(credentials: [.none], coolOff: .noDevice) { request, context in
            try await handler(Route.Incoming(request: request, context: context, caller: ()))
        }
    }

    /// A route without authentication that takes a JSON message.
    func anyone<Body: Message>(json handler: @escaping Route.BodyHandler<Body, Void>) -> Route.Access {
        Route.Access(credentials: [.none], coolOff: .noDevice) { request, context in
            let body = try Self.decode(Body.self, try await request.bytes(of: .json))
            return try await handler(body, Route.Incoming(request: request, context: context, caller: ()))
        }
    }

    // MARK: Session keys

    /// A route for the holder of a session key. The handler looks up the device of the key, which may have none.
    ///
    /// - Parameter rule: what the device may do during its cool-off. `settledKey` is for a route that is refused then.
    func sessionKey(_ rule: Route.KeyRule, _ handler: @escaping Route.Handler<DPoPProof>) -> Route.Access {
        Route.Access(credentials: [.sessionKey], coolOff: rule.coolOff) { request, context in
            let dpop = try await dpop(of: request, body: try await request.cappedBytes())
            return try await handler(Route.Incoming(request: request, context: context, caller: dpop))
        }
    }

    /// A route for the holder of a session key that takes a JSON message.
    func sessionKey<Body: Message>(
        _ rule: Route.KeyRule, json handler: @escaping Route.BodyHandler<Body, DPoPProof>
    ) -> Route.Access {
        Route.Access(credentials: [.sessionKey], coolOff: rule.coolOff) { request, context in
            let bytes = try await request.bytes(of: .json)
            let dpop = try await dpop(of: request, body: bytes)
            return try await handler(
                try Self.decode(Body.self, bytes), Route.Incoming(request: request, context: context, caller: dpop))
        }
    }

    /// A route for the holder of a session key that takes a form.
    func sessionKey(_ rule: Route.KeyRule, form handler: @escaping Route.BodyHandler<Form, DPoPProof>) -> Route.Access {
        Route.Access(credentials: [.sessionKey], coolOff: rule.coolOff) { request, context in
            let (form, bytes) = try await Self.form(of: request)
            let dpop = try await dpop(of: request, body: bytes)
            return try await handler(form, Route.Incoming(request: request, context: context, caller: dpop))
        }
    }

    /// A route for the session key of a device that does not cool off.
    func settledKey(_ handler: @escaping Route.Handler<SettledDevice>) -> Route.Access {
        Route.Access(credentials: [.sessionKey], coolOff: .refused) { request, context in
            let dpop = try await dpop(of: request, body: try await request.cappedBytes())
            let device = try await service.settledDevice(dpop)
            return try await handler(Route.Incoming(request: request, context: context, caller: device))
        }
    }

    /// A route for the session key of a device that does not cool off, which takes a JSON message.
    func settledKey<Body: Message>(json handler: @escaping Route.BodyHandler<Body, SettledDevice>) -> Route.Access {
        Route.Access(credentials: [.sessionKey], coolOff: .refused) { request, context in
            let bytes = try await request.bytes(of: .json)
            let dpop = try await dpop(of: request, body: bytes)
            let body = try Self.decode(Body.self, bytes)
            let device = try await service.settledDevice(dpop)
            return try await handler(body, Route.Incoming(request: request, context: context, caller: device))
        }
    }

    // MARK: Access tokens

    /// A route for a signed-in device.
    func accessToken(_ rule: Route.TokenRule, _ handler: @escaping Route.Handler<Caller>) -> Route.Access {
        Route.Access(credentials: [.accessToken], coolOff: rule.coolOff) { request, context in
            let caller = try await caller(of: request, body: try await request.cappedBytes())
            try admit(caller, under: rule, context)
            return try await handler(Route.Incoming(request: request, context: context, caller: caller))
        }
    }

    /// A route for a signed-in device that takes a JSON message.
    func accessToken<Body: Message>(
        _ rule: Route.TokenRule, json handler: @escaping Route.BodyHandler<Body, Caller>
    ) -> Route.Access {
        Route.Access(credentials: [.accessToken], coolOff: rule.coolOff) { request, context in
            let bytes = try await request.bytes(of: .json)
            let caller = try await caller(of: request, body: bytes)
            let body = try Self.decode(Body.self, bytes)
            try admit(caller, under: rule, context)
            return try await handler(body, Route.Incoming(request: request, context: context, caller: caller))
        }
    }

    /// A route for a signed-in device, and for the holder of a session key who sends no access token. During its cool-off a
    /// device may do everything there.
    func accessToken(
        _ handler: @escaping Route.Handler<Caller>, orSessionKey other: @escaping Route.Handler<DPoPProof>
    ) -> Route.Access {
        let (first, second) = (accessToken(.allowed, handler), sessionKey(.allowed, other))
        return Route.Access(credentials: first.credentials + second.credentials, coolOff: .allowed) { request, context in
            try await (request.headers[.authorization] == nil ? second : first).answer(request, context)
        }
    }

    // MARK: Back ends

    /// A route for a back end with a scope.
    func backEnd(_ scope: ClientScope, _ handler: @escaping Route.Handler<Client>) -> Route.Access {
        Route.Access(credentials: [.backEnd(scope)], coolOff: .noDevice) { request, context in
            let client = try await client(of: request, body: try await request.cappedBytes(), needing: scope)
            return try await handler(Route.Incoming(request: request, context: context, caller: client))
        }
    }

    /// A route for a back end with a scope that takes a JSON message.
    func backEnd<Body: Message>(
        _ scope: ClientScope, json handler: @escaping Route.BodyHandler<Body, Client>
    ) -> Route.Access {
        Route.Access(credentials: [.backEnd(scope)], coolOff: .noDevice) { request, context in
            let bytes = try await request.bytes(of: .json)
            let client = try await client(of: request, body: bytes, needing: scope)
            return try await handler(
                try Self.decode(Body.self, bytes), Route.Incoming(request: request, context: context, caller: client))
        }
    }

    /// A route for a back end with a scope that takes a form. The form may carry the back end's assertion.
    func backEnd(_ scope: ClientScope, form handler: @escaping Route.BodyHandler<Form, Client>) -> Route.Access {
        Route.Access(credentials: [.backEnd(scope)], coolOff: .noDevice) { request, context in
            let (form, bytes) = try await Self.form(of: request)
            let client = try await client(of: request, body: bytes, form: form, needing: scope)
            return try await handler(form, Route.Incoming(request: request, context: context, caller: client))
        }
    }

    /// A route for a back end with a scope, and for the session key of a device that does not cool off and sends no access token.
    func backEnd(
        _ scope: ClientScope, _ handler: @escaping Route.Handler<Client>,
        orSettledKey other: @escaping Route.Handler<SettledDevice>
    ) -> Route.Access {
        let (first, second) = (backEnd(scope, handler), settledKey(other))
        return Route.Access(credentials: first.credentials + second.credentials, coolOff: second.coolOff) { request, context in
            try await (request.headers[.authorization] == nil ? second : first).answer(request, context)
        }
    }

    /// The token endpoint, where the grant decides which credentials are needed.
    func sessionKeyOrBackEnd(_ handler: @escaping @Sendable (Request, ServerContext) async throws -> Response) -> Route.Access {
        Route.Access(credentials: [.sessionKey, .backEnd(nil)], coolOff: .byCeremony, answer: handler)
    }

    // MARK: The checks

    /// Refuses what the caller's device may not do during its cool-off.
    private func admit(_ caller: Caller, under rule: Route.TokenRule, _ context: ServerContext) throws {
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
