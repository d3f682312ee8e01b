/// A public key in COSE's form (RFC 9052 section 7): EC2 on P-256 for ES256 signatures, and no other.
package enum COSEKey {
    /// Room for the keys that WebAuthn defines (WebAuthn section 6.5.1): five members, which are one level deep.
    package static let limits = CBOR.Limits(bytes: 4096, items: 17, members: 8, depth: 1)

    /// Reads the key. Throws `malformed` for a map of other members, `weakKey` for a key of another kind, algorithm or
    /// curve and for a point that is not on the curve.
    package static func p256(_ key: CBOR.Item) throws(EvidenceRefusal) -> VerifyingKey {
        guard let members = key.members else {
            throw EvidenceRefusal(.malformed, "expected a map as the COSE key, found \(key.kind)")
        }
        for (label, name, value) in demands {
            guard let found = key[number: label] else {
                throw EvidenceRefusal(.malformed, "expected \(name) in the COSE key, found none")
            }
            guard found.integer == value else {
                let found = found.integer.map { "\($0)" } ?? "\(found.kind)"
                throw EvidenceRefusal(.weakKey, "expected \(name) \(value) in the COSE key, found \(found)")
            }
        }
        guard let x = key[number: -2]?.bytes, let y = key[number: -3]?.bytes, x.count == 32, y.count == 32, members.count == 5
        else {
            throw EvidenceRefusal(.malformed, "expected x and y of 32 bytes and no further member in the COSE key")
        }
        do throws(VerificationError) {
            return try VerifyingKey(x963: [4] + x + y)
        } catch {
            throw EvidenceRefusal(.weakKey, "expected a point on P-256 as the COSE key, found another one")
        }
    }

    /// The members that have one value each (RFC 9053 sections 2.1 and 7.1).
    private static let demands: [(label: Int64, name: String, value: Int64)] = [
        (1, "the key type (EC2)", 2), (3, "the algorithm (ES256)", -7), (-1, "the curve (P-256)", 1),
    ]
}
