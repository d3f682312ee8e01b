#if LinuxDevice && os(Linux)
import NIOCore
import ThumbturnCore
import ThumbturnDevice

/// The first handler of a connection. It counts what the server sends for one answer, with all that is around it: TLS,
/// heads, chunks, trailers, and answers with a status below 200. What is beyond the limit is not read, and the connection
/// is closed.
///
/// The handlers behind it have limits of their own, and gaps between them: the decoder of HTTP keeps the spaces before a
/// field's value, for one, without counting them.
final class AnswerLimit: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// Closes the connection at once.
    struct Cut: Sendable {}

    private var answer: PendingAnswer?
    /// What may still come. A server may greet with TLS, and nothing else, before there is a call.
    private var left = AnswerLimit.surroundings

    /// For the head, and the certificates of TLS.
    private static let surroundings = 64 * 1024

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        left -= unwrapInboundIn(data).readableBytes
        guard left >= 0 else {
            answer?.stop(Failure(.unexpectedAnswer))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case let call as Call:
            answer = call.answer
            // Twice, because small chunks and small records of TLS cost that much at most where a server is honest.
            let longest = min(max(call.request.longestAnswer, 0), Int.max / 4)
            left = 2 * longest + Self.surroundings
            promise?.succeed()
        case is Cut: context.close(promise: promise)
        default: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }
}
#endif
