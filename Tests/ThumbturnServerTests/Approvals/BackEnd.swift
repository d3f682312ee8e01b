#if Tools
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
import ThumbturnServer

/// A back end with its key, as an operator registers it.
struct BackEnd: Sendable {
    let id: String
    let url: String
    var key = P256.Signing.PrivateKey()
    /// The key that its tokens are bound to.
    var tokenKey = P256.Signing.PrivateKey()
    let connection: LoadConnection

    /// Makes its DPoP proofs.
    var signer: LoadDevice { LoadDevice(server: url, session: tokenKey) }

    static let assertionType = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"

    /// An assertion of this moment, for the issuer. `claims` and `header` change it.
    func assertion(
        at now: UnixTime, by other: P256.Signing.PrivateKey? = nil, header: [String: any Sendable] = [:],
        claims: [String: any Sendable] = [:]
    ) throws -> String {
        let header = ["alg": "ES256", "typ": "JWT"].merging(header) { $1 }
        let claims = [
            "iss": id, "sub": id, "aud": url, "jti": Identifier<BackEnd>.random().text, "iat": now.seconds,
            "exp": now.seconds + 60,
        ].merging(claims) { $1 }
        let input = CompactJWS.signingInput(
            header: Array(try JSONSerialization.data(withJSONObject: header)),
            payload: Array(try JSONSerialization.data(withJSONObject: claims.filter { !($0.value is Absent) }))
        )
        let signature = try (other ?? key).signature(for: input).rawRepresentation
        return CompactJWS.compact(signingInput: input, signature: Array(signature))
    }

    /// In the place of a claim that is left out.
    struct Absent: Sendable {}

    /// Posts a form with this assertion, to the token endpoint with a DPoP proof.
    ///
    /// - Parameter isBound: false for a request without the proof.
    func post(
        _ path: String, _ fields: String, asserting assertion: String, isBound: Bool = true
    ) async throws -> LoadConnection.Answer {
        let body = Array("\(fields)&client_assertion_type=\(Self.assertionType)&client_assertion=\(assertion)".utf8)
        var headers: [(String, String)] = []
        if path == "/v1/token", isBound { headers = [("DPoP", signer.dpop("POST", path, body, nonce: try await nonce()))] }
        return try await connection.send(
            "POST", path, type: "application/x-www-form-urlencoded", headers: headers, body: body)
    }

    /// Asks for a token.
    ///
    /// - Parameter isBound: false for a token that is bound to no key.
    func token(at now: UnixTime, scope: String? = nil, isBound: Bool = true) async throws -> LoadConnection.Answer {
        let fields = "grant_type=client_credentials" + (scope.map { "&scope=\($0)" } ?? "")
        return try await post("/v1/token", fields, asserting: try assertion(at: now), isBound: isBound)
    }

    func nonce() async throws -> String {
        guard let nonce = try await connection.send("GET", "/health").nonce else {
            throw LoadDevice.Unexpected(description: "no nonce")
        }
        return nonce
    }

    /// The headers of a request with a bound token.
    func headers(
        _ method: String, _ path: String, _ body: [UInt8] = [], by token: String
    ) async throws -> [(String, String)] {
        let proof = signer.dpop(method, path, method == "GET" ? nil : body, nonce: try await nonce(), token: token)
        return [("Authorization", "DPoP \(token)"), ("DPoP", proof)]
    }

    /// A token, which is sent as `Authorization: DPoP …` or, without a key, as `Authorization: Bearer …`.
    func accessToken(at now: UnixTime, isBound: Bool = true) async throws -> String {
        let answer = try await token(at: now, isBound: isBound)
        guard let answer = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
            let token = answer["access_token"] as? String
        else { throw LoadDevice.Unexpected(description: answer.text) }
        return token
    }
}

extension LiveServer {
    /// A new back end that is registered.
    func backEnd(
        _ scopes: Set<ClientScope>, named name: String = "bank", limits: ClientLimits = ClientLimits(),
        allowsBearer: Bool = false
    ) async throws -> BackEnd {
        let backEnd = BackEnd(id: name, url: url, connection: try await connect())
        let key = backEnd.key.publicKey.pemRepresentation
        try await server.addClient(named: name, scopes: scopes, keys: [key], limits: limits, allowsBearer: allowsBearer)
        return backEnd
    }
}
#endif
