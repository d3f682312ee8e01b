#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnServer
@testable import ThumbturnTestServer

/// Full sign-ins at a provider that keeps a session in the browser, from the device to the real server.
@Suite struct ProviderSignInTests {
    private static let (firstPIN, secondPIN): (SimulatedPhone.PINAct, SimulatedPhone.PINAct) = ("824193", "719254")

    /// The network to a server that is made later than its provider.
    private final class Network: Transport {
        let server = Mutex<(any Transport)?>(nil)

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            guard let server = server.withLock({ $0 }) else { throw Failure(.unreachable) }
            return try await server.send(request)
        }
    }

    /// An enrolled phone of a person who signed in at a provider an hour ago.
    private struct World: Sendable {
        let clock: VirtualClock
        let provider: SimulatedProvider
        let server: TestServer
        let phone: SimulatedPhone
        let auth: Authenticator
        let platform: DevicePlatform

        /// - Parameter staleSignIn: the operator's word for it; nil for none.
        static func run(
            staleSignIn: String? = nil, _ body: @escaping @Sendable (World) async throws -> Void
        ) async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-test-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (clock, network) = (VirtualClock(), Network())
            let provider = SimulatedProvider(clock: clock, passing: network)
            let key = String(decoding: try JSONEncoder().encode(JWK(provider.publicKey)), as: UTF8.self)
            let word = staleSignIn.map { #","stale_sign_in":"\#($0)""# } ?? ""
            for (name, text) in [
                ("keys.json", #"{"keys":[\#(key)]}"#),
                (
                    "providers.json",
                    #"{"providers":[{"issuer":"\#(provider.issuer)","audience":"\#(provider.clientID)","jwks":"keys.json"\#(word)}]}"#
                ),
            ] {
                try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
            }
            let server = try await TestServer(accounts: [:], clock: clock) {
                $0.identityProviders = folder.appendingPathComponent("providers.json").path
            }
            network.server.withLock { $0 = server.transport }
            try await clock.run {
                let phone = SimulatedPhone(.iPhone(.face), clock: clock, hasPIN: true)
                let platform = phone.platform(transport: provider)
                let auth = try Authenticator(server: server.url, platform: platform)
                let world = World(
                    clock: clock, provider: provider, server: server, phone: phone, auth: auth, platform: platform)
                phone.next(.match)
                phone.pins(firstPIN)
                try await auth.enrol(with: world.signIn())
                try await clock.sleep(until: clock.now.advanced(by: .seconds(3600)))
                try await body(world)
            }
        }

        func signIn(acceptsStaleSignIn: Bool = false) throws -> OAuthSignIn {
            var signIn = try OAuthSignIn(
                issuer: provider.issuer, clientID: provider.clientID,
                redirect: .privateUse(scheme: "com.example.app", path: "/signed-in"), browser: provider, platform: platform)
            signIn.acceptsStaleSignIn = acceptsStaleSignIn
            return signIn
        }

        /// Sets another PIN, and returns the failure; nil where there was none.
        func resetPIN(_ act: SimulatedProvider.Act, acceptsStaleSignIn: Bool) async throws -> Failure? {
            provider.next(act)
            phone.pins(secondPIN)
            let signIn = try signIn(acceptsStaleSignIn: acceptsStaleSignIn)
            let failed = await failure { try await auth.resetPIN(with: signIn) }
            phone.forgetPINs()
            return failed
        }

        func replaceBiometricKey(_ act: SimulatedProvider.Act, acceptsStaleSignIn: Bool) async throws -> Failure? {
            provider.next(act)
            phone.next(.match)
            let signIn = try signIn(acceptsStaleSignIn: acceptsStaleSignIn)
            let failed = await failure { try await auth.replaceBiometricKey(with: signIn) }
            phone.forgetActs()
            return failed
        }
    }

    @Test(
        "the session of a provider in the browser brings no new key, whether the device or the server finds it out",
        arguments: [false, true])
    func byCookie(_ acceptsStaleSignIn: Bool) async throws {
        try await World.run { world in
            for act in [SimulatedProvider.Act.answerByCookie, .omitAuthTime] {
                let pages = world.provider.pages.count
                let pin = try await world.resetPIN(act, acceptsStaleSignIn: acceptsStaleSignIn)
                let face = try await world.replaceBiometricKey(act, acceptsStaleSignIn: acceptsStaleSignIn)
                let isDevices = act == .omitAuthTime && !acceptsStaleSignIn
                #expect(pin?.code == (isDevices ? .providerMismatch : .refused), "\(act)")
                #expect(face?.code == (isDevices ? .providerMismatch : .refused), "\(act)")
                #expect(world.provider.pages.count == pages + 2)
            }
            world.phone.next(.match)
            _ = try await world.auth.authenticate("Unlock")
        }
    }

    @Test func aPersonWhomTheProviderAsksAgainSetsANewPINAndANewBiometricKey() async throws {
        try await World.run { world in
            expect(try await world.resetPIN(.signIn, acceptsStaleSignIn: false), is: nil)
            // Two ID tokens of one second for one session key are one token, which is used once.
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            expect(try await world.replaceBiometricKey(.signIn, acceptsStaleSignIn: false), is: nil)
            for page in world.provider.pages.suffix(2) {
                #expect(page.query?.contains("prompt=login&max_age=0") == true)
            }
        }
    }

    @Test func whereTheOperatorAcceptsItTheBrowsersSessionResetsKeys() async throws {
        try await World.run(staleSignIn: "a_browser_cookie_may_reset_keys") { world in
            expect(try await world.resetPIN(.answerByCookie, acceptsStaleSignIn: true), is: nil)
            expect(try await world.replaceBiometricKey(.omitAuthTime, acceptsStaleSignIn: true), is: nil)
        }
    }
}
#endif
