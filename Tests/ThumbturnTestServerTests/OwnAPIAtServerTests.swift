#if Tools
import Foundation
import Hummingbird
import Logging
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnServer
@testable import ThumbturnTestServer

/// An app's own API behind `RequireStepUp`, at another origin than the server's, with tokens of that server.
@Suite struct OwnAPIAtServerTests {
    /// The network: the server, and the API beside it.
    struct Network: Transport {
        static let api = URL(string: "https://api.acme.example")!

        let server: any Transport
        let routes: RouterResponder<ServerContext>
        let clock: VirtualClock

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            guard request.url.hasPrefix(Self.api.absoluteString + "/") else { return try await server.send(request) }
            do {
                return try await clock.outside { try await routes.answer(request, logger: Logger(label: "api")) }
            } catch {
                throw Failure(.unreachable)
            }
        }
    }

    static func run(_ story: @escaping @Sendable (TestServerTests.World, Authenticator) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let spent = try SpentTokenFile(path: folder.path + "/spent-tokens.sqlite")
        try await TestServerTests.World.run { world in
            let (service, clock) = (world.server.service, world.clock)
            let resource = ResourceServer(
                .init(
                    issuer: world.server.url.absoluteString, audience: world.server.url.absoluteString,
                    publicURL: Network.api.absoluteString, keys: IssuerKeys { service.jwks },
                    policy: service.settings.stepUp, spent: spent),
                clock: NodeClock(civil: { clock.civilTime }, monotonic: { clock.now.sinceOrigin }))
            let router = Router(context: ServerContext.self)
            router.group("card").add(middleware: RequireStepUp("card-details", at: resource)).get { _, _ in
                "card of \(ResourceServer.token?.sub ?? "")"
            }
            router.group("recipients").add(
                middleware: RequireStepUp("new-recipient", at: resource) { _ in
                    Money(minor: 1250, currency: "EUR")
                }
            ).post { _, _ in "added" }
            let network = Network(server: world.server.transport, routes: router.buildResponder(), clock: clock)
            let auth = try Authenticator(
                server: world.server.url, resources: [Network.api], platform: world.phone.platform(transport: network))
            try await story(world, auth)
        }
    }

    @Test func aRequestIsSteppedUpForItsActionAndReused() async throws {
        try await Self.run { world, auth in
            let request = TransportRequest(method: "GET", url: Network.api.absoluteString + "/card")
            let prompts = world.phone.promptCount
            let me = try await auth.me().id
            for _ in 1...2 {
                let answer = try await auth.send(request, doing: .cardDetails, reason: "Show the card")
                #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "card of \(me)")
            }
            #expect(world.phone.promptCount == prompts + 1)
            try await world.pass(.seconds(121))
            expect(try await auth.send(request, doing: .cardDetails, reason: "Show the card").status, is: 200)
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func anAmountIsPartOfWhatIsSigned() async throws {
        try await Self.run { world, auth in
            let request = TransportRequest(
                method: "POST", url: Network.api.absoluteString + "/recipients",
                headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
            let prompts = world.phone.promptCount
            // The API asks for another amount than the one that the app shows.
            await expectFailure(.unexpectedAnswer) {
                _ = try await auth.send(
                    request, doing: .newRecipient, amount: Money(minor: 100, currency: "EUR"), reason: "Pay 1.00 EUR")
            }
            #expect(world.phone.promptCount == prompts)
            let amount = Money(minor: 1250, currency: "EUR")
            for count in 1...2 {
                let answer = try await auth.send(request, doing: .newRecipient, amount: amount, reason: "Pay 12.50 EUR")
                #expect(answer.status == 200 && world.phone.promptCount == prompts + count, "each one is signed")
            }
        }
    }

    @Test func withoutAnActionNothingIsProved() async throws {
        try await Self.run { world, auth in
            let prompts = world.phone.promptCount
            let request = TransportRequest(method: "GET", url: Network.api.absoluteString + "/card")
            await expectFailure(.refused) { _ = try await auth.send(request, reason: "Go on") }
            #expect(world.phone.promptCount == prompts)
        }
    }
}
#endif
