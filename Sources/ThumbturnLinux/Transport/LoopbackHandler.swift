#if LinuxDevice && os(Linux)
import Foundation
import NIOCore
import ThumbturnDevice

/// Reads one request of a browser, answers with a page, and closes the connection.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a request: browsers send 1 to 2 KiB, and a code may have some more.
    private static let longest = 16 * 1024
    /// The time for the whole request. A browser may open a connection before it knows whether it needs one.
    private static let deadline = TimeAmount.seconds(10)

    private let page: SignInPage
    private let accept: @Sendable (URL) -> Void
    private var received: [UInt8] = []
    private var hasAnswered = false

    /// - Parameter accept: gets the sign-in's answer, once the browser has its page.
    init(_ page: SignInPage, accept: @escaping @Sendable (URL) -> Void) {
        self.page = page
        self.accept = accept
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.deadline) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasAnswered else { return }
        received += unwrapInboundIn(data).readableBytesView
        let end = received.firstRange(of: Array("\r\n\r\n".utf8))
        guard end != nil || received.count > Self.longest else { return }
        hasAnswered = true
        let port = context.channel.localAddress?.port ?? 0
        let reply = LoopbackReply(to: received.prefix(Self.longest), isWhole: end != nil, at: port, for: page)
        let (channel, accept) = (context.channel, accept)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply.bytes))).whenComplete { _ in
            channel.close(promise: nil)
            if let answer = reply.answer { accept(answer) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
