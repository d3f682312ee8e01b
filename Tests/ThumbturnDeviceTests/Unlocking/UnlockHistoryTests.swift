import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// What is remembered from one unlock to the next.
@Suite struct UnlockHistoryTests {
    @Test func aQuickPersonIsOfferedAnotherWaySoonerAlsoAfterARestartOfTheApp() async throws {
        try await World.enrolled { world in
            for _ in 1...5 {
                world.phone.next(.match, after: .milliseconds(900))
                _ = try await world.auth.authenticate("Unlock")
            }
            let again = try Authenticator(server: InMemoryServer.url, platform: world.auth.platform) { world.news.hear($0) }
            let asked = world.clock.now
            world.phone.next(.ignore, .match)
            expect(try await again.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(asked.duration(to: world.clock.now) == .seconds(8), "and not 12")
        }
    }

    @Test func thePreferredRungIsRemembered() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            try await world.auth.prefer(.appPIN)
            let again = try Authenticator(server: InMemoryServer.url, platform: world.auth.platform)
            expect(try await again.authenticate("Unlock").rung, is: .appPIN)
            try await again.prefer(nil)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func aFlowThatNeverEndedIsReportedAtTheNextOne() async throws {
        try await World.enrolled { world in
            world.phone.next(.ignore)
            let question = Question()
            async let stopped = question.asking { try await world.auth.authenticate("Unlock").rung }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(9)))
            let note = try #require(try await world.auth.platform.secrets.read("open flow https://bank.example default"))
            question.useAnotherWay()
            expect(try await stopped, is: .devicePasscode)
            #expect(
                try await world.auth.platform.secrets.read("open flow https://bank.example default") == nil, "it came to its end")
            // A killed app leaves this behind.
            try await world.auth.platform.secrets.write(note, as: "open flow https://bank.example default")
            _ = try await world.auth.authenticate("Unlock")
            #expect(world.telemetry.contains(.abandoned(.hinted, after: .seconds(8))))
            let heard = world.telemetry.count
            _ = try await world.auth.authenticate("Unlock")
            #expect(
                !world.telemetry.dropFirst(heard).contains { if case .abandoned = $0 { true } else { false } }, "once"
            )
        }
    }

    @Test func assistiveTechnologyLiftsTheLimits() async throws {
        try await World.enrolled { world in
            var platform = world.auth.platform
            platform.extraTime = { .unlimited }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }
            world.phone.next(.match, after: .seconds(60))
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            #expect(!world.news.all.contains { if case .hint = $0 { true } else { false } })
        }
    }
}

/// Keys and sensors that are lost, or may be.
@Suite struct LossTests {
    @Test func aRestoredPhoneSaysSo() async throws {
        try await World.enrolled { world in
            for kind in KeyKind.allCases {
                let live = try #require(try await world.auth.liveEnrolment())
                try await world.auth.platform.keys.delete(world.auth.name(of: kind, in: live))
            }
            let readiness = await world.auth.readiness()
            for kind in [KeyKind.session, .biometric, .passcode] {
                #expect(readiness.state(of: kind) == .invalidated(.restored), "\(kind)")
            }
            #expect(readiness.state(of: .pin) == .missing, "it never had one")
            let failure = await failure { _ = try await world.auth.authenticate("Unlock") }
            #expect(failure == Failure(.keyInvalidated))
            #expect(world.telemetry.contains(.keyInvalidated(.restored)))
        }
    }

    @Test func aKeyThatTheSystemDeletedIsInvalidated() async throws {
        try await World.enrolled { world in
            let live = try #require(try await world.auth.liveEnrolment())
            try await world.auth.platform.keys.delete(world.auth.name(of: .biometric, in: live))
            #expect(await world.auth.readiness().state(of: .biometric) == .invalidated(.enrolmentChanged))
        }
    }

    @Test func anUpgradedSystemAsksForOneConfirmation() async throws {
        try await World.enrolled(.iPhone(.face)) { world in
            world.phone.upgradeSystem()
            let upgraded = await world.auth.readiness()
            #expect(upgraded.biometry == .unconfirmed && upgraded.enrolment == .afterUpgrade)
            #expect(upgraded.state(of: .biometric) == .usable, "no key is deleted")
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(await world.auth.readiness().enrolment == .none)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric, "one confirmation is enough")
        }
    }

    @Test func aSensorThatWasMissingIsNotAskedAgainUntilTheSystemReportsAChange() async throws {
        try await World.enrolled { world in
            let flaky = FlakySensor(sensor: world.auth.platform.sensor)
            var platform = world.auth.platform
            platform.sensor = flaky
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            expect(try await auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(flaky.prompts == 1)
            #expect(await auth.readiness().biometry == .unavailable)
            expect(try await auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(flaky.prompts == 1, "remembered")
            world.phone.setPermission(false)
            #expect(await auth.readiness().biometry == .permissionDenied)
            world.phone.setPermission(true)
            #expect(await auth.readiness().biometry == .ready, "it may have been plugged in again")
        }
    }
}

/// Unlocks that are reused for the next one.
@Suite struct ReuseTests {
    static let within: UnlockPolicy = {
        var policy = UnlockPolicy.unlock
        policy.reuse = .seconds(60)
        return policy
    }()

    @Test func anUnlockIsReusedWithinThePolicysTime() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            _ = try await world.auth.authenticate("Unlock", policy: Self.within)
            world.clock.advance(by: .seconds(59))
            expect(try await world.auth.authenticate("Unlock", policy: Self.within).rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
            world.clock.advance(by: .seconds(1))
            _ = try await world.auth.authenticate("Unlock", policy: Self.within)
            #expect(world.phone.promptCount == prompts + 2)
            _ = try await world.auth.authenticate("Unlock")
            #expect(world.phone.promptCount == prompts + 3, "by default an unlock is not reused")
        }
    }

    @Test func anUnlockOfAWeakerLadderIsNotReused() async throws {
        try await World.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch, .match)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            var strict = UnlockPolicy(ladder: [.biometric, .fullCredentials])
            strict.reuse = .seconds(60)
            let prompts = world.phone.promptCount
            expect(try await world.auth.authenticate("Unlock", policy: strict).rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anEmptyLadderIsNoSignIn() async throws {
        try await World.enrolled { world in
            await expectFailure(.policyDenies) {
                _ = try await world.auth.authenticate("Unlock", policy: UnlockPolicy(ladder: []))
            }
        }
    }
}

/// A sensor that reports to be ready, and is not there.
private final class FlakySensor: Sensor {
    private let sensor: any Sensor
    private let count = Mutex(0)

    init(sensor: any Sensor) { self.sensor = sensor }

    var prompts: Int { count.withLock { $0 } }

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func kind() async -> SensorKind? { await sensor.kind() }
    func enrolmentMark() async -> EnrolmentMark? { await sensor.enrolmentMark() }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        guard request.rung == .biometric else { return await sensor.prompt(request, hearing: hearing) }
        count.withLock { $0 += 1 }
        return .failed(Failure(.biometryUnavailable))
    }
}
