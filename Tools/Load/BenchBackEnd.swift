#if Tools
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// A back end of the benchmarks, which creates approvals.
package struct BenchBackEnd: Sendable {
    /// Its `client_id`.
    package let id = "load"
    private let key = P256.Signing.PrivateKey()
    /// Its session key signs the DPoP proofs.
    let signer = BenchDevice()

    package init() {}

    /// The public key to register, as an SPKI in PEM.
    package var publicKey: String { key.publicKey.pemRepresentation }

    /// Gets an access token that is valid for 300 s, by an assertion that the back end signs (RFC 7523 section 2.2), and
    /// the nonce that came with it. The token is bound to a key of the back end.
    ///
    /// - Parameter url: the server's public address.
    package func accessToken(
        of url: String, over connection: LoadConnection
    ) async throws -> (token: String, nonce: String) {
        let now = Int(Date().timeIntervalSince1970)
        let input = CompactJWS.signingInput(
            header: Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8),
            payload: Array(
                #"{"aud":"\#(url)","exp":\#(now + 60),"iat":\#(now),"iss":"\#(id)","jti":"\#(UUID().uuidString)","sub":"\#(id)"}"#
                    .utf8)
        )
        let signature = Array(try key.signature(for: input).rawRepresentation)
        let assertion = CompactJWS.compact(signingInput: input, signature: signature)
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        let form = Array("grant_type=client_credentials&client_assertion_type=\(type)&client_assertion=\(assertion)".utf8)
        let fresh = try await nonce(over: connection)
        let proof = dpop("POST", "/v1/token", form, nonce: fresh, of: url)
        let answer = try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded", headers: [("DPoP", proof)], body: form)
        let members = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        guard let token = members?["access_token"] as? String, let next = answer.nonce else {
            throw LoadDevice.Unexpected(description: "no token for the back end: \(String(decoding: answer.body, as: UTF8.self))")
        }
        return (token, next)
    }

    /// The headers of a request with such a token.
    package func headers(
        _ method: String, _ path: String, _ body: [UInt8], token: String, of url: String, over connection: LoadConnection
    ) async throws -> [(String, String)] {
        let fresh = try await nonce(over: connection)
        let proof = dpop(method, path, body, nonce: fresh, token: token, of: url)
        return [("Authorization", "DPoP \(token)"), ("DPoP", proof)]
    }

    private func dpop(
        _ method: String, _ path: String, _ body: [UInt8], nonce: String, token: String? = nil, of url: String
    ) -> String {
        LoadDevice(server: url, session: signer.session)
            .dpop(method, path, method == "GET" ? nil : body, nonce: nonce, token: token)
    }

    private func nonce(over connection: LoadConnection) async throws -> String {
        guard let nonce = try await connection.send("GET", "/health").nonce else {
            throw LoadDevice.Unexpected(description: "no nonce")
        }
        return nonce
    }
}
#endif
