#if Tools
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// Connections and requests have bounds, and a client that keeps to them notices nothing.
@Suite struct ConnectionTests {
    // MARK: Time

    /// The parser and the two bounds, as a connection of the server has them.
    private static func channel(_ connections: Connections = Connections(.init())) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        let request = ConnectionDeadline(.seconds(30))
        try pipeline.addHandler(RequestDeadline(request))
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(ConnectionGate(connections, isBehindProxies: false, request: request, limit: .seconds(30)))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    private static let head = "POST /v1/challenges HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"

    @Test("a request that trickles in ends at its deadline", arguments: [false, true]) func trickle(_ isInBody: Bool) throws {
        let before = isInBody ? Self.head : ""
        let channel = try Self.channel()
        // A long silence before the first byte is the idle limit's business.
        channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        let bytes = Array((before + (isInBody ? String(repeating: "x", count: 99) : Self.head)).utf8)
        let first = before.utf8.count + 1
        var sent = ByteBuffer(bytes: bytes[..<first])
        for byte in bytes[first...].prefix(30) {
            try channel.writeInbound(sent)
            #expect(channel.isActive)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            sent = ByteBuffer(bytes: [byte])
        }
        #expect(!channel.isActive)
    }

    @Test func aRequestThatWasReadInTimeHasNoDeadlineAnyMore() throws {
        let channel = try Self.channel()
        for _ in 1...3 {
            try channel.writeInbound(ByteBuffer(string: Self.head))
            channel.embeddedEventLoop.advanceTime(by: .seconds(29))
            try channel.writeInbound(ByteBuffer(string: String(repeating: "x", count: 100)))
            // The next one has a deadline of its own.
            channel.embeddedEventLoop.advanceTime(by: .seconds(100))
            #expect(channel.isActive)
        }
        try channel.writeInbound(ByteBuffer(string: Self.head))
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(!channel.isActive)
    }

    @Test("a head that comes together with the end of the request before it has a deadline") func pipelined() throws {
        let channel = try Self.channel()
        try channel.writeInbound(ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.head))
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(!channel.isActive)
    }

    @Test func aClientThatDoesNotReadItsAnswerIsClosed() throws {
        for isRead in [true, false] {
            let channel = try Self.channel()
            let pipeline = channel.pipeline.syncOperations
            let answer = HTTPResponseHead(version: .http1_1, status: .ok)
            pipeline.write(NIOAny(HTTPServerResponsePart.head(answer)), promise: nil)
            pipeline.write(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
            if isRead { pipeline.flush() }
            channel.embeddedEventLoop.advanceTime(by: .seconds(30))
            #expect(channel.isActive == isRead)
            // The promise of the write that was waiting is kept.
            pipeline.flush()
        }
    }

    // MARK: Number

    @Test func connectionsAreCountedInAllAndByAddress() throws {
        var limits = ConnectionLimits()
        (limits.inAll, limits.byAddress) = (3, 2)
        let connections = Connections(limits)
        let (one, two) = (Network(try SocketAddress(ipAddress: "192.0.2.1", port: 1)), Network.unknown)
        #expect((1...3).map { _ in connections.open(from: one) } == [.admitted, .admitted, .addressIsFull])
        #expect((1...2).map { _ in connections.open(from: two) } == [.admitted, .serverIsFull])
        connections.close(.admitted, from: one)
        connections.close(.addressIsFull, from: one)
        connections.close(.serverIsFull, from: two)
        #expect(connections.open(from: one) == .admitted)
        #expect(connections.counts.turnedAway == 0 && connections.counts.admitted == 3)
        for _ in 1...Limits.turnedAway { #expect(connections.open(from: one) == .serverIsFull) }
        #expect(connections.open(from: one) == .dropped, "not even an answer")
        for _ in 1...2 { connections.close(.admitted, from: one) }
        connections.close(.admitted, from: two)
        #expect(connections.counts.networks == 0, "a network without connections is forgotten")
    }

    @Test func behindProxiesTheRequestsInProgressOfEachClientAreCounted() throws {
        var limits = ConnectionLimits()
        limits.byAddress = 2
        let connections = Connections(limits)
        for _ in 1...100 { #expect(connections.open(from: nil) == .admitted, "the proxy's") }
        let client = Network(try SocketAddress(ipAddress: "192.0.2.1", port: 1))
        #expect((1...3).map { _ in connections.begin(from: client) } == [true, true, false])
        #expect(connections.begin(from: .unknown))
        connections.end(from: client)
        #expect(connections.begin(from: client))
    }

    @Test func theLimitOfOpenFilesLowersTheNumberOfConnections() throws {
        let limits = ConnectionLimits()
        #expect(limits.lowered(toOpenFiles: 1024).inAll == 1024 - Limits.reservedFiles)
        #expect(limits.lowered(toOpenFiles: 1_000_000) == limits && limits.lowered(toOpenFiles: nil) == limits)
        #expect(limits.lowered(toOpenFiles: 1).inAll == 1)
        #expect(try #require(ConnectionLimits.openFiles) > 0)
    }

    @Test("one connection too many gets a neutral answer and is closed", arguments: [429, 503])
    func turnedAway(_ status: Int) throws {
        var limits = ConnectionLimits()
        if status == 429 { limits.byAddress = 0 } else { limits.inAll = 0 }
        let connections = Connections(limits)
        let channel = try Self.channel(connections)
        try channel.writeInbound(ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil, "no route sees it")
        var text = ""
        while var part = try channel.readOutbound(as: ByteBuffer.self) {
            text += part.readString(length: part.readableBytes) ?? ""
        }
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        let head = text.lowercased()
        #expect(head.contains("retry-after: 5\r\n") && head.contains("connection: close\r\n"))
        #expect(text.contains("urn:thumbturn:problem:unavailable"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive && connections.counts.turnedAway == 0)
    }

    @Test(.timeLimit(.minutes(5))) func whoHasTooManyConnectionsIsToldAndComesInAgainLater() async throws {
        try await LiveServer.run(configure: { $0.connections.byAddress = 2 }) { live in
            let (first, second) = (try await live.connect(), try await live.connect())
            for connection in [first, second] { #expect(try await connection.send("GET", "/health").status == 200) }
            let answer = try await live.connect().send("GET", "/health")
            #expect(answer.status == 429 && answer.kind == "unavailable" && answer.headerNames.contains("retry-after"))
            #expect(try await first.send("GET", "/health").status == 200, "the others notice nothing")
            try await second.close()
            while try await live.connect().send("GET", "/health").status != 200 {}
        }
    }

    @Test(.timeLimit(.minutes(5))) func behindAProxyOneClientTakesNoPlaceOfAnother() async throws {
        try await LiveServer.run(
            configure: {
                $0.trustedProxies = 1
                $0.connections.byAddress = 1
            },
            { live in
                let slow = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: live.port).get()
                let head =
                    "POST /v1/challenges HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n"
                try await slow.writeAndFlush(ByteBuffer(string: head)).get()
                func status(_ address: String) async throws -> Int {
                    try await live.connect().send("GET", "/health", headers: [("X-Forwarded-For", address)]).status
                }
                while try await status("192.0.2.1") != 429 {}
                #expect(try await status("192.0.2.2") == 200)
                try await slow.close()
                while try await status("192.0.2.1") != 200 {}
            })
    }

    @Test(.timeLimit(.minutes(5))) func aBodyThatNeverEndsIsClosed() async throws {
        try await LiveServer.run(configure: { $0.requestLimit = .milliseconds(50) }) { live in
            let slow = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: live.port).get()
            try await slow.writeAndFlush(ByteBuffer(string: Self.head)).get()
            // The server ends it; nothing else would.
            try await slow.closeFuture.get()
        }
    }

    // MARK: Stopping

    /// A server that stops lets go of the connections that it has accepted and not handled yet.
    @Test(.timeLimit(.minutes(5))) func aConnectionThatNothingHandlesEndsQuietly() async throws {
        let responder: HTTPChannelHandler.Responder = { _, _, _ in }
        let bounded = BoundedChannel(
            base: HTTP1Channel(responder: responder), connections: Connections(.init()), isBehindProxies: false,
            limit: .seconds(30))
        let (closed, over) = AsyncStream.makeStream(of: Void.self)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.closeFuture.whenComplete { _ in over.yield() }
                return bounded.setup(channel: channel, logger: Logger(label: "test")).map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        for _ in 1...5 {
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(to: #require(server.localAddress)).get()
            try await client.writeAndFlush(ByteBuffer(string: Self.head)).get()
            try await client.close()
            for await _ in closed { break }
        }
        try await server.close()
    }
}
#endif
