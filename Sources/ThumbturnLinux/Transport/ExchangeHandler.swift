#if LinuxDevice && os(Linux)
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ThumbturnCore
import ThumbturnDevice

/// The last handler of a connection: sends one request after the other, and hands what arrives to the answer that waits for it.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Call
    typealias OutboundOut = HTTPClientRequestPart

    private let connections: ConnectionPool
    private let server: Server
    private var answer: PendingAnswer?
    private var isReusable = false
    private var isComplete = false

    init(connections: ConnectionPool, server: Server) {
        self.connections = connections
        self.server = server
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        // A caller that was cancelled while the connection was opened sends nothing.
        guard !call.answer.hasEnded else { return context.close(promise: promise) }
        answer = call.answer
        (isReusable, isComplete) = (false, false)
        context.triggerUserOutboundEvent(call, promise: nil)
        context.write(wrapOutboundOut(.head(call.head)), promise: nil)
        if !call.request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: call.request.body)))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReusable = head.isKeepAlive
            // The decoder drops those that come before the real one, and lets others through that no request of ours asks for.
            if head.status.code < 200 { answer?.stop(Failure(.unexpectedAnswer)) }
            var fields: [String: String] = [:]
            for (name, value) in head.headers {
                fields[name.lowercased(), default: ""] += fields[name.lowercased()] == nil ? value : ", \(value)"
            }
            // A length that is no number is refused by the decoder; -1 says that there is none.
            let length = head.headers.first(name: "Content-Length").flatMap { Int64($0) } ?? -1
            answer?.received(status: Int(head.status.code), headers: fields, length: length)
        case .body(let piece): answer?.received(piece.readableBytesView)
        // With trailers, which are dropped.
        case .end: isComplete = true
        }
    }

    /// Everything that has arrived was read. A connection is used again only where nothing came after the answer.
    func channelReadComplete(context: ChannelHandlerContext) {
        guard isComplete, let ended = answer.take() else { return }
        var isKept = false
        ended.completed { isKept = isReusable && connections.keep(context.channel, to: server) }
        if !isKept { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connections.forget(context.channel, to: server)
        end(ChannelError.eof)
    }

    /// The connection has ended. An answer that is complete counts, whatever came after it.
    private func end(_ error: any Error) {
        guard let ended = answer.take() else { return }
        if isComplete { ended.completed() } else { ended.failed(error) }
    }
}

extension PendingAnswer {
    /// The network failed, or what the server sent is not HTTP.
    func failed(_ error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState: failed(.init(domain: "NIO", code: 0))
        case is HTTPParserError, is NIOHTTPDecoderError: stop(Failure(.unexpectedAnswer))
        case let error as IOError: failed(.init(domain: "POSIX", code: Int(error.errnoCode)))
        case let error as NIOConnectionError:
            // Each address of the server failed; the first one's error tells as much as any.
            if let first = error.connectionErrors.first { failed(first.error) } else { failed(.init(domain: "DNS", code: 0)) }
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: failed(.init(domain: "TLS", code: 0))
        default: failed(.init(domain: "NIO", code: 0))
        }
    }
}
#endif
