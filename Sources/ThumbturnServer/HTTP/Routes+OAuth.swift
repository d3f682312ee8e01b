#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

extension Routes {
    /// The endpoints of OAuth beside the token endpoint.
    func addOAuth(to router: Router<ServerContext>) {
        router.get(".well-known/oauth-authorization-server") { _, _ in
            Response.json(service.metadata, cacheControl: "public, max-age=300")
        }
        router.get(".well-known/jwks.json") { _, _ in
            Response.json(service.secrets.current.jwks(at: service.time.now), cacheControl: "public, max-age=300")
        }
        router.post("v1/introspect") { request, _ in
            let form = try await Self.form(request).form
            _ = try await client(of: request, form: form, needing: .introspect)
            guard let token = form["token"] else { throw RequestError.malformed(error: "invalid_request") }
            return Response.json(try await service.introspect(token))
        }
        router.post("v1/revoke") { request, _ in
            let (form, bytes) = try await Self.form(request)
            let dpop = try dpop(of: request, body: bytes)
            guard let token = form["token"] else { throw RequestError.malformed(error: "invalid_request") }
            try await service.revoke(token: token, dpop: dpop)
            return Response(status: .ok, headers: [.cacheControl: "no-store"])
        }
    }

    /// The form of a request, and its bytes.
    static func form(_ request: Request) async throws -> (form: Form, bytes: [UInt8]) {
        let bytes = try await request.bytes(of: "application/x-www-form-urlencoded", error: "invalid_request")
        guard let form = Form(bytes) else { throw RequestError.malformed(error: "invalid_request") }
        return (form, bytes)
    }

    /// Where refusals have the form of RFC 6749 section 5.2: plain JSON.
    static let oauthPaths: Set = ["/v1/token", "/v1/introspect", "/v1/revoke"]
}
#endif
