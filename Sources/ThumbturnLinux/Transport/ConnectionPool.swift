#if LinuxDevice && os(Linux)
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// Opens connections, and keeps those that wait for their next request.
final class ConnectionPool: Sendable {
    private struct Idle {
        let channel: any Channel
        /// On a clock that goes on while the machine is asleep, because the server's does.
        let end: ContinuousClock.Instant
    }

    private struct State {
        var idle: [Server: [Idle]] = [:]
        var tls: NIOSSLContext?
    }

    private let roots: [UInt8]?
    private let state = Mutex(State())

    /// How long a connection waits for its next request. A device's calls come in bursts, and most servers wait longer.
    private static let patience = Duration.seconds(15)
    /// The most connections to a server that wait.
    private static let most = 4

    /// - Parameter roots: the certificates, in PEM, that are trusted instead of the system's; nil for the system's.
    init(trusting roots: [UInt8]? = nil) { self.roots = roots }

    /// Sends a request through a connection that waits, or through a new one. The pending answer has the outcome.
    func send(_ call: Call, to server: Server) {
        guard let channel = take(server) else { return open(call, to: server) }
        call.answer.onStop { channel.cut() }
        channel.writeAndFlush(call).whenFailure { call.answer.failed($0) }
    }

    private func open(_ call: Call, to server: Server) {
        let tls: NIOSSLContext?
        do { tls = server.isSecure ? try context() : nil } catch { return call.answer.failed(error) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        // On the connection's own loop: elsewhere the handshake may have failed before the call was written, and its error lost.
        loop.execute {
            // An attempt to connect cannot be cancelled, so it has a limit of its own.
            let opening = ClientBootstrap(group: loop)
                .connectTimeout(TimeAmount(call.request.deadline))
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try self.fill(channel.pipeline.syncOperations, server, tls) }
                }
                .connect(host: server.host, port: server.port)
            call.answer.onStop { opening.whenSuccess { $0.cut() } }
            opening.flatMap { $0.writeAndFlush(call) }.whenFailure { call.answer.failed($0) }
        }
    }

    private func fill(_ pipeline: ChannelPipeline.SynchronousOperations, _ server: Server, _ tls: NIOSSLContext?) throws {
        try pipeline.addHandler(AnswerLimit())
        if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: server.certificateName)) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldCount = TransportResponse.mostHeaders
        limits.maxHeaderListSize = TransportResponse.longestHeaders
        limits.maxHeaderFieldSize = TransportResponse.longestHeaders
        try pipeline.addHandlers(
            HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder(limitConfiguration: limits)),
            NIOHTTPRequestHeadersValidator(), ExchangeHandler(connections: self, server: server)
        )
    }

    /// What TLS trusts. Reading the system's certificates takes milliseconds, so they are read once; a failure is not kept.
    private func context() throws -> NIOSSLContext {
        if let made = state.withLock({ $0.tls }) { return made }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let roots { configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(roots)) }
        let made = try NIOSSLContext(configuration: configuration)
        state.withLock { $0.tls = made }
        return made
    }

    // MARK: Connections that wait

    private func take(_ server: Server) -> (any Channel)? {
        state.withLock { state in
            while let last = state.idle[server]?.popLast() {
                if last.end > .now, last.channel.isActive { return last.channel }
                last.channel.cut()
            }
            return nil
        }
    }

    /// Keeps a connection whose request is answered. False where it has to be closed.
    func keep(_ channel: any Channel, to server: Server) -> Bool {
        let end = ContinuousClock.now.advanced(by: Self.patience)
        let isKept = state.withLock { state in
            guard channel.isActive, state.idle[server, default: []].count < Self.most else { return false }
            state.idle[server, default: []].append(Idle(channel: channel, end: end))
            return true
        }
        if isKept {
            channel.eventLoop.scheduleTask(in: TimeAmount(Self.patience)) {
                if self.forget(channel, to: server, before: end) { channel.cut() }
            }
        }
        return isKept
    }

    /// Keeps a connection no longer. False where it does not wait since then.
    @discardableResult
    func forget(_ channel: any Channel, to server: Server, before end: ContinuousClock.Instant? = nil) -> Bool {
        state.withLock { state in
            guard
                let index = state.idle[server]?.firstIndex(where: { $0.channel === channel && (end ?? $0.end) == $0.end })
            else { return false }
            state.idle[server]?.remove(at: index)
            if state.idle[server]?.isEmpty == true { state.idle[server] = nil }
            return true
        }
    }
}

extension Channel {
    /// Closes the connection at once: TLS would wait for the server to close it, too.
    fileprivate func cut() { triggerUserOutboundEvent(AnswerLimit.Cut(), promise: nil) }
}
#endif
