#if Tools
import NIOCore
import NIOPosix
import Thumbturn
import ThumbturnMessages

/// A server that is hostile to devices, in the manner that a request's path names first. It speaks HTTP/1.1 by hand,
/// because no library writes such answers.
struct HostileServer: Sendable {
    private let channel: any Channel

    /// Listens.
    ///
    /// - Parameter pause: the time between two bytes of the manner `drip`.
    static func start(host: String, port: Int, pause: TimeAmount = .seconds(5)) async throws -> HostileServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HostileConnection(pause: pause))
                }
            }
            .bind(host: host, port: port).get()
        return HostileServer(channel: channel)
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async throws { try await channel.close() }
    func waitUntilStopped() async throws { try await channel.closeFuture.get() }
}

/// One connection, for one request.
private final class HostileConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let pause: TimeAmount
    private var received: [UInt8] = []
    private var isAnswered = false

    init(pause: TimeAmount) { self.pause = pause }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        received += unwrapInboundIn(data).readableBytesView
        guard received.count <= 1024 * 1024 else { return context.close(promise: nil) }
        guard let (manner, request) = read() else { return }
        isAnswered = true
        answer(request, manner, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// The request, once all of it is here.
    private func read() -> (HostileManner?, HostileAnswers.Request)? {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].lowercased()] = parts[1].trimmingPrefix(" ").description
        }
        let body = received[end.upperBound...]
        guard body.count >= fields["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
        let words = (lines.first ?? "").split(separator: " ")
        let path = words.count > 1 ? words[1] : "/"
        let segment = path.dropFirst().prefix { $0 != "/" }
        let request = HostileAnswers.Request(
            method: words.first.map(String.init) ?? "", path: String(path.dropFirst(1 + segment.count)),
            issuer: "http://\(fields["host"] ?? "")/\(segment)", dpop: fields["dpop"], body: Array(body))
        return (HostileManner.named(segment), request)
    }

    private func answer(_ request: HostileAnswers.Request, _ manner: HostileManner?, _ context: ChannelHandlerContext) {
        guard let manner else { return send(404, "{}", to: context) }
        if case .sends(let sending) = manner.kind { return send(sending, request, to: context) }
        guard let body = HostileAnswers(manner: manner).answer(request) else { return send(404, "{}", to: context) }
        send(200, String(decoding: body, as: UTF8.self), to: context)
    }

    private func send(
        _ sending: HostileManner.Sending, _ request: HostileAnswers.Request, to context: ChannelHandlerContext
    ) {
        switch sending {
        case .silent: break
        case .drip: drip(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8), context)
        case .endless: write("HTTP/1.1 200 OK\r\n\r\n", then: Self.many("x"), context)
        case .endlessHead: write("HTTP/1.1 200 OK\r\n", then: "X-Field: \(String(repeating: "x", count: 4000))\r\n", context)
        case .tenGigabytes:
            write("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", then: Self.many("x"), context)
        case .gzipBomb: write(Self.bomb, context)
        case .deep: send(200, String(repeating: "[", count: 200_000), to: context)
        case .wide: send(200, "{\((0..<100_000).map { "\"\($0)\":1" }.joined(separator: ","))}", to: context)
        case .notHTTP: write(Array("SSH-2.0-hostile\r\n".utf8), context)
        case .redirect301: send(301, "", ["Location": "/honest\(request.path)"], to: context)
        case .redirect307: send(307, "", ["Location": "/honest\(request.path)"], to: context)
        case .redirectToItself: send(307, "", ["Location": "\(request.issuer)\(request.path)"], to: context)
        case .redirectElsewhere: send(302, "", ["Location": "http://127.0.0.1:9/"], to: context)
        case .noncesForEver:
            let nonce = Base64URL.encode(RandomBytes.sixteen())
            send(401, #"{"error":"use_dpop_nonce","status":401,"title":"x","type":"x"}"#, ["DPoP-Nonce": nonce], to: context)
        case .asksForBasic: send(401, "{}", ["WWW-Authenticate": "Basic realm=\"x\""], to: context)
        case .asksForDigest: send(401, "{}", ["WWW-Authenticate": "Digest realm=\"x\", nonce=\"y\""], to: context)
        case .hugeDemand:
            let values = (0..<4000).map { "a\($0)=\"b\"" }.joined(separator: ", ")
            send(401, "{}", ["WWW-Authenticate": "DPoP \(values)"], to: context)
        case .brokenDemand:
            let demand = StepUpChallenge(maximumAge: .seconds(Int64.min)).header(scheme: .dpop) + ", acr_values=\""
            send(401, "{}", ["WWW-Authenticate": demand], to: context)
        case .trailers: write(Array((Self.chunked + "2\r\n{}\r\n0\r\nX-Late: x\r\n\r\n").utf8), context)
        case .endlessTrailers: write(Self.chunked + "2\r\n{}\r\n0\r\n", then: Self.many("X-Late: x\r\n"), context)
        case .endlessRedirect:
            write("HTTP/1.1 307 Hostile\r\nLocation: /honest\(request.path)\r\n\r\n", then: Self.many("x"), context)
        case .endlessInterim: write("", then: Self.many("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), context)
        case .endlessFields: write("HTTP/1.1 200 OK\r\n", then: Self.many("X: x\r\n"), context)
        case .endlessSpaces: write("HTTP/1.1 200 OK\r\nX:", then: Self.many(" "), context)
        case .endlessExtension: write(Self.chunked + "2;", then: Self.many("x"), context)
        case .oneByteChunks: write(Self.chunked, then: Self.many("1\r\nx\r\n"), context)
        case .statusBelow100: write(Array("HTTP/1.1 099 Hostile\r\nContent-Length: 2\r\n\r\n{}".utf8), context)
        }
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// The text, as often as 64 KiB have room for it.
    private static func many(_ text: String) -> String { String(repeating: text, count: 65_536 / text.utf8.count) }

    /// 1 MiB of zeros in 1,051 bytes of gzip (RFC 1952), many times over: each member of the file counts.
    private static let bomb: [UInt8] = {
        let member: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0]
            + [UInt8](repeating: 0, count: 1016) + [0x3E, 3, 0x1C, 0xEA, 0x38, 0xA7, 0, 0, 0x10, 0]
        let body = [[UInt8]](repeating: member, count: 200).flatMap { $0 }
        return Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }()

    // MARK: Writing

    private func send(_ status: Int, _ body: String, _ fields: [String: String] = [:], to context: ChannelHandlerContext) {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        let head = "HTTP/1.1 \(status) Hostile\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(lines)\r\n"
        write(Array((head + body).utf8), context)
    }

    /// Writes, and closes the connection.
    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Writes a start, and then the same for ever: of 64 KiB each about 64 MB in a second, which is more than most
    /// networks carry.
    private func write(_ start: String, then rest: String, _ context: ChannelHandlerContext) {
        let (channel, piece) = (context.channel, ByteBuffer(string: rest))
        @Sendable func goOn() {
            channel.writeAndFlush(piece).whenSuccess {
                channel.eventLoop.scheduleTask(in: .milliseconds(1)) { goOn() }
            }
        }
        channel.writeAndFlush(ByteBuffer(string: start)).whenSuccess { goOn() }
    }

    /// Writes one byte, and after a pause the next.
    private func drip(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let (channel, pause) = (context.channel, pause)
        @Sendable func drop(_ index: Int) {
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "x")
            channel.writeAndFlush(ByteBuffer(bytes: [byte])).whenSuccess {
                channel.eventLoop.scheduleTask(in: pause) { drop(index + 1) }
            }
        }
        drop(0)
    }
}
#endif
