import Crypto
import CryptoExtras
import Foundation
import ThumbturnCore

/// How a key in a TPM signs: `TPMT_SIG_SCHEME` (TPM 2.0 Library, part 2, section 11.2.1.5), for the schemes that are
/// verified here.
package enum TPMScheme: Hashable, Sendable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
    case rsassa(TPMHash)
    /// RSASSA-PSS (RFC 8017 section 8.1).
    case rsapss(TPMHash)
    /// ECDSA (FIPS 186-5 section 6).
    case ecdsa(TPMHash)

    /// The hash of the message.
    package var hash: TPMHash {
        switch self {
        case .rsassa(let hash), .rsapss(let hash), .ecdsa(let hash): hash
        }
    }

    /// Reads a scheme that may be `TPM_ALG_NULL`.
    init?(optional reader: inout TPMReader) throws(EvidenceRefusal) {
        let number = try reader.uint16()
        guard number != TPMPublic.null else { return nil }
        try self.init(number, &reader)
    }

    /// Reads the hash of the scheme with this number.
    fileprivate init(_ number: UInt16, _ reader: inout TPMReader) throws(EvidenceRefusal) {
        switch number {
        case 0x0014: self = .rsassa(try TPMHash(number: try reader.uint16()))
        case 0x0016: self = .rsapss(try TPMHash(number: try reader.uint16()))
        case 0x0018: self = .ecdsa(try TPMHash(number: try reader.uint16()))
        default:
            throw EvidenceRefusal(.unsupported, "the signature scheme 0x\(hex(number)) is none of RSASSA, RSAPSS and ECDSA")
        }
    }
}

/// A signature by a key in a TPM: `TPMT_SIGNATURE` (TPM 2.0 Library, part 2, section 11.3.4).
package struct TPMSignature: Hashable, Sendable {
    /// The scheme that the signature names.
    package let scheme: TPMScheme
    /// The number of an RSA signature, or r and s with 32 bytes each.
    private let value: [UInt8]

    /// The most bytes that a signature may have. One by an RSA key of 4096 bits has 518.
    package static let largest = 600

    /// Reads the wire form.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        var reader = try TPMReader(bytes, of: "TPMT_SIGNATURE", atMost: Self.largest)
        scheme = try TPMScheme(try reader.uint16(), &reader)
        switch scheme {
        case .rsassa, .rsapss: value = try reader.sized("sig", atMost: 512)
        case .ecdsa:
            let r = try TPMNumber.padded(try reader.sized("signatureR", atMost: 32), of: "signatureR")
            let s = try TPMNumber.padded(try reader.sized("signatureS", atMost: 32), of: "signatureS")
            value = r + s
        }
        try reader.end()
    }

    /// Throws unless this is a signature over a message by a key, in the key's own scheme and with an accepted hash.
    package func verify(
        _ message: [UInt8], by signer: TPMPublic, accepting hashes: Set<TPMHash>
    ) throws(EvidenceRefusal) {
        guard hashes.contains(scheme.hash) else {
            throw EvidenceRefusal(.wrongAlgorithm, "the policy takes no signature over a hash of the kind \(scheme.hash)")
        }
        guard signer.scheme == nil || signer.scheme == scheme else {
            throw EvidenceRefusal(.wrongAlgorithm, "the signature names another scheme than its key")
        }
        let isValid: Bool
        switch (signer.key, scheme) {
        case (.p256(let key), .ecdsa(.sha256)): isValid = key.isValid(value, for: message)
        case (.p256(let key), .ecdsa): isValid = isValidECDSA(message, by: key)
        case (.rsa(let modulus), .rsassa): isValid = isValidRSA(message, by: modulus, .insecurePKCS1v1_5)
        case (.rsa(let modulus), .rsapss): isValid = isValidRSA(message, by: modulus, .PSS)
        case (.p256, .rsassa), (.p256, .rsapss), (.rsa, .ecdsa):
            throw EvidenceRefusal(.wrongAlgorithm, "the signature is of another algorithm than its key")
        }
        guard isValid else { throw EvidenceRefusal(.wrongSignature, "the attestation key did not sign these bytes") }
    }

    private func isValidECDSA(_ message: [UInt8], by key: VerifyingKey) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key.x963),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: value)
        else { return false }
        return switch scheme.hash {
        case .insecureSHA1: key.isValidSignature(signature, for: Insecure.SHA1.hash(data: message))
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message))
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message))
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message))
        }
    }

    private func isValidRSA(_ message: [UInt8], by modulus: [UInt8], _ padding: _RSA.Signing.Padding) -> Bool {
        guard value.count == modulus.count, let key = try? _RSA.Signing.PublicKey(n: modulus, e: [1, 0, 1] as [UInt8]) else {
            return false
        }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: value)
        return switch scheme.hash {
        case .insecureSHA1: key.isValidSignature(signature, for: Insecure.SHA1.hash(data: message), padding: padding)
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }
}
