import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Batches on their way to a Thumbturn server.
@Suite struct TelemetrySenderTests {
    /// A route for batches before a server without one.
    final class Route: Transport {
        private let server: any Transport
        private let state = Mutex((requests: [TransportRequest](), answers: [TransportResponse](), isAway: false))

        init(before server: any Transport) { self.server = server }

        var requests: [TransportRequest] { state.withLock { $0.requests } }
        func next(_ answers: TransportResponse...) { state.withLock { $0.answers += answers } }
        func goAway() { state.withLock { $0.isAway = true } }

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            guard request.url.hasSuffix("/v1/telemetry") else { return try await server.send(request) }
            let (answer, isAway) = state.withLock { state in
                state.requests.append(request)
                let taken = TransportResponse(status: 202, headers: [:], body: [])
                return (state.answers.isEmpty ? taken : state.answers.removeFirst(), state.isAway)
            }
            if isAway { throw Failure(.unreachable) }
            return answer
        }
    }

    private static let batch = Array(#"{"batch":"…"}"#.utf8)

    private static func answer(_ status: Int, retryAfter: String? = nil, body: String = "") -> TransportResponse {
        TransportResponse(status: status, headers: retryAfter.map { ["retry-after": $0] } ?? [:], body: Array(body.utf8))
    }

    @Test func aSessionSendsWithItsTokenAndAProof() async throws {
        try await World.enrolled { world in
            let route = Route(before: world.server)
            var platform = world.auth.platform
            platform.transport = route
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            _ = try await auth.authenticate("Unlock")
            expect(await ServerTelemetry(auth).send(Self.batch), is: .taken)
            let request = try #require(route.requests.first)
            #expect(request.method == "POST" && request.url == "https://bank.example/v1/telemetry" && request.body == Self.batch)
            #expect(request.headers["Authorization"]?.hasPrefix("DPoP ") == true && request.headers["DPoP"] != nil)
            #expect(request.headers["Content-Type"] == "application/json")
        }
    }

    @Test func withoutASessionReportsWait() async throws {
        let world = try World()
        try await world.clock.run {
            expect(await ServerTelemetry(world.auth).send(Self.batch), is: .later(after: nil))
        }
    }

    @Test func whatAServerSaysToASession() async throws {
        try await World.enrolled { world in
            let route = Route(before: world.server)
            var platform = world.auth.platform
            platform.transport = route
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            _ = try await auth.authenticate("Unlock")
            let sender = ServerTelemetry(auth)
            var overloaded = Problem(.unavailable, status: 429)
            overloaded.retryAfter = 120
            route.next(
                TransportResponse(status: 429, headers: [:], body: StrictJSON.encode(overloaded)), Self.answer(400),
                Self.answer(413), Self.answer(500), Self.answer(403))
            expect(await sender.send(Self.batch), is: .later(after: .seconds(120)))
            expect(await sender.send(Self.batch), is: .refused)
            expect(await sender.send(Self.batch), is: .refused)
            expect(await sender.send(Self.batch), is: .later(after: nil))
            expect(await sender.send(Self.batch), is: .later(after: nil))
            route.goAway()
            expect(await sender.send(Self.batch), is: .later(after: nil))
        }
    }

    @Test func anAppWithoutSessionsSendsWithAWriteKey() async throws {
        let clock = VirtualClock()
        let route = Route(before: InMemoryServer(clock: clock))
        let platform = SimulatedPhone(.plain, clock: clock).platform(transport: route)
        let url = try #require(URL(string: "https://count.example/base/"))
        let sender = try ServerTelemetry(server: url, key: "k3y-_.", on: platform)
        try await clock.run {
            expect(await sender.send(Self.batch), is: .taken)
            let request = try #require(route.requests.first)
            #expect(request.method == "POST" && request.url == "https://count.example/base/v1/telemetry")
            #expect(request.body == Self.batch)
            #expect(request.headers == ["Authorization": "Bearer k3y-_.", "Content-Type": "application/json"])
            route.next(Self.answer(429, retryAfter: "77"), Self.answer(503), Self.answer(422), Self.answer(401))
            expect(await sender.send(Self.batch), is: .later(after: .seconds(77)))
            expect(await sender.send(Self.batch), is: .later(after: nil))
            expect(await sender.send(Self.batch), is: .refused)
            expect(await sender.send(Self.batch), is: .later(after: nil))
            route.goAway()
            expect(await sender.send(Self.batch), is: .later(after: nil))
        }
    }

    @Test("a key that is no token, and an address that is not secure, are refused", arguments: ["", "a b", "k\r\nX: y", "ü"])
    func unusable(_ key: String) async throws {
        let platform = SimulatedPhone(.plain).platform()
        let url = try #require(URL(string: "https://count.example"))
        await expectFailure(.unexpectedAnswer) { _ = try ServerTelemetry(server: url, key: key, on: platform) }
        let plain = try #require(URL(string: "http://count.example"))
        await expectFailure(.insecureServer) { _ = try ServerTelemetry(server: plain, key: "key", on: platform) }
    }

    /// From the sensor to the server: what goes over the network, and that it names neither the person nor the device.
    @Test func anUnlockReachesTheServerWithoutNames() async throws {
        try await World.enrolled { world in
            let route = Route(before: world.server)
            var platform = world.auth.platform
            platform.transport = route
            let queue = TelemetryQueue(in: TelemetryWorld.Store(), on: platform, isOn: true)
            platform.telemetry = queue
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await queue.run(through: ServerTelemetry(auth)) }
                world.phone.next(.noMatch, .match)
                _ = try await auth.authenticate("Unlock the account of Ada")
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1000)))
                group.cancelAll()
            }
            let body = try #require(route.requests.first).body
            let batch = try JSONDecoder().decode(TelemetryBatch.self, from: Data(body))
            #expect(batch.unlocks.count == 1 && queue.count == 0)
            #expect(batch.unlocks[0].events.contains(.retry(1)))
            let text = String(decoding: body, as: UTF8.self)
            for name in ["ada", "Ada", "bank.example", "default", world.phone.name, "Unlock the"] {
                #expect(!text.contains(name), "\(name): \(text)")
            }
        }
    }
}
