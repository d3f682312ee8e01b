#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore

/// The forms in which the Keystore returns P-256 keys and signatures.
enum KeystoreP256 {
    /// The public key of a SubjectPublicKeyInfo with an uncompressed P-256 point (RFC 5480 section 2); nil for another kind of
    /// key, for a point that is not on the curve, and for bytes that are not its one encoding.
    static func publicKey(spki: [UInt8]) -> PublicKey? {
        guard let key = try? P256.Signing.PublicKey(derRepresentation: spki), Array(key.derRepresentation) == spki else {
            return nil
        }
        return PublicKey(x963: Array(key.x963Representation))
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
