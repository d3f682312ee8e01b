import ThumbturnCore

/// The public area of a key in a TPM: `TPMT_PUBLIC` (TPM 2.0 Library, part 2, section 12.2.4), for ECC keys on P-256 and
/// RSA keys of 2048 to 4096 bits.
package struct TPMPublic: Hashable, Sendable {
    /// The wire form, without the leading size of a `TPM2B_PUBLIC`.
    package let bytes: [UInt8]
    /// The hash of the key's name and of its policy.
    package let nameHash: TPMHash
    /// The permitted uses.
    package let attributes: TPMObjectAttributes
    /// The digest of the authorization policy; empty for none.
    package let policy: [UInt8]
    /// The signature scheme that the key is limited to; nil if each use chooses one.
    package let scheme: TPMScheme?
    /// The public key.
    package let key: Key

    /// A public key by its kind.
    package enum Key: Hashable, Sendable {
        /// A key on P-256.
        case p256(VerifyingKey)
        /// An RSA key with the exponent 65537.
        case rsa(modulus: [UInt8])
    }

    /// The most bytes that a public area may have. One with an RSA key of 4096 bits has about 600.
    package static let largest = 1024

    /// Reads the wire form.
    package init(_ bytes: [UInt8]) throws(EvidenceRefusal) {
        var reader = try TPMReader(bytes, of: "TPMT_PUBLIC", atMost: Self.largest)
        let type = try reader.uint16()
        let nameHash = try TPMHash(number: try reader.uint16())
        guard nameHash != .insecureSHA1 else {
            throw EvidenceRefusal(.wrongAlgorithm, "TPMT_PUBLIC: the key's name is a SHA-1, and two keys can share one")
        }
        let attributes = TPMObjectAttributes(rawValue: try reader.uint32())
        guard attributes.isSubset(of: .known) else { throw reader.malformed("a reserved attribute is set") }
        let policy = try reader.sized("authPolicy", atMost: nameHash.length)
        guard policy.isEmpty || policy.count == nameHash.length else {
            throw reader.malformed("authPolicy has \(policy.count) bytes, and its hash has \(nameHash.length)")
        }
        (scheme, key) =
            switch type {
            case 0x0001: try Self.rsa(&reader)
            case 0x0023: try Self.ecc(&reader)
            default:
                throw EvidenceRefusal(.unsupported, "TPMT_PUBLIC: the type 0x\(hex(type)) is neither RSA nor ECC")
            }
        try reader.end()
        self.bytes = bytes
        self.nameHash = nameHash
        self.attributes = attributes
        self.policy = policy
    }

    /// The TPM's name for the key (part 1, section 16).
    package var name: [UInt8] { nameHash.name(of: bytes) }

    /// The key as one on P-256; nil for RSA.
    package var p256: VerifyingKey? {
        if case .p256(let key) = key { key } else { nil }
    }

    /// `TPMS_ECC_PARMS` and the point (part 2, sections 12.2.3.6 and 11.2.5.2).
    private static func ecc(_ reader: inout TPMReader) throws(EvidenceRefusal) -> (TPMScheme?, Key) {
        try symmetric(&reader)
        let scheme = try TPMScheme(optional: &reader)
        let curve = try reader.uint16()
        switch curve {
        case 0x0003: break
        case 0x0001, 0x0002:
            throw EvidenceRefusal(.weakKey, "TPMT_PUBLIC: the curve is P-\(curve == 1 ? 192 : 224), and P-256 is expected")
        default: throw EvidenceRefusal(.unsupported, "TPMT_PUBLIC: the curve 0x\(hex(curve)) is not P-256")
        }
        let derivation = try reader.uint16()
        guard derivation == null else {
            throw EvidenceRefusal(.unsupported, "TPMT_PUBLIC: a key derivation scheme 0x\(hex(derivation)) is set")
        }
        let x = try TPMNumber.padded(try reader.sized("x", atMost: 32), of: "x")
        let y = try TPMNumber.padded(try reader.sized("y", atMost: 32), of: "y")
        guard let key = try? VerifyingKey(x963: [0x04] + x + y) else {
            throw EvidenceRefusal(.weakKey, "TPMT_PUBLIC: the point is not on P-256")
        }
        return (scheme, .p256(key))
    }

    /// `TPMS_RSA_PARMS` and the modulus (part 2, sections 12.2.3.5 and 11.2.4.5).
    private static func rsa(_ reader: inout TPMReader) throws(EvidenceRefusal) -> (TPMScheme?, Key) {
        try symmetric(&reader)
        let scheme = try TPMScheme(optional: &reader)
        let bits = try reader.uint16()
        guard [2048, 3072, 4096].contains(bits) else {
            throw EvidenceRefusal(.weakKey, "TPMT_PUBLIC: an RSA key of 2048, 3072 or 4096 bits is expected, not of \(bits)")
        }
        let exponent = try reader.uint32()
        // Zero stands for the default exponent.
        guard exponent == 0 || exponent == 65537 else {
            throw EvidenceRefusal(.weakKey, "TPMT_PUBLIC: the RSA exponent 65537 is expected, not \(exponent)")
        }
        let modulus = try reader.sized("modulus", atMost: 512)
        guard modulus.count == Int(bits) / 8, let first = modulus.first, first >= 0x80, modulus.last.map({ $0 & 1 }) == 1 else {
            throw EvidenceRefusal(.weakKey, "TPMT_PUBLIC: the modulus is not an odd number of \(bits) bits")
        }
        return (scheme, .rsa(modulus: modulus))
    }

    /// `TPMT_SYM_DEF_OBJECT` (part 2, section 11.1.7): AES in CFB mode for a key that decrypts, else none.
    private static func symmetric(_ reader: inout TPMReader) throws(EvidenceRefusal) {
        let algorithm = try reader.uint16()
        guard algorithm != null else { return }
        guard algorithm == 0x0006, [128, 256].contains(try reader.uint16()), try reader.uint16() == 0x0043 else {
            throw EvidenceRefusal(.unsupported, "TPMT_PUBLIC: the symmetric algorithm is not AES in CFB mode")
        }
    }

    /// `TPM_ALG_NULL`.
    static let null: UInt16 = 0x0010
}

/// Numbers of an elliptic curve in a TPM's structures.
enum TPMNumber {
    /// A number of P-256 with 32 bytes.
    ///
    /// TPMs before revision 1.38 of the standard leave out leading zeros, so shorter numbers are read, too. The name and
    /// the signature are over the bytes as they came.
    static func padded(_ number: [UInt8], of field: String) throws(EvidenceRefusal) -> [UInt8] {
        guard !number.isEmpty, number.count <= 32 else {
            throw EvidenceRefusal(.malformed, "\(field) has 1 to 32 bytes, and this one has \(number.count)")
        }
        return [UInt8](repeating: 0, count: 32 - number.count) + number
    }
}
