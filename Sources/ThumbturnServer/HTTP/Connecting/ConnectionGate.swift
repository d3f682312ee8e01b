#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ThumbturnMessages
import ThumbturnVerifier

/// A channel that bounds each connection: how many there are, and how long a request and its answer may take.
struct BoundedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: Connections
    /// Whether the other ends are proxies, so that their addresses say nothing about the clients.
    let isBehindProxies: Bool
    /// The time for a whole request, and then for sending its answer.
    let limit: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let deadline = NIOLoopBound(ConnectionDeadline(limit), eventLoop: channel.eventLoop)
        return channel.eventLoop.makeCompletedFuture {
            // In front of the parser, which does not show an unfinished head.
            try channel.pipeline.syncOperations.addHandler(RequestDeadline(deadline.value))
        }
        .flatMap { base.setup(channel: channel, logger: logger) }
        .flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let gate = ConnectionGate(
                connections, isBehindProxies: isBehindProxies, request: deadline.value, limit: limit)
            try pipeline.addHandler(gate, position: .after(parser))
            // A server that stops in the moment of an accept drops the connection's value before anything has handled
            // it, and NIO ends the process when a writer that was never finished is released. A channel that closes
            // finishes its writer, so the value lives until then.
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Begins the deadline of a request with its first byte. `ConnectionGate` ends it when the request has been read to its end.
/// It does not matter how often a byte arrives.
final class RequestDeadline: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let deadline: ConnectionDeadline

    init(_ deadline: ConnectionDeadline) {
        self.deadline = deadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadline.start(for: context.channel)
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline.end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline.end() }
}

/// A time after which a connection is closed, which is set and lifted with each request. Between requests its timer runs
/// on, because setting one and cancelling it for each request costs more.
final class ConnectionDeadline {
    private let limit: TimeAmount
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?

    init(_ limit: TimeAmount) {
        self.limit = limit
    }

    /// Sets the deadline, unless one is set.
    func start(for channel: any Channel) {
        guard deadline == nil else { return }
        deadline = channel.eventLoop.now + limit
        if timer == nil { schedule(for: channel) }
    }

    func stop() { deadline = nil }

    /// Ends the timer too, when the connection ends.
    func end() {
        stop()
        timer?.cancel()
        timer = nil
    }

    private func schedule(for channel: any Channel) {
        guard let deadline else { return }
        let this = NIOLoopBound(self, eventLoop: channel.eventLoop)
        timer = channel.eventLoop.scheduleTask(deadline: deadline) {
            this.value.timer = nil
            guard let deadline = this.value.deadline else { return }
            if deadline <= channel.eventLoop.now { channel.close(promise: nil) } else { this.value.schedule(for: channel) }
        }
    }
}

/// Counts a connection, and answers in the place of the routes where there are too many. It closes a connection whose
/// client does not read an answer in time.
final class ConnectionGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: Connections
    private let isBehindProxies: Bool
    private var admission: Connections.Admission?
    private var isAnswered = false
    private let request: ConnectionDeadline
    private let deadline: ConnectionDeadline
    /// The answers that the client has not read to their end. With pipelining there may be more than one.
    private var unread = 0

    /// - Parameters:
    ///   - request: the deadline of `RequestDeadline`.
    ///   - limit: the time in which a client has to read an answer.
    init(_ connections: Connections, isBehindProxies: Bool, request: ConnectionDeadline, limit: TimeAmount) {
        self.connections = connections
        self.isBehindProxies = isBehindProxies
        self.request = request
        deadline = ConnectionDeadline(limit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { count(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        count(context)
        context.fireChannelActive()
    }

    private func count(_ context: ChannelHandlerContext) {
        guard admission == nil else { return }
        let network = isBehindProxies ? nil : Network(context.channel.remoteAddress)
        let admission = connections.open(from: network)
        self.admission = admission
        context.channel.closeFuture.whenComplete { [connections] _ in connections.close(admission, from: network) }
        switch admission {
        case .admitted: break
        case .addressIsFull, .serverIsFull:
            let channel = context.channel
            channel.eventLoop.scheduleTask(in: TimeAmount(Limits.turningAway)) { channel.close(promise: nil) }
        case .dropped: context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        // The head may have come in the same read as the end of the request before it.
        case .head: request.start(for: context.channel)
        case .body: break
        case .end: request.stop()
        }
        switch admission {
        case nil, .admitted, .dropped: context.fireChannelRead(data)
        case .addressIsFull: turnAway(part, .tooManyRequests(), context)
        case .serverIsFull: turnAway(part, .unavailable(.init(.server, .overloaded)), context)
        }
    }

    /// Answers the first request, and ends the server's half of the connection. The client ends the other half: if the
    /// server closed both before it has read the rest of the request, the client might never see the answer.
    private func turnAway(_ part: HTTPServerRequestPart, _ refusal: RequestError, _ context: ChannelHandlerContext) {
        guard case .head(let head) = part, !isAnswered else { return }
        isAnswered = true
        let path = String(head.uri.prefix { $0 != "?" })
        var response = refusal.response(isOAuth: Routes.oauthPaths.contains(path))
        response.headers[.connection] = "close"
        let answer = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: refusal.problem.status),
            headers: HTTPHeaders(response.headers.map { ($0.name.rawName, $0.value) }))
        let (channel, sent) = (context.channel, context.eventLoop.makePromise(of: Void.self))
        sent.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        let body = ByteBuffer(bytes: WireJSON.encode(refusal.problem))
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isAnswered, event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // An interim answer (RFC 9110 section 15.2) has no end of its own.
            if head.status.code >= 200 {
                unread += 1
                deadline.start(for: context.channel)
            }
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            promise.futureResult.assumeIsolated().whenComplete { [self] _ in
                unread -= 1
                deadline.stop()
                if unread > 0 { deadline.start(for: channel) }
            }
            context.write(data, promise: promise)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline.end()
        context.fireChannelInactive()
    }
}

/// Behind proxies, the cap of the requests of one network that are answered at the same time. The proxies hold the
/// connections, so that those say nothing about a client.
enum FairShare {
    /// A responder that refuses the requests of a network that has too many in progress, and hands the rest to this one.
    static func required(
        by responder: @escaping HTTPChannelHandler.Responder, _ connections: Connections, behind proxies: Int
    ) -> HTTPChannelHandler.Responder {
        guard proxies > 0 else { return responder }
        return { request, writer, channel in
            let network = Network(request, channel.remoteAddress, behind: proxies)
            guard connections.begin(from: network) else {
                var response = RequestError.tooManyRequests().response(isOAuth: Routes.oauthPaths.contains(request.uri.path))
                // The body is not read, so the connection cannot be reused.
                response.headers[.connection] = "close"
                return try await writer.write(response: response.head, body: response.body)
            }
            defer { connections.end(from: network) }
            try await responder(request, writer, channel)
        }
    }
}
#endif
