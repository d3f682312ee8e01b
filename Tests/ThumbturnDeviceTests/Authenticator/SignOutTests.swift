import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit

/// Signing out, and what a device is called.
@Suite struct SignOutTests {
    @Test func signingOutEndsTheSessionHereAndAtTheServerAndKeepsTheEnrolment() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let keys = world.phone.keyCount
            try await world.auth.signOut(forgetDevice: false)
            #expect(world.server.state.withLock { $0.endedSessions } == ["token=refresh%201"])
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            #expect(world.phone.keyCount == keys)
            expect(await world.auth.readiness().isEnrolled, is: true)
            // The next sign-in takes the sensor and nothing else.
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(try await world.auth.me().name == "ada")
        }
    }

    @Test func signingOutTwiceIsNoFailureAndTellsTheServerOnce() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            try await world.auth.signOut(forgetDevice: false)
            try await world.auth.signOut(forgetDevice: false)
            #expect(world.server.state.withLock { $0.endedSessions.count } == 1)
        }
    }

    @Test func afterSigningOutNoEarlierUnlockStandsInForTheNext() async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy.unlock
            policy.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            let prompts = world.phone.promptCount
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            #expect(world.phone.promptCount == prompts)
            try await world.auth.signOut(forgetDevice: false)
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func withoutANetworkTheSessionEndsHereAndTheCallerHearsOfIt() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.isAway = true }
            await expectFailure(.unreachable) { try await world.auth.signOut(forgetDevice: false) }
            world.server.state.withLock { $0.isAway = false }
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            expect(await world.auth.readiness().isEnrolled, is: true)
        }
    }

    @Test func forgettingTheDeviceEndsTheEnrolmentToo() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            try await world.auth.signOut(forgetDevice: true)
            #expect(world.server.state.withLock { $0.devices.isEmpty } && world.phone.keyCount == 0)
            await expectFailure(.notEnrolled) { try await world.auth.signOut(forgetDevice: false) }
        }
    }

    @Test func anUnlockUnderWayDoesNotOutliveASignOut() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.phone.next(.match, after: .seconds(2))
            async let unlock = failure { _ = try await world.auth.authenticate("Unlock again") }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.auth.signOut(forgetDevice: false)
            expect(await unlock?.code, is: .cancelledByApp)
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
        }
    }

    // MARK: The cool-off

    @Test func aCoolOffIsToldWithItsEndAndNotAsAReasonToSignInAgain() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let end = world.clock.civilTime + .seconds(86_400)
            world.server.state.withLock { state in
                var problem = Problem(.verificationFailed, status: 401)
                (problem.retryAfter, problem.coolingOffUntil) = (86_400, end)
                state.problem = problem
            }
            let failure = try #require(await failure { _ = try await world.auth.me() })
            #expect(failure.code == .coolingOff && failure.until == end && failure.recovery == .wait(.seconds(86_400)))
            #expect(
                failure.message.text(in: .english)
                    == "You can do this here in 24\u{A0}hours. A device that you set up earlier can do it now.")
            #expect(failure.recovery.button == nil, "there is nothing to press, and no sign-in")
        }
    }

    // MARK: Names

    @Test(arguments: [
        ("Ada’s phone", "Ada’s phone"), ("  ", "This device"), ("Ada’s\u{202E} \u{200B} phone\n", "Ada’s phone"),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 64)),
        (String(repeating: "👩‍👩‍👧", count: 40), nil),
    ])
    func aDeviceIsCalledWhatItsPlatformTells(_ name: String, _ expected: String?) async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.name = name
            let device = try await world.auth.enrol(with: World.signIn)
            if let expected { #expect(device.name == expected) }
            #expect((1...64).contains(device.name.count) && device.name.utf8.count <= 256)
        }
    }

    @Test func theAppsOwnNameForADeviceCounts() async throws {
        let world = try World()
        try await world.clock.run {
            expect(try await world.auth.enrol(with: World.signIn, deviceName: "Till 4").name, is: "Till 4")
        }
    }
}
