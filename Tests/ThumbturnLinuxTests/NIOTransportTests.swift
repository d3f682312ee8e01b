#if LinuxDevice && os(Linux)
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import NIOSSL
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnLinux

/// What a server can do to a call through swift-nio: nothing but end it with a named failure. The time is real here,
/// because the network is; each deadline is short.
@Suite(.timeLimit(.minutes(2))) struct NIOTransportTests {
    private let transport = NIOTransport()
    private static let limit: Int = TransportRequest.usualLongestAnswer
    private static let chunked: String = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    // MARK: Answers

    /// An answer's bytes, and what is read of it.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        var status = 200
        var headers: [String: String] = [:]
        var body = "ok"
    }

    static let answers = [
        Answer(
            testDescription: "a length", bytes: "HTTP/1.1 201 Made\r\nX-Name: a value\r\nContent-Length: 2\r\n\r\nok",
            status: 201, headers: ["x-name": "a value", "content-length": "2"]),
        Answer(testDescription: "until the end", bytes: "HTTP/1.1 200 OK\r\n\r\nok"),
        Answer(
            testDescription: "HTTP/1.0", bytes: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
            headers: ["content-length": "2"]),
        Answer(
            testDescription: "no body", bytes: "HTTP/1.1 204 None\r\nX: 1\r\nx: 2\r\n\r\n", status: 204, headers: ["x": "1, 2"],
            body: ""),
        Answer(
            testDescription: "chunks with extensions", bytes: chunked + "1;a=b\r\no\r\n1\r\nk\r\n0\r\n\r\n",
            headers: ["transfer-encoding": "chunked"]),
        Answer(
            testDescription: "trailers are dropped", bytes: chunked + "2\r\nok\r\n0\r\nX-Late: 1\r\nX-Later: 2\r\n\r\n",
            headers: ["transfer-encoding": "chunked"]),
        Answer(
            testDescription: "after others with a status below 200",
            bytes: "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\nok"),
        Answer(
            testDescription: "compressed, which is not undone",
            bytes: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
            headers: ["content-encoding": "gzip", "content-length": "2"]),
        Answer(
            testDescription: "a demand for credentials",
            bytes: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\nok", status: 401,
            headers: ["www-authenticate": "Basic realm=\"x\""]),
    ]

    @Test("is read", arguments: answers)
    func isRead(_ answer: Answer) async throws {
        let server = try RawServer { $0.send(answer.bytes) }
        defer { server.stop() }
        let read = try await transport.send(.get(server))
        #expect(read.status == answer.status && read.headers == answer.headers && read.body == Array(answer.body.utf8))
    }

    @Test("a redirect is an answer, and its address is not asked", arguments: [301, 302, 307])
    func redirect(_ status: Int) async throws {
        let elsewhere = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { elsewhere.stop() }
        let server = try RawServer { [url = elsewhere.url] connection in
            connection.send("HTTP/1.1 \(status) Moved\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        #expect(try await transport.send(.get(server)).status == status)
        #expect(elsewhere.connections == 0)
    }

    @Test func aRequestIsSentAsItIs() async throws {
        let server = try RawServer { connection in
            let length = connection.request.utf8.count
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(connection.request)")
        }
        defer { server.stop() }
        let request = TransportRequest(
            method: "POST", url: server.url + "v1/a%20b?c=d", headers: ["DPoP": "proof"], body: Array("body".utf8))
        let lines = String(decoding: try await transport.send(request).body, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.first == "POST /v1/a%20b?c=d HTTP/1.1")
        #expect(Set(lines.dropFirst()) == ["Host: 127.0.0.1:\(server.port)", "DPoP: proof", "Content-Length: 4"])
    }

    @Test func aFieldThatWouldBeginAnotherRequestIsNotSent() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        var request = TransportRequest.get(server)
        request.headers["X"] = "a\r\nY: b"
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(request) }
    }

    /// A server would take a part of the next call for the rest of this one, or the rest of this one for a call.
    @Test("a call ends where its body ends", arguments: [("Content-Length", "40"), ("transfer-encoding", "chunked")])
    func framing(_ name: String, _ value: String) async throws {
        let server = try RawServer { connection in
            let length = connection.request.utf8.count
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(connection.request)")
        }
        defer { server.stop() }
        var request = TransportRequest.get(server)
        request.headers[name] = value
        let sent = String(decoding: try await transport.send(request).body, as: UTF8.self)
        #expect(sent == "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    }

    @Test("what is no method of a call", arguments: ["", "get", "GET / HTTP/1.1\r\nX: a\r\n\r\nGET", "TRACE", "CONNECT"])
    func method(_ method: String) async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let request = TransportRequest(method: method, url: server.url, body: Array("GET /b HTTP/1.1\r\n\r\n".utf8))
        await expectFailure(.insecureServer) { _ = try await transport.send(request) }
        #expect(server.connections == 0)
    }

    @Test("no address of HTTP", arguments: ["", "ftp://127.0.0.1/", "http://", "/v1/me", "https:///v1/me"])
    func address(_ url: String) async {
        await expectFailure(.insecureServer) { _ = try await transport.send(TransportRequest(method: "GET", url: url)) }
    }

    // MARK: Answers that are refused

    @Test("an answer may have 256 KiB and no byte more", arguments: [0, 1], ["declared", "in chunks", "until the end"])
    func limit(_ excess: Int, _ manner: String) async throws {
        let server = try RawServer { connection in
            let body = [UInt8](repeating: 120, count: Self.limit + excess)
            switch manner {
            case "declared": connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            case "in chunks": connection.send(Self.chunked + "\(String(body.count, radix: 16))\r\n")
            default: connection.send("HTTP/1.1 200 OK\r\n\r\n")
            }
            connection.send(body)
            if manner == "in chunks" { connection.send("\r\n0\r\n\r\n") }
        }
        defer { server.stop() }
        if excess == 0 {
            #expect(try await transport.send(.get(server)).body.count == Self.limit)
        } else {
            await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
        }
    }

    @Test("a request may allow a longer answer, or none", arguments: [512 * 1024, 0, Int.max])
    func length(_ longest: Int) async throws {
        let count = min(longest, Self.limit * 2)
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            connection.send([UInt8](repeating: 120, count: count))
        }
        defer { server.stop() }
        var request = TransportRequest.get(server)
        request.longestAnswer = longest
        #expect(try await transport.send(request).body.count == count)
    }

    @Test(
        "what is not an answer", .timeLimit(.minutes(1)),
        arguments: [
            "SSH-2.0-hostile\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 000 Zero\r\n\r\n", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", chunked + "x\r\n",
            chunked + "FFFFFFFFFFFFFFFFFF\r\n",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X: 1\r\n", count: 101))\r\n",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 33_000))\r\n\r\n",
            chunked + "2\r\nok\r\n0\r\n\(String(repeating: "X: 1\r\n", count: 101))\r\n",
        ])
    func noAnswer(_ bytes: String) async throws {
        let server = try RawServer { connection in
            connection.send(bytes)
            connection.waitUntilClosed()
        }
        defer { server.stop() }
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
    }

    @Test(
        "an answer that is cut off is no answer",
        arguments: ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", chunked + "2\r\nok\r\n"])
    func cutOff(_ bytes: String) async throws {
        let server = try RawServer { $0.send(bytes) }
        defer { server.stop() }
        await expectFailure(.unreachable) { _ = try await transport.send(.get(server)) }
    }

    @Test func aClosedPortIsUnreachable() async {
        // Port 1 of this machine is reserved, and no server listens there.
        let failed = await failure { _ = try await transport.send(TransportRequest(method: "GET", url: "http://127.0.0.1:1/")) }
        #expect(failed?.code == .unreachable && failed?.recovery == .retry)
        #expect(failed?.status == .init(domain: "POSIX", code: Int(ECONNREFUSED)))
    }

    // MARK: Floods

    /// What a server sends first, and then for ever.
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: String
        let rest: String
    }

    static let floods = [
        Flood(testDescription: "body", start: "HTTP/1.1 200 OK\r\n\r\n", rest: "x"),
        Flood(testDescription: "body of a redirect", start: "HTTP/1.1 307 Go\r\nLocation: /x\r\n\r\n", rest: "x"),
        Flood(testDescription: "fields", start: "HTTP/1.1 200 OK\r\n", rest: "X: 1\r\n"),
        Flood(
            testDescription: "long fields", start: "HTTP/1.1 200 OK\r\n",
            rest: "X: \(String(repeating: "x", count: 4000))\r\n"),
        Flood(testDescription: "spaces before a value", start: "HTTP/1.1 200 OK\r\nX:", rest: " "),
        Flood(testDescription: "reason", start: "HTTP/1.1 200 ", rest: "x"),
        Flood(testDescription: "status below 200", start: "", rest: "HTTP/1.1 103 Hints\r\nX: 1\r\n\r\n"),
        Flood(testDescription: "trailers", start: chunked + "0\r\n", rest: "X: 1\r\n"),
        Flood(testDescription: "spaces before a trailer's value", start: chunked + "0\r\nX:", rest: " "),
        Flood(testDescription: "chunks of one byte", start: chunked, rest: "1\r\nx\r\n"),
        Flood(testDescription: "extension of a chunk", start: chunked + "1;", rest: "x"),
        Flood(testDescription: "empty lines", start: "", rest: "\r\n"),
    ]

    @Test("an endless answer is cut, its connection closed, and the next answer read", arguments: floods)
    func flood(_ flood: Flood) async throws {
        let (closed, mailbox) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            connection.send(flood.start)
            connection.flood(flood.rest)
            mailbox.finish()
        }
        defer { server.stop() }
        let honest = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { honest.stop() }
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
        for await _ in closed {}
        #expect(try await transport.send(.get(honest)).status == 200)
    }

    @Test func callsGoOnBesideFloods() async throws {
        let flood = try RawServer { connection in
            connection.send(Self.chunked)
            connection.flood("1\r\nx\r\n")
        }
        defer { flood.stop() }
        let honest = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { honest.stop() }
        try await withThrowingTaskGroup(of: Void.self) { [transport] group in
            for _ in 1...16 {
                group.addTask { await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(flood)) } }
                group.addTask {
                    let status = try await transport.send(.get(honest)).status
                    #expect(status == 200)
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Time

    @Test("a server that is slow is left at the deadline", arguments: ["silent", "slow head", "slow body"])
    func slow(_ manner: String) async throws {
        let server = try RawServer { connection in
            switch manner {
            case "slow head": connection.send("HTTP/1.1 200 OK\r\nX-Field: ")
            case "slow body": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            default: return connection.waitUntilClosed()
            }
            // A byte each 50 ms.
            while connection.send("x") { Thread.sleep(forTimeInterval: 0.05) }
        }
        defer { server.stop() }
        let bounded = BoundedTransport(transport, clock: SystemClock())
        let failed = await failure { _ = try await bounded.send(.get(server, deadline: .milliseconds(300))) }
        #expect(failed?.code == .unreachable && failed?.recovery == .retry)
    }

    @Test func cancellingEndsTheCallAtOnceAndClosesItsConnection() async throws {
        let (arrived, mailbox) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            mailbox.yield()
            connection.waitUntilClosed()
            mailbox.finish()
        }
        defer { server.stop() }
        let call = Task { [transport] in await failure { _ = try await transport.send(.get(server)) } }
        var arrivals = arrived.makeAsyncIterator()
        await arrivals.next()
        call.cancel()
        #expect(await call.value?.code == .cancelledByApp)
        while await arrivals.next() != nil {}
    }

    @Test func aCallOfACancelledTaskEndsAtOnce() async throws {
        let server = try RawServer { $0.waitUntilClosed() }
        defer { server.stop() }
        let call = Task { [transport] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure { _ = try await transport.send(.get(server)) }
        }
        #expect(await call.value?.code == .cancelledByApp)
    }

    @Test func aCallThatWasStoppedWhileItsConnectionWasOpenedSendsNothing() async throws {
        let request = TransportRequest(method: "GET", url: "http://127.0.0.1/")
        let server = try #require(Server(request))
        for isStopped in [false, true] {
            await expectFailure(.cancelledByApp) {
                _ = try await PendingAnswer.wait(for: request) { answer in
                    let handlers: [any ChannelHandler] = [
                        AnswerLimit(), HTTPRequestEncoder(), ExchangeHandler(connections: ConnectionPool(), server: server),
                    ]
                    let channel = EmbeddedChannel(handlers: handlers)
                    if isStopped { answer.stop(Failure(.cancelledByApp)) }
                    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
                    channel.writeAndFlush(Call(answer: answer, request: request, head: head), promise: nil)
                    let sent = try? channel.readOutbound(as: ByteBuffer.self)
                    #expect((sent == nil) == isStopped)
                    answer.stop(Failure(.cancelledByApp))
                }
            }
        }
    }

    // MARK: Connections

    @Test func aConnectionIsUsedAgain() async throws {
        let server = try RawServer { connection in
            repeat {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            } while connection.nextRequest() != nil
        }
        defer { server.stop() }
        for _ in 1...5 { #expect(try await transport.send(.get(server)).status == 200) }
        #expect(server.connections == 1)
    }

    @Test(
        "a connection is not used again",
        arguments: [
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
            // Another answer that no request asked for.
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        ])
    func isNotReused(_ bytes: String) async throws {
        let server = try RawServer { connection in
            connection.send(bytes)
            connection.waitUntilClosed()
        }
        defer { server.stop() }
        for _ in 1...2 { #expect(try await transport.send(.get(server)).body == Array("ok".utf8)) }
        #expect(server.connections == 2)
    }

    @Test func aConnectionThatTheServerClosedCostsOneCallAtMost() async throws {
        // It is closed after each answer, although the answer does not say so.
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        for _ in 1...20 {
            // A call can be faster than the news that the connection is closed. Then it has a failure, and is not sent
            // twice: the server may have acted on it. The next call has a new connection.
            guard let failed = await failure({ _ = try await transport.send(.get(server)) }) else { continue }
            #expect(failed.code == .unreachable && failed.recovery == .retry)
            #expect(try await transport.send(.get(server)).status == 200)
        }
    }

    // MARK: TLS

    @Test func aServerWhoseCertificateIsTrustedIsAsked() async throws {
        let certificate = try await TestCertificate()
        let server = try await TLSServer(certificate)
        let transport = NIOTransport(trusting: certificate.certificate)
        for host in ["localhost", "localhost", "127.0.0.1"] {
            let answer = try await transport.send(TransportRequest(method: "GET", url: "https://\(host):\(server.port)/"))
            #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        }
        try await server.stop()
    }

    @Test func aServerWhoseCertificateIsNotTrustedIsNotAsked() async throws {
        let (certificate, another) = (try await TestCertificate(), try await TestCertificate(name: "DNS:elsewhere.example"))
        let (server, elsewhere) = (try await TLSServer(certificate), try await TLSServer(another))
        // No system trusts the first one; the second one is trusted, and has another server's name.
        for (transport, server, host) in [
            (transport, server, "localhost"), (transport, server, "127.0.0.1"),
            (NIOTransport(trusting: another.certificate), elsewhere, "localhost"),
            (NIOTransport(trusting: another.certificate), elsewhere, "127.0.0.1"),
        ] {
            let url = "https://\(host):\(server.port)/"
            let failed = await failure { _ = try await transport.send(TransportRequest(method: "GET", url: url)) }
            #expect(failed?.code == .unreachable && failed?.status?.domain == "TLS", "\(url): \(String(describing: failed))")
        }
        try await server.stop()
        try await elsewhere.stop()
    }

    @Test func anEndlessAnswerThroughTLSIsCut() async throws {
        let certificate = try await TestCertificate()
        let endless = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 4_000_000)
        let server = try await TLSServer(certificate, answer: endless)
        let transport = NIOTransport(trusting: certificate.certificate)
        let url = "https://localhost:\(server.port)/"
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(TransportRequest(method: "GET", url: url)) }
        try await server.stop()
    }

    @Test func aServerThatDoesNotSpeakTLSIsUnreachable() async throws {
        let server = try RawServer { _ in }
        defer { server.stop() }
        var request = TransportRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/")
        request.deadline = .milliseconds(300)
        let bounded = BoundedTransport(transport, clock: SystemClock())
        await expectFailure(.unreachable) { [request] in _ = try await bounded.send(request) }
    }
}

/// A certificate of its own key, made by OpenSSL, in PEM.
private struct TestCertificate {
    let key: [UInt8]
    let certificate: [UInt8]

    init(name: String = "DNS:localhost,IP:127.0.0.1") async throws {
        let made = try await Built.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", "-", "-subj", "/CN=test", "-addext", "subjectAltName=\(name)",
            ])
        let place = try #require(made.output.firstRange(of: "-----BEGIN CERTIFICATE-----"), "\(made.errors)")
        key = Array(made.output[..<place.lowerBound].utf8)
        certificate = Array(made.output[place.lowerBound...].utf8)
    }
}

/// A server that gives every request the same answer, through TLS.
private struct TLSServer {
    private let channel: any Channel

    init(
        _ certificate: TestCertificate, answer: String = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    ) async throws {
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMBytes(certificate.certificate).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(bytes: certificate.key, format: .pem))))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandlers(NIOSSLServerHandler(context: context), Handler(answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    func stop() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String

        init(answer: String) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
#endif
