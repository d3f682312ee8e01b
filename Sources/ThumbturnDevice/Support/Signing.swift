#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
package import ThumbturnCore
package import ThumbturnMessages

/// The bytes that the device signs.
package enum Signing {
    /// The RFC 7638 thumbprint of a public key, which is its id.
    package static func thumbprint(of key: PublicKey) -> String { thumbprint(of: JWK(key)) }

    package static func thumbprint(of jwk: JWK) -> String { hash(jwk.thumbprintInput) }

    /// SHA-256 in base64url.
    package static func hash(_ bytes: [UInt8]) -> String { Base64URL.encode(SHA256.hash(data: bytes)) }

    /// The value that evidence for these keys is bound to: 32 bytes. A PIN key is not among them, because nothing that
    /// is computed from its public half may be sent.
    package static func boundValue(challenge: String, keys: [PublicKey]) -> [UInt8] {
        let input = EvidenceBinding.input(challenge: challenge, thumbprints: keys.map { thumbprint(of: $0) })
        return Array(SHA256.hash(data: input))
    }

    /// The bytes that a key signs to answer a challenge.
    package static func proofInput(challenge: String, kid: String) -> [UInt8] {
        CompactJWS.signingInput(header: encode(ProofHeader(kid: kid)), payload: Array(challenge.utf8))
    }

    /// The bytes that a key signs for a DPoP proof (RFC 9449 section 4.2).
    package static func dpopInput(_ claims: DPoPClaims, key: PublicKey) -> [UInt8] {
        CompactJWS.signingInput(header: encode(DPoPHeader(jwk: JWK(key))), payload: encode(claims))
    }

    /// The JSON of a message: compact, with sorted members, so that equal values have equal bytes.
    package static func encode(_ message: some Encodable) -> [UInt8] { StrictJSON.encode(message) }
}
