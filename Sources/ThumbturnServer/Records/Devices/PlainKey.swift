#if Server
import Crypto
import CryptoExtras
import Foundation
import ThumbturnCore
import ThumbturnMessages
package import ThumbturnVerifier

/// A plain client's public key with its only algorithm: ES256 for P-256, RS256 for RSA (RFC 7518 sections 3.3 and 3.4).
package struct PlainKey: Sendable {
    /// The SubjectPublicKeyInfo in DER.
    package let spki: [UInt8]
    /// The thumbprint (RFC 7638).
    package let kid: String
    private let algorithm: Algorithm

    private enum Algorithm: Sendable {
        case es256(VerifyingKey)
        case rs256(_RSA.Signing.PublicKey)
    }

    /// Reads a SubjectPublicKeyInfo: PEM, or DER in standard base64.
    init(spki text: String) throws(VerificationError) {
        guard let der = VerifyingKey.der(ofSPKI: text) else { throw .unacceptableKey }
        try self.init(spkiDER: der)
    }

    /// Reads a key in its one DER encoding: P-256, or RSA of 2048, 3072 or 4096 bits with the exponent 65537. Shorter
    /// keys are weak; longer keys and other exponents are slow or weak.
    package init(spkiDER der: [UInt8]) throws(VerificationError) {
        // No other length is one of these keys, so no other is parsed.
        guard Kind.allCases.contains(where: { $0.spkiLength == der.count }) else { throw .unacceptableKey }
        spki = der
        if let key = try? VerifyingKey(spkiDER: der) {
            algorithm = .es256(key)
            kid = key.thumbprint
            return
        }
        guard let key = try? _RSA.Signing.PublicKey(derRepresentation: der), Array(key.derRepresentation) == der,
            Self.sizes.contains(key.keySizeInBits), let numbers = try? key.getKeyPrimitives(),
            Array(numbers.publicExponent) == [1, 0, 1]
        else { throw .unacceptableKey }
        algorithm = .rs256(key)
        let input = #"{"e":"AQAB","kty":"RSA","n":"\#(Base64URL.encode(numbers.modulus))"}"#
        kid = Base64URL.encode(SHA256.hash(data: Array(input.utf8)))
    }

    /// Whether this key made a signature over a message of `PlainFormat`.
    func isValid(_ signature: PlainSignature, for message: [UInt8]) -> Bool {
        switch algorithm {
        case .es256(let key): key.isValid(signature.bytes, for: message)
        // RS256 is defined with this padding.
        case .rs256(let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature.bytes), for: message, padding: .insecurePKCS1v1_5)
        }
    }

    /// Whether it may sign in this format: RSA signatures have no DER.
    func takes(_ format: PlainFormat) -> Bool {
        guard case .rs256 = algorithm else { return true }
        return format == .digits
    }

    /// An algorithm with a key size. A sign-in names no key, and the length of its signature in bytes, the raw value,
    /// identifies the kind.
    package enum Kind: Int, CaseIterable, Sendable {
        /// P-256 with ES256.
        case es256 = 64
        /// RSA of 2048 bits with RS256.
        case rs256With2048Bits = 256
        /// RSA of 3072 bits with RS256.
        case rs256With3072Bits = 384
        /// RSA of 4096 bits with RS256.
        case rs256With4096Bits = 512

        /// The length of the SubjectPublicKeyInfo in DER.
        var spkiLength: Int { self == .es256 ? 91 : rawValue + 38 }

        /// A public key without a private half. It fills up the keys of an account that has fewer than the maximum, so
        /// that each sign-in takes the same time.
        var decoy: [UInt8] { Self.decoys[self] ?? [] }

        private static let decoys = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeDecoy()) })

        package func makeDecoy() -> [UInt8] {
            guard self != .es256 else { return Array(P256.Signing.PrivateKey().publicKey.derRepresentation) }
            // Any odd number of this size takes as long as a product of two primes.
            var modulus = (0..<rawValue).map { _ in UInt8.random(in: .min ... .max) }
            modulus[0] |= 0x80
            modulus[rawValue - 1] |= 1
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: Data([1, 0, 1])) else {
                preconditionFailure("an odd number is a modulus")
            }
            return Array(key.derRepresentation)
        }
    }

    private static let sizes: Set = [2048, 3072, 4096]
}
#endif
