import Crypto
import CryptoExtras
package import SwiftASN1

/// The public key of a certificate.
package enum CertificateKey: Hashable, Sendable {
    /// A point on P-256: 04, x and y (SEC 1 section 2.3.3), 65 bytes.
    case p256(x963: [UInt8])
    /// A point on P-384 in the same form, 97 bytes.
    case p384(x963: [UInt8])
    /// An RSA key of 2048 to 4096 bits, as SubjectPublicKeyInfo in DER.
    case rsa(spki: [UInt8], bits: Int)
    /// A key that can be carried but verifies nothing here: another algorithm or another curve.
    case other(algorithm: ASN1ObjectIdentifier)

    /// The sizes of RSA keys that are accepted. Smaller ones are weak; larger ones cost much for each verification.
    package static let rsaBits = 2048...4096

    /// Whether a signature over a message is valid. A key of another kind than the algorithm's verifies nothing.
    package func isValid(_ signature: [UInt8], _ algorithm: SignatureAlgorithm, for message: [UInt8]) -> Bool {
        switch algorithm {
        case .ecdsa(let hash), .rsaPKCS1(let hash):
            switch hash {
            case .sha256: isValid(signature, algorithm, digest: SHA256.hash(data: message))
            case .sha384: isValid(signature, algorithm, digest: SHA384.hash(data: message))
            case .sha512: isValid(signature, algorithm, digest: SHA512.hash(data: message))
            }
        case .other: false
        }
    }

    private func isValid(_ signature: [UInt8], _ algorithm: SignatureAlgorithm, digest: some Digest) -> Bool {
        switch (self, algorithm) {
        case (.p256(let x963), .ecdsa):
            guard let key = try? P256.Signing.PublicKey(x963Representation: x963),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case (.p384(let x963), .ecdsa):
            guard let key = try? P384.Signing.PublicKey(x963Representation: x963),
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case (.rsa(let spki, _), .rsaPKCS1):
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: spki) else { return false }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        // The key and the algorithm are of different kinds, or one of them is none of ours.
        case (.p256, .rsaPKCS1), (.p384, .rsaPKCS1), (.rsa, .ecdsa), (.other, _), (_, .other): return false
        }
    }
}

// MARK: Reading

extension CertificateKey {
    /// Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7). Throws `weakKey` for a point that is not on its curve and
    /// for an RSA key outside `rsaBits`, before any library of cryptography sees the latter.
    package init(spki node: ASN1Node) throws(EvidenceRefusal) {
        var members = try node.members(of: "the public key")
        let algorithm = try AlgorithmIdentifier(try members.take(), of: "the public key's algorithm")
        let bits = try members.take()
        try members.end()
        switch algorithm.oid {
        case .AlgorithmIdentifier.idEcPublicKey:
            guard let curve = try algorithm.parameters?.oid("the key's curve") else {
                throw EvidenceRefusal(.malformed, "an elliptic curve key names no curve")
            }
            try self.init(curve: curve, point: Array(bits.wholeBytes("the key's point")))
        case .AlgorithmIdentifier.rsaEncryption:
            guard algorithm.isNull else { throw EvidenceRefusal(.malformed, "an RSA key's algorithm has parameters") }
            let size = try Self.rsaBits(of: Array(bits.wholeBytes("the RSA key")))
            self = .rsa(spki: Array(node.encodedBytes), bits: size)
        default: self = .other(algorithm: algorithm.oid)
        }
    }

    private init(curve: ASN1ObjectIdentifier, point: [UInt8]) throws(EvidenceRefusal) {
        switch curve {
        case .NamedCurves.secp256r1:
            guard point.count == 65, (try? P256.Signing.PublicKey(x963Representation: point)) != nil else {
                throw EvidenceRefusal(.weakKey, "a P-256 key is not an uncompressed point on its curve")
            }
            self = .p256(x963: point)
        case .NamedCurves.secp384r1:
            guard point.count == 97, (try? P384.Signing.PublicKey(x963Representation: point)) != nil else {
                throw EvidenceRefusal(.weakKey, "a P-384 key is not an uncompressed point on its curve")
            }
            self = .p384(x963: point)
        default: self = .other(algorithm: curve)
        }
    }

    /// The size of the modulus of an RSAPublicKey (RFC 8017 appendix A.1.1).
    private static func rsaBits(of der: [UInt8]) throws(EvidenceRefusal) -> Int {
        var members = try StrictDER.parse(der, "the RSA key").members(of: "the RSA key")
        let modulus = try members.take().integerBytes("the RSA key's modulus").drop { $0 == 0 }
        let exponent = try members.take().integer("the RSA key's exponent")
        try members.end()
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard rsaBits.contains(bits) else {
            throw EvidenceRefusal(
                .weakKey, "an RSA key has \(bits) bits, not \(rsaBits.lowerBound) to \(rsaBits.upperBound)")
        }
        // BoringSSL takes no larger exponent either: it would make verification dear.
        guard exponent >= 3, exponent % 2 == 1, exponent < 1 << 33 else {
            throw EvidenceRefusal(.weakKey, "an RSA key has the exponent \(exponent)")
        }
        return bits
    }
}
