import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnURLSession

/// What a server can do to a call: nothing but end it with a named failure. The time is real here, because the network
/// is; each deadline is short, and the library's wrapper keeps it. One at a time, because on Linux a flood holds up every call of the shared URLSession.
@Suite(.serialized, .timeLimit(.minutes(2))) struct URLSessionTransportTests {
    private let transport = URLSessionTransport()
    private static let limit = TransportRequest.usualLongestAnswer

    @Test func aClosedPortIsUnreachable() async {
        // Port 1 of this machine is reserved, and no server listens there.
        await expectFailure(.unreachable) {
            _ = try await transport.send(TransportRequest(method: "GET", url: "http://127.0.0.1:1/"))
        }
    }

    @Test func anAnswerIsRead() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 201 Made\r\nX-Name: a value\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let answer = try await transport.send(.get(server))
        #expect(answer.status == 201 && answer.headers["x-name"] == "a value" && answer.body == Array("ok".utf8))
    }

    // MARK: Size

    @Test("an answer may have 256 KiB and no byte more", arguments: [0, 1], ["declared", "in chunks"])
    func limit(_ excess: Int, _ manner: String) async throws {
        let server = try RawServer { connection in
            let body = [UInt8](repeating: 120, count: Self.limit + excess)
            if manner == "declared" {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                connection.send(body)
            } else {
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                connection.send("\(String(body.count, radix: 16))\r\n")
                connection.send(body)
                connection.send("\r\n0\r\n\r\n")
            }
        }
        defer { server.stop() }
        if excess == 0 {
            #expect(try await transport.send(.get(server)).body.count == Self.limit)
        } else {
            await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
        }
    }

    @Test func aRequestMayAllowALongerAnswer() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.limit * 2)\r\n\r\n")
            connection.send([UInt8](repeating: 120, count: Self.limit * 2))
        }
        defer { server.stop() }
        var request = TransportRequest.get(server)
        request.longestAnswer = Self.limit * 2
        #expect(try await transport.send(request).body.count == Self.limit * 2)
    }

    @Test func anEndlessAnswerIsCutAndItsConnectionClosed() async throws {
        let (closed, mailbox) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.flood()
            mailbox.finish()
        }
        defer { server.stop() }
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
        for await _ in closed {}
    }

    @Test func aLengthThatIsTooLargeIsRefusedBeforeItsBytes() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
            connection.waitUntilClosed()
        }
        defer { server.stop() }
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
    }

    @Test func aCompressedAnswerCountsAsWhatItBecomes() async throws {
        // 1,051 bytes of gzip (RFC 1952) that become 1 MiB of zeros.
        let bomb: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0]
            + [UInt8](repeating: 0, count: 1016) + [0x3E, 3, 0x1C, 0xEA, 0x38, 0xA7, 0, 0, 0x10, 0]
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            connection.send(bomb)
        }
        defer { server.stop() }
        await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(server)) }
        var request = TransportRequest.get(server)
        request.longestAnswer = 1024 * 1024
        #expect(try await transport.send(request).body.count == 1024 * 1024)
    }

    @Test func anEndlessHeadIsNoAnswer() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            let field = "X-Field: \(String(repeating: "x", count: 4000))\r\n"
            while connection.send(field) {}
        }
        defer { server.stop() }
        await expectFailure(.unreachable) { _ = try await transport.send(.get(server)) }
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
            // A byte each 50 ms, so that the call is never silent for long.
            while connection.send("x"), !connection.closes(within: 50) {}
        }
        defer { server.stop() }
        // The server goes on for ever, so only the deadline ends the call.
        let bounded = BoundedTransport(transport, clock: SystemClock())
        await expectFailure(.unreachable) { _ = try await bounded.send(.get(server, deadline: .milliseconds(300))) }
    }

    @Test func cancellingEndsTheCallAtOnce() async throws {
        let (arrived, mailbox) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { connection in
            mailbox.yield()
            connection.waitUntilClosed()
        }
        defer { server.stop() }
        let call = Task { [transport] in await failure { _ = try await transport.send(.get(server)) } }
        for await _ in arrived { break }
        call.cancel()
        #expect(await call.value?.code == .cancelledByApp)
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

    @Test func afterAnAnswerThatWasCutTheNextOneIsRead() async throws {
        let flood = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.flood()
        }
        defer { flood.stop() }
        let honest = try RawServer { connection in connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { honest.stop() }
        for _ in 1...3 {
            await expectFailure(.unexpectedAnswer) { _ = try await transport.send(.get(flood)) }
            #expect(try await transport.send(.get(honest)).status == 200)
        }
    }

    // MARK: Answers that are not followed

    @Test("a redirect is an answer, and its address is not asked", arguments: [301, 302, 307])
    func redirect(_ status: Int) async throws {
        let elsewhere = try RawServer { connection in connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { elsewhere.stop() }
        let server = try RawServer { [url = elsewhere.url] connection in
            connection.send("HTTP/1.1 \(status) Moved\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        #expect(try await transport.send(.get(server)).status == status)
        #expect(elsewhere.connections == 0)
    }

    @Test(
        "a demand for credentials is an answer", arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "DPoP", ","])
    func credentials(_ demand: String) async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(demand)\r\nContent-Length: 2\r\n\r\nno")
            connection.waitUntilClosed()
        }
        defer { server.stop() }
        let answer = try await transport.send(.get(server))
        #expect(answer.status == 401 && answer.headers["www-authenticate"] == demand && answer.body == Array("no".utf8))
        #expect(server.connections == 1)
    }
}
