import Crypto

/// A TPM's endorsement key, as its certificate gives it: a point on P-256 or P-384.
///
/// The certificate holds the point alone. The hash and the cipher are those of the TCG's template for the curve (EK
/// Credential Profile 2.5, annex B: L-2 and H-2 for P-256, H-3 for P-384).
package enum TPMEndorsementKey: Hashable, Sendable {
    /// A key on P-256, with SHA-256 and AES-128.
    case p256(x963: [UInt8])
    /// A key on P-384, with SHA-384 and AES-256.
    case p384(x963: [UInt8])

    /// The uncompressed point (SEC 1 section 2.3.3).
    package var x963: [UInt8] {
        switch self {
        case .p256(let point), .p384(let point): point
        }
    }

    /// The hash of the key's name, which its derivations use.
    var hash: TPMHash {
        switch self {
        case .p256: .sha256
        case .p384: .sha384
        }
    }

    /// The length of the key that encrypts what the endorsement key protects.
    var cipherBits: Int {
        switch self {
        case .p256: 128
        case .p384: 256
        }
    }

    /// The coordinates of a point.
    static func coordinates(_ x963: [UInt8]) -> (x: [UInt8], y: [UInt8]) {
        let half = x963.count / 2
        return (Array(x963[1...half]), Array(x963[(half + 1)...]))
    }

    /// Agrees on a secret by a key pair that is made for this one use: the new point, and the shared point's x.
    func agree(using generator: inout some RandomNumberGenerator) throws(EvidenceRefusal) -> (point: [UInt8], secret: [UInt8]) {
        let agreed =
            switch self {
            case .p256(let point): Self.agree(P256.KeyAgreement.PrivateKey.self, point, 32, &generator)
            case .p384(let point): Self.agree(P384.KeyAgreement.PrivateKey.self, point, 48, &generator)
            }
        guard let agreed else { throw EvidenceRefusal(.weakKey, "the endorsement key's point is not on its curve") }
        return agreed
    }

    private static func agree<Private: AgreementKey>(
        _ type: Private.Type, _ other: [UInt8], _ length: Int, _ generator: inout some RandomNumberGenerator
    ) -> (point: [UInt8], secret: [UInt8])? {
        // Nearly all numbers of this length are private keys; those at or above the curve's order are drawn again.
        while true {
            let number = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            guard let key = Private(number: number) else { continue }
            guard let secret = key.sharedX(with: other) else { return nil }
            return (key.point, secret)
        }
    }
}

/// What both curves' private keys do.
private protocol AgreementKey {
    init?(number: [UInt8])
    var point: [UInt8] { get }
    func sharedX(with x963: [UInt8]) -> [UInt8]?
}

extension P256.KeyAgreement.PrivateKey: AgreementKey {
    init?(number: [UInt8]) { try? self.init(rawRepresentation: number) }
    var point: [UInt8] { Array(publicKey.x963Representation) }

    func sharedX(with x963: [UInt8]) -> [UInt8]? {
        guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: x963),
            let secret = try? sharedSecretFromKeyAgreement(with: other)
        else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }
}

extension P384.KeyAgreement.PrivateKey: AgreementKey {
    init?(number: [UInt8]) { try? self.init(rawRepresentation: number) }
    var point: [UInt8] { Array(publicKey.x963Representation) }

    func sharedX(with x963: [UInt8]) -> [UInt8]? {
        guard let other = try? P384.KeyAgreement.PublicKey(x963Representation: x963),
            let secret = try? sharedSecretFromKeyAgreement(with: other)
        else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }
}
