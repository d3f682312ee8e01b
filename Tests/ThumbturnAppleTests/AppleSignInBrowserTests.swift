#if STAND_INS && canImport(AuthenticationServices)
import AuthenticationServices
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnApple

/// The system's sheet, on the stand-in of AuthenticationServices.
@Suite struct AppleSignInBrowserTests {
    private static let scheme = SignInRedirect.privateUse(scheme: "com.example.app", path: "/signed-in")

    /// A phone whose provider is reached through the system's sheet.
    private struct SheetWorld: Sendable {
        let clock = VirtualClock()
        let web = StandInWeb()
        let server: InMemoryServer
        let provider: SimulatedProvider
        let auth: Authenticator
        let platform: DevicePlatform

        init() throws {
            server = InMemoryServer(clock: clock)
            provider = SimulatedProvider(clock: clock, passing: server)
            platform = SimulatedPhone(.iPhone(.face), clock: clock).platform(transport: provider)
            auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let key = try VerifyingKey(jwk: JWK(provider.publicKey))
            server.state.withLock {
                $0.provider = .init(issuer: provider.issuer.absoluteString, audience: provider.clientID, key: key)
            }
        }

        /// Enrols through the sheet, and returns the failure; nil where there was none.
        func failureOfEnrolling(redirect: SignInRedirect = scheme, sharing: Bool? = nil) async throws -> Failure? {
            let browser =
                sharing.map { AppleSignInBrowser(sharesBrowserSession: $0) { ASPresentationAnchor() } }
                ?? AppleSignInBrowser { ASPresentationAnchor() }
            let signIn = try OAuthSignIn(
                issuer: provider.issuer, clientID: provider.clientID, redirect: redirect,
                browser: browser, platform: platform)
            let (auth, clock) = (auth, clock)
            return try await StandInWeb.$current.withValue(web) {
                try await clock.run(mainActorToo: true) {
                    await failure { _ = try await auth.enrol(with: signIn) }
                }
            }
        }
    }

    @Test(
        "a person signs in on the sheet, which shares nothing with the browser unless the app says so",
        arguments: [scheme, .https(host: "app.example", path: "/signed-in")], [true, false, nil] as [Bool?])
    func signsIn(_ redirect: SignInRedirect, _ sharing: Bool?) async throws {
        let world = try SheetWorld()
        world.web.next(.answer { [provider = world.provider] in provider.answer(to: $0) })
        expect(try await world.failureOfEnrolling(redirect: redirect, sharing: sharing), is: nil)
        #expect(world.web.ephemeral == [!(sharing ?? false)])
        expect(await world.auth.readiness().isEnrolled, is: true)
        Noted.test()
    }

    @Test(
        "each error of the system is named by its number",
        arguments: [
            (1, Failure.Code.cancelledByUser), (2, .cancelledBySystem), (3, .cancelledBySystem), (4, .platform),
        ]) func faults(_ number: Int, _ code: Failure.Code) async throws
    {
        let world = try SheetWorld()
        world.web.next(.fault(number))
        let status = Failure.PlatformStatus(domain: ASWebAuthenticationSessionErrorDomain, code: number)
        expect(try await world.failureOfEnrolling(), is: Failure(code, recovery: .retry, status: status))
    }

    @Test func aSheetThatDoesNotStartIsTakenAwayByTheSystem() async throws {
        let world = try SheetWorld()
        world.web.next(.refuseToStart)
        expect(try await world.failureOfEnrolling()?.code, is: .cancelledBySystem)
    }

    @Test("an answer that never comes ends in time, and the sheet goes", arguments: [true, false])
    func lost(_ isElsewhere: Bool) async throws {
        let world = try SheetWorld()
        world.web.next(isElsewhere ? .answer { _ in URL(string: "com.example.other:/signed-in?code=1") } : .wait)
        let began = world.clock.now
        expect(try await world.failureOfEnrolling()?.code, is: .timedOut)
        #expect(began.duration(to: world.clock.now) == .seconds(600) && world.web.cancels == 1)
    }

    @Test func theLoopbackIsForOtherSystems() async throws {
        let world = try SheetWorld()
        expect(try await world.failureOfEnrolling(redirect: .loopback(path: "/"))?.code, is: .providerMismatch)
        #expect(world.web.pages.isEmpty)
    }
}
#endif
