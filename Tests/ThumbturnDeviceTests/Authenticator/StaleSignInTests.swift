import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A sign-in that a provider answered by its session in the browser, on a device that is somebody's: it shows who signed in there
/// once, and not who holds the device now. So it lifts nothing, whoever judges it first.
@Suite struct StaleSignInTests {
    typealias ProvidedWorld = OAuthSignInTests.ProvidedWorld

    /// Tells the story of a person who signed in at the provider an hour ago, and enrolled then if the story says so. The sign-in
    /// sends the server whatever the provider answers.
    private static func tell(
        isEnrolled: Bool, _ story: @escaping @Sendable (ProvidedWorld, OAuthSignIn) async throws -> Void
    ) async throws {
        let world = try ProvidedWorld()
        try await world.clock.run {
            var signIn = try world.signIn()
            signIn.acceptsStaleSignIn = true
            if isEnrolled {
                try await world.auth.enrol(with: signIn)
            } else {
                _ = try await signIn.credentials(for: OAuthSignInTests.request(freshSince: nil))
            }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3600)))
            try await story(world, signIn)
        }
    }

    @Test func itLiftsNoPanic() async throws {
        try await Self.tell(isEnrolled: true) { world, signIn in
            try await world.auth.requireStrongerRungNextTime()
            world.provider.next(.answerByCookie)
            let stale = try await world.auth.signIn(with: signIn)
            #expect(stale.rung == .fullCredentials)
            expect(await world.auth.readiness().biometry, is: .lockedOut(.untilStrongerRung))
            #expect(await !world.auth.shouldOfferBiometrics())
            expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain)
            _ = try await world.auth.signIn(with: signIn)
            expect(await world.auth.readiness().biometry, is: .ready)
        }
    }

    @Test func itOpensNoLockOfADeviceThatHasAnOwner() async throws {
        for isEnrolled in [true, false] {
            try await Self.tell(isEnrolled: isEnrolled) { world, signIn in
                for act in [SimulatedProvider.Act.answerByCookie, .signIn] {
                    world.provider.next(act)
                    let success = try await world.auth.signIn(with: signIn).answered
                    // Without an owner there is nobody whose contents show.
                    let opens = act == .signIn || !isEnrolled
                    #expect(success.lockProblem?.code == (opens ? nil : .refused), "\(act), \(isEnrolled)")
                }
            }
        }
    }

    @Test func aVisitThatItOpenedAddsNoBiometricsAndTheNextSignInIsFresh() async throws {
        try await Self.tell(isEnrolled: false) { world, signIn in
            world.provider.next(.answerByCookie)
            _ = try await world.auth.signIn(with: signIn)
            #expect(world.page["prompt"] == nil)
            #expect(await !world.auth.shouldOfferBiometrics())
            expect(await failure { try await world.auth.addBiometrics() }?.recovery, is: .signInAgain)
            _ = try await world.auth.signIn(with: signIn)
            #expect(world.page["prompt"] == "login")
            try await world.auth.addBiometrics()
        }
    }

    @Test func aPersonOfAProviderThatCannotAskEnrolsAfterAVisit() async throws {
        try await Self.tell(isEnrolled: false) { world, signIn in
            for _ in 1...2 {
                world.provider.next(.answerByCookie)
                _ = try await world.auth.signIn(with: signIn)
            }
            world.provider.next(.answerByCookie)
            try await world.auth.enrol(with: signIn)
            _ = try await world.auth.authenticate("Unlock")
        }
    }

    @Test func itBringsNoKeysInThePlaceOfOthers() async throws {
        try await Self.tell(isEnrolled: true) { world, signIn in
            let live = try await world.auth.liveEnrolment()
            world.provider.next(.answerByCookie)
            expect(await failure { try await world.auth.enrol(with: signIn, ifExists: .replace) }?.code, is: .refused)
            expect(try await world.auth.liveEnrolment(), is: live)
        }
    }

    /// A revocation needs nobody's consent, and must not make a session in the browser enough again.
    @Test func afterAPanicARevokedDeviceAsksThePersonToo() async throws {
        try await Self.tell(isEnrolled: true) { world, signIn in
            try await world.auth.requireStrongerRungNextTime()
            try await world.auth.revoke()
            var strict = signIn
            strict.acceptsStaleSignIn = false
            let refusing = strict
            world.provider.next(.answerByCookie)
            expect(await failure { try await world.auth.enrol(with: refusing) }?.code, is: .refused)
            #expect(world.page["prompt"] == "login")
            // A provider that cannot ask keeps no person out: they are enrolled, and the sensor stays off.
            world.provider.next(.answerByCookie)
            try await world.auth.enrol(with: signIn)
            expect(try await world.auth.sensorSwitch.read().isOff, is: true)
            _ = try await world.auth.signIn(with: signIn)
            expect(try await world.auth.sensorSwitch.read().isOff, is: false)
        }
    }
}
