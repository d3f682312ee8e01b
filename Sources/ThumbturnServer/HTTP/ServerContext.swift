#if Server
package import Hummingbird
package import NIOCore

/// What is known of a request beside what it says: where it came from.
package struct ServerContext: RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; behind a proxy that is the proxy.
    package let remoteAddress: SocketAddress?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// The parts of the server that were written for Hummingbird's own context take this one.
package typealias BasicRequestContext = ServerContext
#endif
