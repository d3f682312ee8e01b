import Crypto
import CryptoExtras
import Foundation

/// A secret that only one TPM can open, and only while it holds one attestation key: the answer of `TPM2_MakeCredential`
/// (TPM 2.0 Library, part 1, section 24, and part 3, section 12.6), made without a TPM.
///
/// The device opens it by `TPM2_ActivateCredential` and answers with the secret, which proves that the attestation key and
/// the endorsement key are in the same TPM.
public struct TPMCredential: Hashable, Sendable {
    /// The `TPMS_ID_OBJECT`: its HMAC after a 16-bit size, and the encrypted secret. In a command, a 16-bit size precedes it.
    public let idObject: [UInt8]
    /// The `TPMS_ECC_POINT` of the key that was made for this credential. In a command, a 16-bit size precedes it.
    public let encryptedSeed: [UInt8]
    /// What the server keeps until the device answers.
    public let expectation: Expectation

    /// What the answer has to agree with: the secret, the attestation key and the endorsement key of one credential.
    ///
    /// It holds a hash of the three, so that an answer for one attestation key proves nothing about another one.
    public struct Expectation: Hashable, Sendable, Codable {
        /// The hash, 32 bytes.
        public let digest: [UInt8]

        /// An expectation as it was kept; nil for other than 32 bytes.
        package init?(digest: [UInt8]) {
            guard digest.count == 32 else { return nil }
            self.digest = digest
        }

        init(secret: [UInt8], attestationName: [UInt8], endorsement: TPMEndorsementKey) {
            var bound = TPMWriter()
            for part in [Array("thumbturn-tpm-credential-v1".utf8), secret, attestationName, endorsement.x963] {
                bound.sized(part)
            }
            digest = SHA256.bytes(of: bound.bytes)
        }
    }

    /// The length of the secret, which is the most that every template takes.
    static let secretLength = 32

    /// Makes a credential with a new secret.
    package static func make(
        for endorsement: TPMEndorsementKey, attestationName: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws(EvidenceRefusal) -> TPMCredential {
        let secret = (0..<secretLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try make(for: endorsement, attestationName: attestationName, secret: secret, using: &generator)
    }

    /// Makes a credential with a secret of the caller, of at most 32 bytes.
    package static func make(
        for endorsement: TPMEndorsementKey, attestationName: [UInt8], secret: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) throws(EvidenceRefusal) -> TPMCredential {
        precondition(secret.count <= secretLength, "a secret has 32 bytes at most")
        let hash = endorsement.hash
        let (point, shared) = try endorsement.agree(using: &generator)
        let (x, y) = TPMEndorsementKey.coordinates(point)

        // Part 1, section C.6.1: the seed, which the TPM derives from its own private key and the new point.
        let seed = TPMDerivation.key(
            fromShared: shared, "IDENTITY", partyU: x, partyV: TPMEndorsementKey.coordinates(endorsement.x963).x,
            bits: hash.length * 8, hash: hash
        )
        // Part 1, sections 24.3 to 24.5: the secret is encrypted under a key that depends on the attestation key's name, and
        // the HMAC covers the name, so no other key opens it.
        let cipherKey = TPMDerivation.key(
            from: seed, "STORAGE", context: attestationName, bits: endorsement.cipherBits, hash: hash
        )
        var inner = TPMWriter()
        inner.sized(secret)
        let encrypted = encrypt(inner.bytes, with: cipherKey)
        let integrityKey = TPMDerivation.key(from: seed, "INTEGRITY", bits: hash.length * 8, hash: hash)

        var (idObject, encryptedSeed) = (TPMWriter(), TPMWriter())
        idObject.sized(hash.hmac(of: encrypted + attestationName, key: integrityKey))
        encryptedSeed.sized(x)
        encryptedSeed.sized(y)
        return TPMCredential(
            idObject: idObject.bytes + encrypted, encryptedSeed: encryptedSeed.bytes,
            expectation: Expectation(secret: secret, attestationName: attestationName, endorsement: endorsement)
        )
    }

    /// AES in CFB mode with an initial vector of zeros: each key is used once.
    private static func encrypt(_ bytes: [UInt8], with key: [UInt8]) -> [UInt8] {
        guard let zeros = try? AES._CFB.IV(ivBytes: [UInt8](repeating: 0, count: 16)),
            let encrypted = try? AES._CFB.encrypt(bytes, using: SymmetricKey(data: key), iv: zeros)
        else { preconditionFailure("AES has keys of 128 and 256 bits and a vector of 16 bytes") }
        return Array(encrypted)
    }
}
