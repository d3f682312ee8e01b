import Crypto

/// A hash algorithm of TPMs, by its number in the TCG's algorithm registry (TPM 2.0 Library, part 2, section 6.3).
public enum TPMHash: UInt16, Hashable, Sendable, CaseIterable {
    /// SHA-1, which is broken for signatures. No default policy takes it.
    case insecureSHA1 = 0x0004
    /// SHA-256.
    case sha256 = 0x000B
    /// SHA-384.
    case sha384 = 0x000C
    /// SHA-512.
    case sha512 = 0x000D

    /// Reads an algorithm's number. Throws `unsupported` for any other.
    init(number: UInt16) throws(EvidenceRefusal) {
        guard let known = TPMHash(rawValue: number) else {
            throw EvidenceRefusal(
                .unsupported, "the hash algorithm 0x\(hex(number)) is none of SHA-1, SHA-256, SHA-384 and SHA-512")
        }
        self = known
    }

    /// The bytes of a digest.
    var length: Int {
        switch self {
        case .insecureSHA1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The hash of these bytes.
    func digest(of bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .insecureSHA1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: SHA256.bytes(of: bytes)
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// The name of an object or index: the algorithm's number and the hash of its public area (part 1, section 16).
    func name(of publicArea: [UInt8]) -> [UInt8] {
        [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] + digest(of: publicArea)
    }
}

/// A number in hexadecimal digits, for refusals.
func hex(_ number: some BinaryInteger) -> String { String(number, radix: 16) }
