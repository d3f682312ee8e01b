#if Server
public import Foundation
import Hummingbird
import Logging
import Synchronization
import ThumbturnCore
public import ThumbturnDevice
public import ThumbturnServer
public import ThumbturnTestKit

/// A whole server in a test: the real one with its routes, its rules and its store, in this process, in memory and on
/// virtual time.
///
///     let clock = VirtualClock()
///     let server = try await TestServer(accounts: ["ada": "correct horse battery staple"], clock: clock)
///     let phone = SimulatedPhone(.iPhone(), clock: clock)
///     let auth = try Authenticator(server: server.url, platform: phone.platform(transport: server.transport))
///     try await clock.run {
///         try await auth.enrol(with: PasswordSignIn(account: "ada", password: "correct horse battery staple"))
///         _ = try await auth.authenticate("Unlock Acme")
///         clock.advance(by: .seconds(86_400))  // a cool-off is over, a session too
///     }
///
/// Requests come without a connection and are judged as those of a network are. The clock stands still while the server
/// works, and the server's time is the clock's: a phone that moves its wall clock moves only its own. Two things differ
/// from a server in production: passwords are hashed at the least cost, and a device may prove as often as it likes,
/// because a test proves often while time stands still.
public final class TestServer: Sendable {
    /// The server's address.
    public let url: URL
    private let server: EmbeddedServer
    private let store: SQLStore
    private let routes: RouterResponder<ServerContext>
    private let clock: VirtualClock
    private let logger: Logger
    private let reachable = Mutex(true)

    /// Makes a server with these accounts and nothing else.
    ///
    /// - Parameters:
    ///   - accounts: the names of accounts with their passwords, of 15 characters and more.
    ///   - clock: the clock that the phones of the test have.
    ///   - configure: changes the settings, such as the cool-off or the table of step-ups.
    /// - Throws: `SetupError` for an account whose name or password is not acceptable.
    public init(
        accounts: [String: String], clock: VirtualClock, configure: (inout ServerSettings) -> Void = { _ in }
    ) async throws {
        var settings = try ServerSettings(publicURL: "https://id.acme.example", dataFolder: "/nowhere")
        settings.proofsOfDevice = nil
        configure(&settings)
        guard let url = URL(string: settings.publicURL) else { preconditionFailure("the settings have taken the address") }
        self.url = url
        self.clock = clock
        var logger = Logger(label: "test server")
        logger.logLevel = .critical
        self.logger = logger
        let time = NodeTime(NodeClock(civil: { clock.civilTime }, monotonic: { clock.now.sinceOrigin }))
        let key = try MasterKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
        store = try SQLStore(inMemory: nil, time: time)
        let service = try await AuthorizationServer(
            settings, on: store, key, readMasterKey: { key },
            passwords: try Passwords(cost: .least), time: time)
        try await service.applyEvidencePolicy()
        server = EmbeddedServer(service)
        routes = Routes(service).router().buildResponder()
        for (name, password) in accounts { try await server.addAccount(named: name, password: password) }
    }

    /// The network to this server and to nothing else: give it to `SimulatedPhone.platform(transport:)`.
    public var transport: any Transport { Network(server: self) }

    /// Whether the network reaches the server. Without it every request throws `unreachable`.
    public var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    /// Does what the operator does, with commands or an admin's page: revokes a device, disables an account, sets a password.
    /// The clock stands still meanwhile.
    public func asOperator<Result: Sendable>(
        _ work: (EmbeddedServer) async throws -> Result
    ) async throws -> Result {
        try await clock.outside { try await work(server) }
    }

    /// Registers a back end, which creates approvals.
    ///
    /// - Parameter name: its name; it becomes the `client_id`.
    public func backEnd(named name: String = "back-end") async throws -> TestBackEnd {
        let backEnd = TestBackEnd(name: name, server: self)
        try await asOperator {
            try await $0.addClient(named: name, scopes: [.approvals], keys: [backEnd.publicKey], allowsBearer: true)
        }
        return backEnd
    }

    /// The server's own parts, for tests of this package.
    var service: AuthorizationServer { server.service }

    /// The server's time.
    var now: UnixTime { clock.civilTime }

    /// The id of the account of a name, as approvals name it.
    func id(ofAccountNamed name: String) async throws -> String {
        try await asOperator { try await $0.account(named: name).id.text }
    }

    /// Answers a request as the server's routes do.
    func answer(_ request: TransportRequest) async throws -> TransportResponse {
        try await clock.outside { try await routes.answer(request, logger: logger) }
    }

    private struct Network: Transport {
        let server: TestServer

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            guard server.isReachable, request.url.hasPrefix(server.url.absoluteString + "/") else {
                throw Failure(.unreachable, recovery: .retry)
            }
            do {
                return try await server.answer(request)
            } catch {
                throw Failure(.unreachable, recovery: .retry)
            }
        }
    }
}
#endif
