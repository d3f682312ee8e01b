public import ThumbturnCore

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
