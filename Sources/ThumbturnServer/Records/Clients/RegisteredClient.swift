#if Server
/// A back end as the operator registered it.
public struct RegisteredClient: Hashable, Sendable {
    /// The name, which is its `client_id`.
    public var name: String
    /// The scopes that it has.
    public var scopes: [ClientScope]
    /// The RFC 7638 thumbprints of its public keys.
    public var keys: [String]
    /// What it may do within its scopes.
    public var limits: ClientLimits
    /// Whether it may use tokens that are not bound to a key.
    public var allowsBearer: Bool
}
#endif
