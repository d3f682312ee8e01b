public import ThumbturnCore
public import ThumbturnMessages

/// A set of public keys (RFC 7517 section 5).
public struct JWKS: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case keys }

    /// The keys, the signing one first.
    public var keys: [JWK]

    /// Creates a set of these keys.
    public init(keys: [JWK]) {
        self.keys = keys
    }
}

extension JWKS {
    /// The keys by their ids. Keys without an id, keys that are not P-256 keys for ES256, and keys that share an id are
    /// left out.
    package var byKid: [String: VerifyingKey] {
        var known: [String: VerifyingKey] = [:]
        for (kid, keys) in Dictionary(grouping: keys, by: \.kid) {
            guard let kid, keys.count == 1, let key = try? VerifyingKey(jwk: keys[0]) else { continue }
            known[kid] = key
        }
        return known
    }
}
