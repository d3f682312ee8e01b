import Crypto
import Foundation
package import ThumbturnCore
public import ThumbturnMessages

/// A public P-256 key that lies on the curve.
public struct VerifyingKey: Sendable, Hashable {
    /// The uncompressed point (SEC 1 section 2.3.3): 0x04, x and y, 65 bytes.
    public let x963: [UInt8]
    private let key: P256.Signing.PublicKey

    /// Creates a key from an uncompressed point: 0x04, x and y, 65 bytes. Throws `unacceptableKey`.
    public init(x963: [UInt8]) throws(VerificationError) {
        guard x963.count == 65, let key = try? P256.Signing.PublicKey(x963Representation: x963) else {
            throw .unacceptableKey
        }
        self.x963 = x963
        self.key = key
    }

    /// Creates a key from a public key of the core.
    package init(_ key: PublicKey) throws(VerificationError) { try self.init(x963: key.x963) }

    /// Creates a key from a JSON Web Key on P-256 for ES256 signatures (RFC 7518 section 6.2.1). Throws
    /// `unacceptableKey`.
    public init(jwk: JWK) throws(VerificationError) {
        guard let point = jwk.x963 else { throw .unacceptableKey }
        try self.init(x963: point)
    }

    /// Creates a key from a SubjectPublicKeyInfo (RFC 5480 section 2) with a named curve and an uncompressed point: PEM
    /// (RFC 7468 section 13), or DER in standard base64. Throws `unacceptableKey`.
    public init(spki text: String) throws(VerificationError) {
        guard let der = Self.der(ofSPKI: text) else { throw .unacceptableKey }
        try self.init(spkiDER: der)
    }

    /// The most bytes of a SubjectPublicKeyInfo's text. That of an RSA key of 4096 bits has about 800.
    package static let largestSPKI = 4096

    /// The bytes of a SubjectPublicKeyInfo of any key: PEM, or DER in standard base64, of at most `largestSPKI` bytes.
    package static func der(ofSPKI text: String) -> [UInt8]? {
        guard text.utf8.count <= largestSPKI else { return nil }
        var lines = text.split(whereSeparator: \.isNewline)
        if lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----" {
            lines = Array(lines.dropFirst().dropLast())
        }
        return Data(base64Encoded: lines.joined()).map { Array($0) }
    }

    /// Creates a key from a SubjectPublicKeyInfo in DER, in the one encoding that a P-256 key has. Throws
    /// `unacceptableKey`.
    public init(spkiDER der: [UInt8]) throws(VerificationError) {
        guard der.count == Self.lengthOfSPKI, let key = try? P256.Signing.PublicKey(derRepresentation: der),
            Array(key.derRepresentation) == der
        else { throw .unacceptableKey }
        self.init(key)
    }

    /// The length of the one encoding: the algorithm with its curve, and an uncompressed point.
    private static let lengthOfSPKI = 91

    private init(_ key: P256.Signing.PublicKey) {
        self.key = key
        x963 = Array(key.x963Representation)
    }

    /// The SHA-256 thumbprint in base64url (RFC 7638): 43 characters. Computed on each call.
    public var thumbprint: String { Base64URL.encode(SHA256.bytes(of: jwk.thumbprintInput)) }

    /// The key as a JSON Web Key (RFC 7517), without an id.
    public var jwk: JWK { JWK(x: Array(x963[1..<33]), y: Array(x963[33...])) }

    /// Whether `signature` is an ES256 signature over `message`: r and s, 32 bytes each (RFC 7518 section 3.4).
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: message)
    }

    /// Whether `signature` is a signature over the SHA-256 of `message` in ASN.1: a SEQUENCE of r and s (RFC 3279
    /// section 2.2.3), in its one DER encoding. Platforms and WebAuthn use this form; JOSE does not.
    public func isValid(der signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count <= Self.longestDERSignature,
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            Array(parsed.derRepresentation) == signature
        else { return false }
        return key.isValidSignature(parsed, for: message)
    }

    /// Two integers of 33 bytes each, with their tags and lengths, in a SEQUENCE.
    private static let longestDERSignature = 72

    /// Whether two keys are the same point.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.x963 == rhs.x963 }
    /// Hashes the point.
    public func hash(into hasher: inout Hasher) { hasher.combine(x963) }
}
