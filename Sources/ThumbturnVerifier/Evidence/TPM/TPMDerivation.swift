import Crypto

/// The key derivations of TPMs (TPM 2.0 Library, part 1, section 11.4.10).
enum TPMDerivation {
    /// KDFa: a key from a key, in counter mode (NIST SP 800-108) with HMAC.
    static func key(
        from key: [UInt8], _ label: String, context: [UInt8] = [], bits: Int, hash: TPMHash
    ) -> [UInt8] {
        derive(bits: bits, hash: hash) { counter in
            var length = TPMWriter()
            length.uint32(UInt32(bits))
            return hash.hmac(of: counter + Array(label.utf8) + [0] + context + length.bytes, key: key)
        }
    }

    /// KDFe: a key from the shared secret of an elliptic curve (NIST SP 800-56A section 5.8.1), bound to both points' x.
    static func key(
        fromShared secret: [UInt8], _ label: String, partyU: [UInt8], partyV: [UInt8], bits: Int, hash: TPMHash
    ) -> [UInt8] {
        derive(bits: bits, hash: hash) { counter in
            hash.digest(of: counter + secret + Array(label.utf8) + [0] + partyU + partyV)
        }
    }

    private static func derive(bits: Int, hash: TPMHash, _ block: (_ counter: [UInt8]) -> [UInt8]) -> [UInt8] {
        precondition(bits % 8 == 0, "keys have whole bytes")
        var bytes: [UInt8] = []
        var number: UInt32 = 0
        while bytes.count < bits / 8 {
            number += 1
            var counter = TPMWriter()
            counter.uint32(number)
            bytes += block(counter.bytes)
        }
        return Array(bytes.prefix(bits / 8))
    }
}

extension TPMHash {
    /// The HMAC with this hash (RFC 2104). Only the hashes of endorsement keys' names are needed.
    func hmac(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        switch self {
        case .sha256: return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .sha384: return Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
        case .sha512: return Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
        case .insecureSHA1: preconditionFailure("no endorsement key has a name with SHA-1")
        }
    }
}
