#if Server
package import Hummingbird
package import Logging
package import NIOCore

/// The context of a request: Hummingbird's own, and the address that the request came from.
package struct ServerContext: RemoteAddressRequestContext {
    /// Hummingbird's part of the context.
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; behind a proxy, the proxy's address.
    package let remoteAddress: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// The context of a request that comes without a connection, in this process.
    package init(logger: Logger) {
        coreContext = .init(source: NoConnection(logger: logger))
        remoteAddress = nil
    }

    private struct NoConnection: RequestContextSource { let logger: Logger }
}
#endif
