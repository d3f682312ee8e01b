#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Reads a back end's public key from the text of an operator's file: a JWK, or an SPKI in PEM.
enum ClientKeyFile {
    static func key(_ text: String) throws(SetupError) -> VerifyingKey {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        do {
            guard text.hasPrefix("{") else {
                guard !text.contains("PRIVATE KEY") else { throw SetupError.clientKeyIsPrivate }
                return try VerifyingKey(spki: text)
            }
            let jwk = try WireJSON.decodeClaims(LooseJWK.self, from: Array(text.utf8))
            guard jwk.d == nil else { throw SetupError.clientKeyIsPrivate }
            guard jwk.kty == "EC", jwk.crv == "P-256", let x = Base64URL.decode(jwk.x), let y = Base64URL.decode(jwk.y) else {
                throw VerificationError.unacceptableKey
            }
            return try VerifyingKey(x963: [4] + x + y)
        } catch let error as SetupError {
            throw error
        } catch {
            throw .clientKey
        }
    }

    /// A JWK in an operator's file. Tools add members such as `key_ops`, so unknown members are accepted here.
    private struct LooseJWK: Decodable {
        var kty: String
        var crv: String
        var x: String
        var y: String
        var d: String?
    }
}
#endif
