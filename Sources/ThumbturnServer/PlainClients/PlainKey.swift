#if Server
import Crypto
import CryptoExtras
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A plain client's public key, with the one algorithm that it is for: ES256 on P-256, else RS256 (RFC 7518 sections 3.3 and 3.4).
struct PlainKey: Sendable {
    /// The SubjectPublicKeyInfo in DER.
    let spki: [UInt8]
    /// The thumbprint (RFC 7638).
    let kid: String
    private let algorithm: Algorithm

    private enum Algorithm: Sendable {
        case es256(VerifyingKey)
        case rs256(_RSA.Signing.PublicKey)
    }

    /// From a SubjectPublicKeyInfo: PEM, or DER in standard base64.
    init(spki text: String) throws(VerificationError) {
        guard let der = VerifyingKey.der(ofSPKI: text) else { throw .unacceptableKey }
        try self.init(spkiDER: der)
    }

    /// From the one DER form that a key has: a P-256 key, or an RSA key of 2048, 3072 or 4096 bits with the exponent 65537. Shorter
    /// ones are weak, longer ones and other exponents are slow, or weak in ways of their own.
    init(spkiDER der: [UInt8]) throws(VerificationError) {
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

    /// Whether this key signed for these words of the server: 64 lower-case hexadecimal digits, which are the SHA-256 of
    /// `thumbturn-plain-v1` and the words. They have no dot, so no signature over them is one of a JWS, nor the reverse.
    ///
    /// - Parameter signature: of ES256 r and s, 32 bytes each; of RS256 as long as the modulus.
    func isValid(_ signature: [UInt8], for words: String) -> Bool {
        let message = Self.message(words)
        return switch algorithm {
        case .es256(let key): key.isValid(signature, for: message)
        // The padding that RS256 is defined with.
        case .rs256(let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: message, padding: .insecurePKCS1v1_5)
        }
    }

    private static func message(_ words: String) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return SHA256.hash(data: Array("thumbturn-plain-v1\(words)".utf8)).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
    }

    /// An answer names no key, and the length of its signature tells of which kind it is: an algorithm with a size.
    enum Kind: Int, CaseIterable, Sendable {
        case es256 = 64
        case rs256With2048Bits = 256
        case rs256With3072Bits = 384
        case rs256With4096Bits = 512

        /// In bytes of DER, which has one form.
        var spkiLength: Int { self == .es256 ? 91 : rawValue + 38 }

        /// A key that nobody has, as a SubjectPublicKeyInfo: where there is none, it takes as long to find out.
        var decoy: [UInt8] { Self.decoys[self] ?? [] }

        private static let decoys = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeDecoy()) })

        func makeDecoy() -> [UInt8] {
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
