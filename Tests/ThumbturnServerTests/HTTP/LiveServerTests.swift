#if Tools
import NIOCore
import NIOPosix
import Synchronization
import Testing
import ThumbturnLoad
import ThumbturnServer

/// The tests' own server and connections always come to an end.
@Suite struct LiveServerTests {
    @Test func aPortThatIsTakenInTheMeantimeIsExchangedForAnother() async throws {
        let other = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
        let taken = try #require(other.localAddress?.port)
        let asked = Mutex(0)
        let tests = Mutex(0)
        try await LiveServer.run(
            port: {
                let isFirst = asked.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? taken : try await LiveServer.freePort()
            },
            { live in
                tests.withLock { $0 += 1 }
                #expect(live.port != taken)
                let status = try await live.connect().send("GET", "/health").status
                #expect(status == 200)
            }
        )
        #expect(asked.withLock { $0 } == 2 && tests.withLock { $0 } == 1)
        await #expect(throws: LiveServer.NotStarted.self) { try await LiveServer.run(port: { taken }, { _ in }) }
        try await other.close()
    }

    @Test func aRequestWithoutAnAnswerEndsWithAnError() async throws {
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = try #require(silent.localAddress?.port)
        let connection = try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton, limit: .milliseconds(20))
        await #expect(throws: LoadConnection.Unanswered.self) { _ = try await connection.send("GET", "/health") }
        await #expect(throws: LoadConnection.Unanswered.self, "and the next one has a connection of its own") {
            _ = try await connection.send("GET", "/health")
        }
        try await silent.close()
    }

    @Test func aConnectionThatHasEndedIsOpenedAgain() async throws {
        try await LiveServer.run { live in
            let connection = try await live.connect()
            try await connection.close()
            #expect(try await connection.send("GET", "/health").status == 200)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aSilentConnectionIsClosed() async throws {
        try await LiveServer.run(
            configure: { $0.connectionIdleLimit = .milliseconds(50) },
            { live in
                let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: live.port).get()
                // The server ends it; nothing else would.
                try await silent.closeFuture.get()
            }
        )
    }
}
#endif
