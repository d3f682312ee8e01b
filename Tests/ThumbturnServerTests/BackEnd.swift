#if Tools
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
import ThumbturnServer
import ThumbturnVerifier

/// A back end with its key, as an operator registers it.
struct BackEnd: Sendable {
    let id: String
    let url: String
    var key = P256.Signing.PrivateKey()
    let connection: LoadConnection

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

    /// Posts a form with this assertion.
    func post(_ path: String, _ fields: String, asserting assertion: String) async throws -> LoadConnection.Answer {
        try await connection.send(
            "POST", path, type: "application/x-www-form-urlencoded",
            body: Array("\(fields)&client_assertion_type=\(Self.assertionType)&client_assertion=\(assertion)".utf8)
        )
    }

    /// Asks for a token.
    func token(at now: UnixTime, scope: String? = nil) async throws -> LoadConnection.Answer {
        let fields = "grant_type=client_credentials" + (scope.map { "&scope=\($0)" } ?? "")
        return try await post("/v1/token", fields, asserting: try assertion(at: now))
    }

    /// A token, which is sent as `Authorization: Bearer …`.
    func accessToken(at now: UnixTime) async throws -> String {
        let answer = try await token(at: now)
        guard let answer = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
            let token = answer["access_token"] as? String
        else { throw LoadDevice.Unexpected(description: answer.text) }
        return token
    }
}

extension LiveServer {
    /// A new back end that is registered.
    func backEnd(_ scopes: Set<ClientScope>, named name: String = "bank") async throws -> BackEnd {
        let backEnd = BackEnd(id: name, url: url, connection: try await connect())
        let key = try VerifyingKey(x963: Array(backEnd.key.publicKey.x963Representation))
        try await service.addClient(named: name, scopes: scopes, keys: [key])
        return backEnd
    }
}
#endif
