import Crypto
import CryptoExtras

/// A private key for minted evidence. It is in memory and proves nothing.
public struct MintedKey: Sendable {
    private let secret: Secret

    private enum Secret: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// The hash functions of signatures.
    public enum HashFunction: Hashable, Sendable, CaseIterable {
        /// SHA-256.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512
        /// SHA-1, which verifiers refuse.
        case sha1
    }

    /// A new key on P-256.
    public static func p256() -> MintedKey { MintedKey(secret: .p256(P256.Signing.PrivateKey())) }

    /// This key on P-256.
    static func p256(_ key: P256.Signing.PrivateKey) -> MintedKey { MintedKey(secret: .p256(key)) }

    /// The key on P-256 that the generator gives.
    public static func p256(using generator: inout some RandomNumberGenerator) -> MintedKey {
        while true {
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            // A few numbers are no private keys.
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) { return MintedKey(secret: .p256(key)) }
        }
    }

    /// A new key on P-384.
    public static func p384() -> MintedKey { MintedKey(secret: .p384(P384.Signing.PrivateKey())) }

    /// A new RSA key. Making it takes some tenths of a second.
    ///
    /// - Parameter bits: the length of the modulus, at least 1024.
    public static func rsa(bits: Int = 2048) -> MintedKey {
        guard let key = try? _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)) else {
            preconditionFailure("an RSA key has at least 1024 bits")
        }
        return MintedKey(secret: .rsa(key))
    }

    /// The SubjectPublicKeyInfo in DER.
    public var spki: [UInt8] {
        switch secret {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .p384(let key): Array(key.publicKey.derRepresentation)
        case .rsa(let key):
            // The library leaves the choice of form to itself, so the two integers are taken and written here.
            MintedKey.spki(
                modulus: (try? key.publicKey.getKeyPrimitives()).map { Array($0.modulus) } ?? [],
                exponent: (try? key.publicKey.getKeyPrimitives()).map { Array($0.publicExponent) } ?? [])
        }
    }

    /// The SubjectPublicKeyInfo of an RSA key of any size, which need not exist.
    public static func spki(modulus: [UInt8], exponent: [UInt8] = [1, 0, 1]) -> [UInt8] {
        MintedDER.sequence([
            MintedDER.sequence([MintedDER.oid("1.2.840.113549.1.1.1"), MintedDER.null]),
            MintedDER.bits(
                MintedDER.sequence([MintedDER.integer(magnitude: modulus), MintedDER.integer(magnitude: exponent)])),
        ])
    }

    /// The uncompressed point of a key on a curve: 04, x and y; nil for an RSA key.
    public var x963: [UInt8]? {
        switch secret {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .p384(let key): Array(key.publicKey.x963Representation)
        case .rsa: nil
        }
    }

    /// The algorithm that a certificate names for a signature of this key. ECDSA has no parameters, RSA has NULL.
    public func algorithm(_ hash: HashFunction = .sha256) -> MintedAlgorithm {
        switch (secret, hash) {
        case (.p256, .sha256), (.p384, .sha256): MintedAlgorithm("1.2.840.10045.4.3.2", hash: hash)
        case (.p256, .sha384), (.p384, .sha384): MintedAlgorithm("1.2.840.10045.4.3.3", hash: hash)
        case (.p256, .sha512), (.p384, .sha512): MintedAlgorithm("1.2.840.10045.4.3.4", hash: hash)
        case (.p256, .sha1), (.p384, .sha1): MintedAlgorithm("1.2.840.10045.4.1", hash: hash)
        case (.rsa, .sha256): MintedAlgorithm("1.2.840.113549.1.1.11", parameters: MintedDER.null, hash: hash)
        case (.rsa, .sha384): MintedAlgorithm("1.2.840.113549.1.1.12", parameters: MintedDER.null, hash: hash)
        case (.rsa, .sha512): MintedAlgorithm("1.2.840.113549.1.1.13", parameters: MintedDER.null, hash: hash)
        case (.rsa, .sha1): MintedAlgorithm("1.2.840.113549.1.1.5", parameters: MintedDER.null, hash: hash)
        }
    }

    /// A signature as certificates carry it: ECDSA in DER, or RSASSA-PKCS1-v1_5.
    public func sign(_ message: [UInt8], _ hash: HashFunction = .sha256) -> [UInt8] {
        switch hash {
        case .sha256: sign(SHA256.hash(data: message))
        case .sha384: sign(SHA384.hash(data: message))
        case .sha512: sign(SHA512.hash(data: message))
        case .sha1: sign(Insecure.SHA1.hash(data: message))
        }
    }

    private func sign(_ digest: some Digest) -> [UInt8] {
        let signature: [UInt8]? =
            switch secret {
            case .p256(let key): (try? key.signature(for: digest)).map { Array($0.derRepresentation) }
            case .p384(let key): (try? key.signature(for: digest)).map { Array($0.derRepresentation) }
            case .rsa(let key):
                (try? key.signature(for: digest, padding: .insecurePKCS1v1_5)).map { Array($0.rawRepresentation) }
            }
        guard let signature else { preconditionFailure("a key in memory always signs") }
        return signature
    }
}

/// The algorithm of a minted signature: what the certificate says, and the hash that is really used.
public struct MintedAlgorithm: Hashable, Sendable {
    /// The object identifier in its dotted form.
    public var id: String
    /// The parameters in DER; nil where they are absent.
    public var parameters: [UInt8]?
    /// The hash of the signature, whatever `id` says.
    public var hash: MintedKey.HashFunction

    /// Creates an algorithm.
    public init(_ id: String, parameters: [UInt8]? = nil, hash: MintedKey.HashFunction = .sha256) {
        self.id = id
        self.parameters = parameters
        self.hash = hash
    }

    /// The same algorithm with the parameter NULL, as some devices write it.
    public var withNull: MintedAlgorithm { MintedAlgorithm(id, parameters: MintedDER.null, hash: hash) }

    package var der: [UInt8] { MintedDER.sequence([MintedDER.oid(id)] + (parameters.map { [$0] } ?? [])) }
}
