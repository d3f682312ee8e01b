#if LinuxDevice && os(Linux)
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// Listens on 127.0.0.1 for the answer to one sign-in.
final class LoopbackListener: Sendable {
    let port: Int
    let answers: AsyncStream<URL>
    private let server: any Channel
    private let connected: Connected

    private init(port: Int, answers: AsyncStream<URL>, server: any Channel, connected: Connected) {
        (self.port, self.answers, self.server, self.connected) = (port, answers, server, connected)
    }

    static func start(for page: SignInPage) async throws(Failure) -> LoopbackListener {
        let (answers, mailbox) = AsyncStream.makeStream(of: URL.self)
        let connected = Connected()
        do {
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard connected.add(channel) else { throw ChannelError.inappropriateOperationForState }
                        try channel.pipeline.syncOperations.addHandler(LoopbackHandler(page) { mailbox.yield($0) })
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            guard let port = server.localAddress?.port else { preconditionFailure("a socket that is bound has a port") }
            return LoopbackListener(port: port, answers: answers, server: server, connected: connected)
        } catch {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int((error as? IOError)?.errnoCode ?? 0)))
        }
    }

    /// Closes the port and everything that came through it.
    func close() async {
        try? await server.close().get()
        for channel in connected.end() { try? await channel.close().get() }
    }
}

/// The connections that are open.
private final class Connected: Sendable {
    /// The most at a time: a browser opens a few, some of them without a request.
    private static let most = 16

    private let open = Mutex<[ObjectIdentifier: any Channel]?>([:])

    /// False where there are too many, or the listener is closed.
    func add(_ channel: any Channel) -> Bool {
        let isAdded = open.withLock { open in
            guard var now = open, now.count < Self.most else { return false }
            now[ObjectIdentifier(channel)] = channel
            open = now
            return true
        }
        if isAdded {
            channel.closeFuture.whenComplete { _ in self.open.withLock { _ = $0?.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
        return isAdded
    }

    /// Takes no more, and returns those that are open.
    func end() -> [any Channel] {
        open.withLock { open in
            defer { open = nil }
            return open.map { Array($0.values) } ?? []
        }
    }
}
#endif
