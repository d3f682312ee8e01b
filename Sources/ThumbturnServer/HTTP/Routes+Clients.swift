#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

extension Routes {
    /// `grant_type=client_credentials` at the token endpoint.
    func clientCredentials(_ form: Form) async throws -> Response {
        let assertion = try Self.assertion(in: form)
        return Response.json(try await service.clientToken(asserting: assertion, scope: form["scope"]))
    }

    /// The back end that sends a request, if it may do this: by `Authorization: Bearer …` with a token of the client credentials grant,
    /// or by a `client_assertion` in the form where the body is one.
    func client(of request: Request, form: Form? = nil, needing scope: ClientScope) async throws -> Client {
        let client: Client
        if let form, form["client_assertion"] != nil {
            // One way at a time (RFC 6749 section 2.3).
            guard request.headers[.authorization] == nil else { throw RequestError.malformed(error: "invalid_request") }
            client = try await service.client(asserting: try Self.assertion(in: form))
        } else {
            client = try await service.client(bearing: try Self.bearerToken(of: request))
        }
        guard client.scopes.contains(scope) else { throw RequestError.insufficientScope(scope) }
        return client
    }

    private static func assertion(in form: Form) throws -> String {
        guard let assertion = form["client_assertion"] else { throw RequestError.invalidClient(.init(.client, .missing)) }
        guard form["client_assertion_type"] == assertionType else { throw RequestError.malformed(error: "invalid_request") }
        return assertion
    }

    private static func bearerToken(of request: Request) throws -> String {
        let values = request.headers[values: .authorization]
        guard values.count == 1 else { throw RequestError.invalidBearer(.init(.clientToken, .missing)) }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw RequestError.invalidBearer(.init(.clientToken, .missing))
        }
        return String(parts[1])
    }

    /// RFC 7523 section 2.2.
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}
#endif
