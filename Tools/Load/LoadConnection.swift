#if Tools
package import NIOCore
import NIOHTTP1
package import NIOPosix
import Synchronization

/// A persistent HTTP/1.1 connection that sends one request at a time. Once it has ended, as servers end one that was silent, the
/// next request opens it again.
package final class LoadConnection: Sendable {
    /// An answer of the server.
    package struct Answer: Sendable {
        package var status: Int
        package var nonce: String?
        /// The header `WWW-Authenticate`.
        package var challenge: String?
        /// The names of the headers in lower case, sorted.
        package var headerNames: [String]
        package var body: [UInt8]
    }

    /// No answer came in time.
    package struct Unanswered: Error, CustomStringConvertible {
        package var description: String
    }

    private let connect: @Sendable () async throws -> any Channel
    private let channel: Mutex<any Channel>
    private let limit: TimeAmount
    private let host: String

    /// - Parameter limit: how long to wait for an answer. The time is generous, because a busy machine delays answers.
    package init(
        host: String, port: Int, on group: MultiThreadedEventLoopGroup, limit: TimeAmount = .minutes(3)
    ) async throws {
        self.limit = limit
        self.host = "\(host):\(port)"
        connect = {
            try await ClientBootstrap(group: group)
                .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(OneAtATime())
                    }
                }
                .connect(host: host, port: port).get()
        }
        channel = Mutex(try await connect())
    }

    /// The connection, opened again if it has ended.
    private func open() async throws -> any Channel {
        let last = channel.withLock { $0 }
        guard !last.isActive else { return last }
        let next = try await connect()
        channel.withLock { $0 = next }
        return next
    }

    package func send(
        _ method: String, _ path: String, type: String? = nil, headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> Answer {
        var fields = HTTPHeaders([("Host", host)])
        if !headers.contains(where: { ["content-length", "transfer-encoding"].contains($0.0.lowercased()) }) {
            fields.add(name: "Content-Length", value: "\(body.count)")
        }
        if let type { fields.add(name: "Content-Type", value: type) }
        for (name, value) in headers { fields.add(name: name, value: value) }
        let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: fields)
        let channel = try await open()
        let promise = channel.eventLoop.makePromise(of: Answer.self)
        // On a closed connection the write fails before the handler sees the request.
        channel.writeAndFlush(OneAtATime.Exchange(head: head, body: body, promise: promise)).cascadeFailure(to: promise)
        // After a timeout the connection is closed, because its next answer would be to this request.
        let description = "\(method) \(path) had no answer in \(limit.nanoseconds / 1_000_000_000) s"
        let timeout = channel.eventLoop.scheduleTask(in: limit) {
            promise.fail(Unanswered(description: description))
            channel.close(promise: nil)
        }
        promise.futureResult.whenComplete { _ in timeout.cancel() }
        do {
            return try await promise.futureResult.get()
        } catch let unanswered as Unanswered {
            // The next request then finds that the connection has ended.
            try? await channel.closeFuture.get()
            throw unanswered
        }
    }

    package func close() async throws {
        try await channel.withLock { $0 }.close()
    }
}

/// Writes a request and collects its answer. If the connection closes, the waiting request fails.
private final class OneAtATime: ChannelDuplexHandler {
    struct Exchange {
        var head: HTTPRequestHead
        var body: [UInt8]
        var promise: EventLoopPromise<LoadConnection.Answer>
    }

    struct Closed: Error {}

    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private var waiting: EventLoopPromise<LoadConnection.Answer>?
    private var answer = LoadConnection.Answer(status: 0, nonce: nil, challenge: nil, headerNames: [], body: [])
    private var isClosed = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        guard !isClosed, waiting == nil else {
            promise?.fail(Closed())
            return
        }
        waiting = exchange.promise
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        if !exchange.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: exchange.body)))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = .init(
                status: Int(head.status.code), nonce: head.headers.first(name: "DPoP-Nonce"),
                challenge: head.headers.first(name: "WWW-Authenticate"),
                headerNames: head.headers.map { $0.name.lowercased() }.sorted(), body: []
            )
        case .body(let part): answer.body += part.readableBytesView
        case .end:
            waiting?.succeed(answer)
            waiting = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) { fail(Closed()) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    private func fail(_ error: any Error) {
        isClosed = true
        waiting?.fail(error)
        waiting = nil
    }
}
#endif
