#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore

/// The forms in which the Keystore returns P-256 keys and signatures.
enum KeystoreP256 {
    /// SubjectPublicKeyInfo of an uncompressed P-256 point (RFC 5480 section 2), without the point: 26 bytes.
    private static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The public key of a SubjectPublicKeyInfo; nil for another kind of key, and for a point that is not on the curve.
    static func publicKey(spki: [UInt8]) -> PublicKey? {
        guard spki.starts(with: prefix) else { return nil }
        let point = Array(spki.dropFirst(prefix.count))
        guard (try? P256.Signing.PublicKey(x963Representation: point)) != nil else { return nil }
        return PublicKey(x963: point)
    }

    /// The raw signature of ES256 (RFC 7518 section 3.4: r and s, 32 bytes each) of a DER one (RFC 3279 section 2.2.3); nil for
    /// bytes that are not the one DER encoding of such a signature.
    static func rawSignature(der: [UInt8]) -> [UInt8]? {
        // A sequence of two integers of at most 33 bytes.
        guard der.count <= 72, let signature = try? P256.Signing.ECDSASignature(derRepresentation: der),
            Array(signature.derRepresentation) == der
        else { return nil }
        return Array(signature.rawRepresentation)
    }
}
