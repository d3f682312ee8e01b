import AppCore
import Foundation
import Synchronization
import Testing
import Thumbturn
import ThumbturnTestKit
import ThumbturnTestServer

/// Ada's password screen, which counts how often it is shown.
final class PasswordScreen: PrimarySignIn {
    private let shown = Mutex(0)
    var count: Int { shown.withLock { $0 } }

    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        shown.withLock { $0 += 1 }
        return .password("correct horse battery staple", for: "ada")
    }
}

/// The network: the real server, and beside it a bank's API that demands a fresh signature for each payment (RFC 9470).
struct Network: Transport {
    static let api = URL(string: "https://api.acme.example")!
    let server: any Transport

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard request.url.hasPrefix(Self.api.absoluteString + "/") else { return try await server.send(request) }
        // A real API verifies the token and the proof first, as docs/resource-servers.md says.
        let token = request.headers["Authorization"]?.split(separator: ".").dropFirst().first ?? ""
        let base64 = token.replacing("-", with: "+").replacing("_", with: "/")
        let claims = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)) ?? Data()
        if String(decoding: claims, as: UTF8.self).contains(#""amount_minor":1250"#), request.headers["DPoP"] != nil {
            return TransportResponse(status: 201, headers: [:], body: [])
        }
        let demand = #"DPoP error="insufficient_user_authentication", max_age="0", action="new-recipient:EUR:1250""#
        return TransportResponse(status: 401, headers: ["www-authenticate": demand], body: [])
    }
}

/// A phone of Ada's with the app, and the server.
@MainActor final class World {
    let clock: VirtualClock
    let server: TestServer
    let phone: SimulatedPhone
    let passwords = PasswordScreen()
    let bank: Bank

    private init(_ clock: VirtualClock, _ server: TestServer, name: String) throws {
        (self.clock, self.server) = (clock, server)
        phone = SimulatedPhone(.iPhone(.face), clock: clock, hasPIN: true)
        phone.name = name
        bank = try Bank(
            server: server.url, api: Network.api, platform: phone.platform(transport: Network(server: server.transport)),
            passwordScreen: passwords)
    }

    /// Runs a story on a new phone, in virtual time. Work of the app on the main actor counts, too.
    static func run(_ story: @escaping @MainActor @Sendable (World) async throws -> Void) async throws {
        let clock = VirtualClock()
        let server = try await TestServer(accounts: ["ada": "correct horse battery staple"], clock: clock)
        try await clock.run(mainActorToo: true) { @MainActor in
            try await story(World(clock, server, name: "Ada’s phone"))
        }
    }

    /// Runs a story on a phone that is set up, with the lock open.
    static func runSetUp(_ story: @escaping @MainActor @Sendable (World) async throws -> Void) async throws {
        try await run { world in
            try await world.setUp()
            try await world.withLock {
                #expect(!world.bank.lock.isLocked)
                try await story(world)
            }
        }
    }

    func setUp() async throws {
        try await bank.signIn()
        try await bank.answer(.setUp)
    }

    /// Another phone of Ada's, which is set up.
    func another() async throws -> World {
        let another = try World(clock, server, name: "Ada’s new phone")
        try await another.setUp()
        return another
    }

    func pass(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

    /// Runs the lock beside a story, as the app's first screen does.
    func withLock(_ story: () async throws -> Void) async throws {
        let bank = bank
        let running = Task(executorPreference: clock.executor) { await bank.lock.run() }
        try await pass(.seconds(2))
        try await story()
        running.cancel()
        await running.value
    }
}
