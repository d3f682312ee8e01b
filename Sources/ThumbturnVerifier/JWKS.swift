public import ThumbturnCore
public import ThumbturnMessages

/// A set of public keys (RFC 7517 section 5).
public struct JWKS: Message {
    public enum CodingKeys: String, CodingKey, CaseIterable { case keys }

    /// The keys, the signing one first.
    public var keys: [JWK]

    /// A set of keys.
    public init(keys: [JWK]) {
        self.keys = keys
    }
}

extension JWKS {
    /// The keys by their ids. What is no P-256 key for ES256 signatures, or has no id, is left out; and so are keys that share an id,
    /// because nobody knows which of them is meant.
    package var byKid: [String: VerifyingKey] {
        var known: [String: VerifyingKey] = [:]
        for (kid, keys) in Dictionary(grouping: keys, by: \.kid) {
            guard let kid, keys.count == 1, let key = try? VerifyingKey(jwk: keys[0]) else { continue }
            known[kid] = key
        }
        return known
    }
}
