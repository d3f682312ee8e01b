#if Tools
import Foundation
import GRDB
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer
import ThumbturnTestKit

/// A clock that a test moves.
final class TestClock: Sendable {
    private let times: Mutex<(civil: UnixTime, monotonic: Duration)>

    init(_ start: UnixTime = NodeClock.system.civil()) {
        times = Mutex((start, .zero))
    }

    var now: UnixTime { times.withLock { $0.civil } }

    /// Time passes. Only the test makes it pass, so that a second more or less of real time changes nothing.
    func advance(by duration: Duration) {
        times.withLock { $0 = ($0.civil + duration, $0.monotonic + duration) }
    }

    /// The civil clock is set, forward or back, and no time passes.
    func step(by duration: Duration) { times.withLock { $0.civil = $0.civil + duration } }

    var node: NodeClock {
        NodeClock(civil: { self.now }, monotonic: { self.times.withLock { $0.monotonic } })
    }
}

/// A real server in this process, on a loopback port and a folder of its own, gone when the test is over.
struct LiveServer: Sendable {
    static let password = "correct horse battery staple"

    let url: String
    let port: Int
    let folder: String
    let clock: TestClock
    let service: AuthorizationServer
    /// What the operator does with the server.
    var server: EmbeddedServer { EmbeddedServer(service) }

    static func run(
        folder given: String? = nil, publicURL: String? = nil, clock: TestClock = TestClock(),
        configure: (inout ServerSettings) -> Void = { _ in }, judging livenessJudge: LivenessJudge? = nil,
        passwords: Passwords? = nil, beforeSpending: @escaping @Sendable () async -> Void = {},
        port: () async throws -> Int = freePort, _ test: @escaping @Sendable (LiveServer) async throws -> Void
    ) async throws {
        let folder = given ?? temporaryFolder()
        defer { if given == nil { try? FileManager.default.removeItem(atPath: folder) } }
        // Another process may take a free port before the server does.
        for _ in 1...5 {
            let port = try await port()
            let url = "http://127.0.0.1:\(port)"
            var settings = try ServerSettings(publicURL: publicURL ?? url, dataFolder: folder)
            // On a busy machine a connection may be silent for long.
            settings.connectionIdleLimit = .seconds(600)
            if TestStore.kind == .postgres { settings.database = try PostgresAddress(TestDatabases.of(folder)) }
            configure(&settings)
            var service = try await AuthorizationServer(settings, clock: clock.node)
            service.beforeSpending = beforeSpending
            service.livenessJudge = livenessJudge
            for name in ["ada", "bob"] { try? await EmbeddedServer(service).addAccount(named: name, password: password) }
            if let passwords { service.passwords = passwords }
            if try await LiveServer(url: url, port: port, folder: folder, clock: clock, service: service).run(test) { return }
        }
        throw NotStarted()
    }

    /// Two nodes of one server, on one store.
    static func runTwo(
        clock: TestClock = TestClock(), _ test: @escaping @Sendable (_ one: LiveServer, _ two: LiveServer) async throws -> Void
    ) async throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run(folder: folder, clock: clock) { one in
            try await run(folder: folder, publicURL: one.url, clock: clock) { two in try await test(one, two) }
        }
    }

    struct NotStarted: Error, CustomStringConvertible {
        var description: String { "five ports in a row were taken before the server had them" }
    }

    /// - Returns: false where the port was taken; then the test was not begun.
    private func run(_ test: @escaping @Sendable (LiveServer) async throws -> Void) async throws -> Bool {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (running, started) = AsyncStream.makeStream(of: Void.self)
        let application = server.application(host: "127.0.0.1", port: port, logger: logger) { _ in
            started.yield()
        }
        return try await withThrowingTaskGroup { group in
            group.addTask {
                // A server that ends before it runs must not be waited for.
                defer { started.finish() }
                try await application.run()
            }
            var isRunning = false
            for await _ in running {
                isRunning = true
                break
            }
            if isRunning { group.addTask { try await test(self) } }
            do {
                _ = try await group.next()
            } catch let error as IOError where !isRunning && error.errnoCode == EADDRINUSE {
                return false
            }
            group.cancelAll()
            return isRunning
        }
    }

    static func temporaryFolder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-test-\(UUID().uuidString)").path
    }

    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port
        try await channel.close()
        return port ?? 0
    }

    func connect() async throws -> LoadConnection {
        try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)
    }

    /// A second connection to the server's database. Writers wait for each other.
    func database() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: folder + "/thumbturn.sqlite", configuration: configuration)
    }

    /// Reads and writes tables past the server, on either engine.
    func tables<Value>(_ body: (ThumbturnServer.Database) throws -> Value) throws -> Value {
        let store = service.store
        return try store.pool.write(body)
    }

    /// A device of an account, enrolled over its own connection.
    func device(of account: String = "ada") async throws -> Enrolled {
        let connection = try await connect()
        let device = LoadDevice(server: url)
        try await device.enrol(account: account, password: Self.password, over: connection)
        return Enrolled(device: device, connection: connection)
    }

    struct Enrolled: Sendable {
        let device: LoadDevice
        let connection: LoadConnection

        func signIn() async throws -> TokenAnswer { try await device.signIn(over: connection) }
        func challenge() async throws -> (challenge: String, nonce: String) { try await device.challenge(over: connection) }
        func nonce() async throws -> String { try await challenge().nonce }

        func redeem(_ proof: String, nonce: String) async throws -> LoadConnection.Answer {
            try await device.redeem(proof, nonce: nonce, over: connection)
        }

        func refresh(_ token: String) async throws -> LoadConnection.Answer {
            let form = Array("grant_type=refresh_token&refresh_token=\(token)".utf8)
            return try await connection.send(
                "POST", "/v1/token", type: "application/x-www-form-urlencoded",
                headers: [("DPoP", device.dpop("POST", "/v1/token", form, nonce: try await nonce()))], body: form
            )
        }

        func get(_ path: String, token: String) async throws -> LoadConnection.Answer {
            try await device.get(path, token: token, nonce: try await nonce(), over: connection)
        }

        func delete(_ path: String, token: String) async throws -> LoadConnection.Answer {
            let proof = device.dpop("DELETE", path, [], nonce: try await nonce(), token: token)
            return try await connection.send("DELETE", path, headers: [("Authorization", "DPoP \(token)"), ("DPoP", proof)])
        }
    }
}

extension LoadConnection.Answer {
    var text: String { String(decoding: body, as: UTF8.self) }
    var problem: Problem? { try? JSONDecoder().decode(Problem.self, from: Data(body)) }
    func read<M: Message>(_ type: M.Type) throws -> M { try JSONDecoder().decode(type, from: Data(body)) }

    /// The problem's type without its prefix, or "ok".
    var kind: String {
        (200..<300).contains(status) ? "ok" : problem.map { String($0.type.dropFirst(22)) } ?? "no problem document"
    }
}

/// The claims of a token, unverified.
func claims(of token: String) throws -> AccessTokenClaims {
    let jws = CompactJWS(token)
    return try JSONDecoder().decode(AccessTokenClaims.self, from: Data(jws?.payload ?? []))
}
#endif
