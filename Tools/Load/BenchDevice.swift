#if Tools
#if canImport(CryptoKit)
package import CryptoKit
#else
package import Crypto
#endif
import ThumbturnCore
import ThumbturnMessages

/// A device of the benchmarks, with its keys and the constant parts of its requests.
package struct BenchDevice: Sendable {
    package let session: P256.Signing.PrivateKey
    package let biometric: P256.Signing.PrivateKey
    package let sessionKid: String
    package let kid: String
    let challengeBody: [UInt8]
    /// The header of a proof in base64url, with the dot that follows it.
    let proofHeader: [UInt8]
    /// The header of a DPoP proof in base64url, with the dot that follows it.
    let dpopHeader: [UInt8]

    package init() {
        session = P256.Signing.PrivateKey()
        biometric = P256.Signing.PrivateKey()
        let jwk = Self.jwk(session)
        sessionKid = Self.thumbprint(jwk)
        kid = Self.thumbprint(Self.jwk(biometric))
        challengeBody = Array(#"{"jkt":"\#(sessionKid)","kids":["\#(kid)"],"purpose":"sign-in"}"#.utf8)
        proofHeader = Self.encoded(#"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#)
        dpopHeader = Self.encoded(
            #"{"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"\#(jwk.x)","y":"\#(jwk.y)"},"typ":"dpop+jwt"}"#)
    }

    package func x963(_ key: P256.Signing.PrivateKey) -> [UInt8] { Array(key.publicKey.x963Representation) }

    private static func encoded(_ header: String) -> [UInt8] { Base64URL.encodedBytes(Array(header.utf8)) + [UInt8(ascii: ".")] }

    private static func thumbprint(_ jwk: JWK) -> String { Base64URL.encode(SHA256.hash(data: jwk.thumbprintInput)) }

    private static func jwk(_ key: P256.Signing.PrivateKey) -> JWK {
        guard let jwk = JWK(x963: Array(key.publicKey.x963Representation)) else {
            preconditionFailure("a P-256 key has an uncompressed point")
        }
        return jwk
    }
}
#endif
