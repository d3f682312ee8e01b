#if Tools
import NIOCore
import NIOPosix

/// Finds a free TCP port.
enum FreePort {
    static func find(on host: String) throws -> Int {
        let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: host, port: 0).wait()
        defer { try? channel.close().wait() }
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return port
    }
}
#endif
