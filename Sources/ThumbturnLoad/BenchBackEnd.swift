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

    package init() {}

    /// The public key to register, as an SPKI in PEM.
    package var publicKey: String { key.publicKey.pemRepresentation }

    /// Gets an access token that is valid for 300 s, by an assertion that the back end signs (RFC 7523 section 2.2).
    ///
    /// - Parameter url: the server's public address.
    package func accessToken(of url: String, over connection: LoadConnection) async throws -> String {
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
        let answer = try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            body: Array(
                "grant_type=client_credentials&client_assertion_type=\(type)&client_assertion=\(assertion)".utf8)
        )
        let members = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        guard let token = members?["access_token"] as? String else {
            throw LoadDevice.Unexpected(description: "no token for the back end: \(String(decoding: answer.body, as: UTF8.self))")
        }
        return token
    }
}
#endif
