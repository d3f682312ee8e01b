#if Server
import Foundation
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The routes: each reads its request, asks the service, and writes the answer.
package struct Routes: Sendable {
    let service: AuthorizationServer

    package init(_ service: AuthorizationServer) {
        self.service = service
    }

    package func router() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.add(
            middleware: ProblemMiddleware(
                nonce: { service.nonces.current(at: service.time.now) },
                countStranger: { request, context in
                    try await service.countStranger(Network(request, context, behind: service.settings.trustedProxies))
                },
                catchUp: { try? await service.secrets.reload(atMostOncePerSecond: true) }))
        router.get("health") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/plain"], body: .init(byteBuffer: ByteBuffer(string: "ok\n")))
        }
        addOAuth(to: router)

        router.post("v1/challenges") { request, _ in
            let body = try Self.decode(ChallengeRequest.self, try await request.bytes(of: "application/json"))
            do {
                return Response.json(try service.challenge(body))
            } catch let refusal as VerificationError {
                throw RequestError.malformed(refusal)
            }
        }
        router.post("v1/devices") { request, _ in
            let bytes = try await request.bytes(of: "application/json")
            let dpop = try dpop(of: request, body: bytes)
            return Response.json(try await service.enrol(try Self.decode(EnrolRequest.self, bytes), dpop: dpop), status: .created)
        }
        router.post("v1/token") { request, _ in
            let (form, bytes) = try await Self.form(request)
            // What is not judged must not look as if it counted.
            guard form["liveness"] == nil || (service.livenessJudge != nil && form["act"] != nil) else {
                throw RequestError.malformed(error: "invalid_request")
            }
            // A back end has no session key: it shows itself by an assertion.
            if form["grant_type"] == "client_credentials" { return try await clientCredentials(form) }
            let dpop = try dpop(of: request, body: bytes)
            switch form["grant_type"] {
            case proofGrantType:
                guard let proof = form["proof"] else { throw RequestError.malformed(error: "invalid_request") }
                guard let act = form["act"] else {
                    return Response.json(try await service.redeem(proof, also: form["also"], dpop: dpop))
                }
                return Response.json(
                    try await service.stepUp(proof, also: form["also"], act: act, liveness: form["liveness"], dpop: dpop))
            case "refresh_token":
                guard let token = form["refresh_token"] else { throw RequestError.malformed(error: "invalid_request") }
                return Response.json(try await service.refresh(token, dpop: dpop))
            case TokenExchange.grantType where service.exchangesTokens:
                guard let token = form["subject_token"], form["subject_token_type"] == TokenExchange.idTokenType,
                    [nil, TokenExchange.ticketType].contains(form["requested_token_type"])
                else { throw RequestError.malformed(error: "invalid_request") }
                return Response.json(try await service.exchange(token, dpop: dpop))
            case nil: throw RequestError.malformed(error: "invalid_request")
            default: throw RequestError.malformed(error: "unsupported_grant_type")
            }
        }

        router.get("v1/me") { request, _ in Response.json(service.me(try await caller(request))) }
        router.get("v1/devices") { request, _ in Response.json(try await service.devices(try await caller(request))) }
        // Of other devices there is only the list.
        router.get("v1/devices/{id}") { request, context in
            guard try context.parameters.require("id") == "current" else { throw RequestError.notFound }
            return Response.json(try await service.currentDevice(try dpop(of: request, body: try await request.cappedBytes())))
        }
        router.post("v1/devices/{id}/keys") { request, context in
            guard try context.parameters.require("id") == "current" else { throw RequestError.notFound }
            let bytes = try await request.bytes(of: "application/json")
            let dpop = try dpop(of: request, body: bytes)
            return Response.json(try await service.change(try Self.decode(KeyChangeRequest.self, bytes), dpop: dpop))
        }
        router.delete("v1/devices/{id}") { request, context in
            let id = try context.parameters.require("id")
            if id == "current", request.headers[.authorization] == nil {
                try await service.endDevice(try dpop(of: request, body: try await request.cappedBytes()))
            } else {
                try await service.revoke(id, try await caller(request))
            }
            return Response(status: .noContent)
        }
        addApprovals(to: router)
        addAccountRoutes(to: router)
        addDeviceRoutes(to: router)
        addPlainClients(to: router)
        return router
    }

    static func decode<M: Message>(_ type: M.Type, _ bytes: [UInt8]) throws -> M {
        do throws(VerificationError) {
            return try WireJSON.decode(type, from: bytes)
        } catch {
            throw RequestError.malformed(error)
        }
    }

    /// The request's one DPoP proof, verified, fresh and not seen before.
    func dpop(of request: Request, body: [UInt8], token: String? = nil) throws -> DPoPProof {
        let atResource = token != nil
        let values = request.headers[values: .dpop]
        guard values.count == 1, !values[0].utf8.contains(UInt8(ascii: ",")) else {
            throw RequestError.dpop(.malformed, atResource: atResource)
        }
        let now = service.time.now
        let target = DPoPProof.Request(
            method: request.method.rawValue, uri: service.settings.publicURL + request.uri.path, accessToken: token,
            // A body changes something; DPoP alone would not cover it.
            body: request.method == .get ? nil : body
        )
        do throws(VerificationError) {
            let proof = try DPoPProof(values[0], for: target, fresh: .nonce(isLive: { service.nonces.isLive($0, at: now) }))
            service.counters.verifications.count()
            try service.nonces.admit(proof, at: now)
            return proof
        } catch {
            throw RequestError.dpop(error, atResource: atResource)
        }
    }

    /// The session behind `Authorization: DPoP …`. A bound token that is sent as a bearer token is refused (RFC 9449 section 7.2).
    func caller(_ request: Request) async throws -> Caller {
        try await caller(request, body: try await request.cappedBytes())
    }

    func caller(_ request: Request, body: [UInt8]) async throws -> Caller {
        let values = request.headers[values: .authorization]
        guard values.count == 1 else { throw RequestError.unverified(.init(.token, .missing)) }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "dpop" else { throw RequestError.unverified(.init(.token, .missing)) }
        let token = String(parts[1])
        return try await service.caller(token: token, dpop: try dpop(of: request, body: body, token: token))
    }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension Request {
    /// The body of a request that must have this content type.
    func bytes(of type: String, error: String? = nil) async throws -> [UInt8] {
        let bytes = try await cappedBytes()
        guard let sent = headers[.contentType], sent == type || Self.mediaType(sent) == type else {
            throw RequestError.malformed(status: 415, error: error)
        }
        return bytes
    }

    /// The type without its parameters, in lower case.
    private static func mediaType(_ field: String) -> String? {
        field.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// The body, capped before anything is parsed.
    func cappedBytes() async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > Self.largestBody { throw RequestError.tooLarge }
        do {
            return Array(buffer: try await body.collect(upTo: Self.largestBody))
        } catch is NIOTooManyBytesError {
            throw RequestError.tooLarge
        }
    }

    private static let largestBody = 64 * 1024
}

extension Response {
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store") -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: cacheControl],
            body: .init(byteBuffer: ByteBuffer(bytes: WireJSON.encode(value)))
        )
    }
}
#endif
