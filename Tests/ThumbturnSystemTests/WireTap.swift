#if Tools
import NIOCore
import NIOPosix
import Synchronization

/// A proxy between clients and a server on this machine that records all bytes.
final class WireTap: Sendable {
    private let recorded = Mutex<[[UInt8]]>([])
    private let channel = Mutex<(any Channel)?>(nil)

    /// The port for clients.
    var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
    /// The bytes of each direction of each connection.
    var streams: [[UInt8]] { recorded.withLock { $0 } }

    static func start(to port: Int) async throws -> WireTap {
        let tap = WireTap()
        let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
                    .channelInitializer { server in tap.add(to: server, forwardingTo: client) }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in tap.add(to: client, forwardingTo: server) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        tap.channel.withLock { $0 = bound }
        return tap
    }

    func stop() async throws {
        try await channel.withLock { $0 }?.close()
    }

    private func add(to channel: any Channel, forwardingTo peer: any Channel) -> EventLoopFuture<Void> {
        let stream = recorded.withLock { streams in
            streams.append([])
            return streams.count - 1
        }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Forwarding(tap: self, stream: stream, peer: peer))
        }
    }

    private final class Forwarding: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let tap: WireTap
        private let stream: Int
        private let peer: any Channel

        init(tap: WireTap, stream: Int, peer: any Channel) {
            self.tap = tap
            self.stream = stream
            self.peer = peer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            tap.recorded.withLock { $0[stream] += buffer.readableBytesView }
            peer.writeAndFlush(buffer, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { peer.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
#endif
