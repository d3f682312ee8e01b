#if Server
/// The most connections of a server process.
///
/// A connection beyond them gets a neutral answer with `Retry-After` to its first request and is closed: 503 (RFC 9110
/// section 15.6.4) where the server is full, and 429 (RFC 6585 section 4) where one address has too many.
public struct ConnectionLimits: Hashable, Sendable {
    /// The most connections in all. It is lowered to what the operating system's limit of open files allows.
    public var inAll = Limits.connections
    /// The most connections of one network: of an IPv4 address, or of the first 64 bits of an IPv6 address. If there are
    /// trusted proxies all connections are theirs, and this is the most requests in progress of one network of clients.
    public var byAddress = Limits.connectionsOfAddress

    /// Creates the default limits.
    public init() {}
}
#endif
