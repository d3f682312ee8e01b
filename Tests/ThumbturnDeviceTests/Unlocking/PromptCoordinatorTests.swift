import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// One prompt at a time, only while the app is in front, and always with an end.
@Suite struct PromptCoordinatorTests {
    /// An enrolled phone whose app phase the test sets.
    static func enrolled(
        _ story: @escaping @Sendable (World, Authenticator, MovedApp) async throws -> Void
    ) async throws {
        try await World.enrolled { world in
            let app = MovedApp()
            var platform = world.phone.platform(transport: world.server)
            platform.phases = app
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await story(world, auth, app)
        }
    }

    static func wait(_ duration: Duration, _ world: World) async {
        try? await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    @Test func equalUnlocksShareOnePromptAndOneSession() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(1))
            async let one = auth.authenticate("Unlock")
            async let other = auth.authenticate("Unlock")
            let (first, second) = try await (one, other)
            #expect(world.phone.promptCount == prompts + 1)
            #expect(first.session.accessToken == second.session.accessToken)
        }
    }

    @Test func aTapEndsTheWaitingOfAScreen() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            async let screen = auth.authenticate("Unlock", policy: .highRisk, by: .screen)
            await Self.wait(.seconds(60), world)
            #expect(world.phone.promptCount == prompts)
            expect(try await auth.authenticate("Unlock", policy: .highRisk).rung, is: .biometric)
            _ = try await screen
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func aTapForAnotherQuestionIsNoTapForTheOneThatWaits() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            let (payment, unlock) = (Question(), Question())
            async let screen = payment.asking { try await auth.authenticate("Pay", policy: .highRisk, by: .screen) }
            await Self.wait(.seconds(1), world)
            async let tapped = unlock.asking { try await auth.authenticate("Unlock", policy: .highRisk) }
            expect(try await tapped.rung, is: .biometric)
            await Self.wait(.seconds(60), world)
            #expect(world.phone.promptCount == prompts + 1, "the payment still waits for its own tap")
            unlock.prompt()
            await Self.wait(.seconds(1), world)
            #expect(world.phone.promptCount == prompts + 1)
            payment.prompt()
            expect(try await screen.rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func noCallerJoinsAfterADismissal() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            async let before = failure { _ = try await auth.authenticate("Unlock") }
            await Self.wait(.seconds(1), world)
            await auth.forgetRecentAuthentication()
            async let after = auth.authenticate("Unlock")
            expect(try await after.rung, is: .biometric)
            #expect(await before?.code == .cancelledByApp, "a match of before the dismissal is worth nothing")
            #expect(world.phone.promptCount == prompts + 2, "the later call asks for itself")
            #expect(world.server.paths.filter { $0 == "POST /v1/token" }.count == 1, "nor does the server see its proof")
        }
    }

    @Test func noCallerJoinsOnceThePersonHasAnswered() async throws {
        try await Self.enrolled { world, _, _ in
            let slow = SlowTokens(server: world.server, clock: world.clock)
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            let prompts = world.phone.promptCount
            async let before = auth.authenticate("Unlock")
            await Self.wait(.seconds(1), world)
            #expect(world.phone.promptCount == prompts + 1, "the proof is on its way")
            async let after = auth.authenticate("Unlock")
            let (first, second) = try await (before, after)
            #expect(world.phone.promptCount == prompts + 2)
            #expect(first.session.accessToken != second.session.accessToken)
        }
    }

    @Test func noCallerJoinsAVaultsUnlockOnceItsSensorIsOff() async throws {
        try await Self.enrolled { world, auth, _ in
            let vault = Vault(named: "designs", platform: auth.platform, access: .userPresence)
            _ = try await vault.unlocked("Open") { $0.rung }
            let prompts = world.phone.promptCount
            world.phone.next(.ignore)
            async let before = failure { _ = try await vault.unlocked("Open") { $0.rung } }
            await Self.wait(.seconds(1), world)
            try await vault.requireStrongerRungNextTime()
            async let after = vault.unlocked("Open") { $0.rung }
            #expect(await before?.code == .cancelledByApp)
            expect(try await after, is: .devicePasscode)
            #expect(world.phone.promptCount == prompts + 2, "the first prompt is taken away, and the later call asks for itself")
        }
    }

    @Test func anAskThatWasVoidedWhileItWaitedPromptsNoPerson() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            async let one = failure { _ = try await auth.authenticate("Unlock") }
            await Self.wait(.milliseconds(500), world)
            async let other = failure { _ = try await auth.authenticate("Show the recovery codes") }
            await Self.wait(.milliseconds(500), world)
            auth.platform.prompts.voidEverything()
            #expect(await one?.code == .cancelledByApp)
            #expect(await other?.code == .cancelledByApp)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anotherReasonWaitsItsTurn() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, .match, after: .seconds(1))
            async let one = auth.authenticate("Unlock")
            async let other = auth.authenticate("Show the recovery codes")
            await Self.wait(.milliseconds(500), world)
            #expect(world.phone.promptCount == prompts + 1)
            let (first, second) = try await (one, other)
            #expect(world.phone.promptCount == prompts + 2)
            #expect(first.session.accessToken != second.session.accessToken)
        }
    }

    @Test func aVaultAndASignInTakeTurns() async throws {
        try await Self.enrolled { world, auth, _ in
            var platform = auth.platform
            platform.promptGap = .milliseconds(300)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let vault = Vault(named: "designs", platform: platform, access: .passcode)
            await Self.wait(.seconds(1), world)  // The prompt of the enrolment is gone.
            let start = world.clock.now
            world.phone.next(.match, .match, after: .seconds(1))
            async let rung = auth.authenticate("Unlock").rung
            async let opened = vault.unlocked("Open") { $0.rung }
            expect(try await rung, is: .biometric)
            expect(try await opened, is: .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .milliseconds(2300), "and the gap between the prompts is kept")
        }
    }

    @Test func aSharedUnlockGoesOnWhenItsFirstCallerLeaves() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            let first = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await auth.authenticate("Unlock") }
            }
            await Self.wait(.milliseconds(100), world)
            let second = Task(executorPreference: world.clock.executor) { try await auth.authenticate("Unlock").rung }
            await Self.wait(.milliseconds(100), world)
            first.cancel()
            #expect(await first.value?.code == .cancelledByApp)
            expect(try await second.value, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func aCallerThatLeavesTheLineIsNeverPrompted() async throws {
        try await Self.enrolled { world, auth, _ in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            async let one = auth.authenticate("Unlock").rung
            await Self.wait(.milliseconds(100), world)
            let second = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await auth.authenticate("Other") }
            }
            await Self.wait(.milliseconds(100), world)
            second.cancel()
            let left = world.clock.now
            #expect(await second.value?.code == .cancelledByApp)
            #expect(world.clock.now == left, "without waiting for the earlier request")
            expect(try await one, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test("nothing is asked while the app is not in front, and then once", arguments: [AppPhase.back, .inactive])
    func waiting(_ phase: AppPhase) async throws {
        try await Self.enrolled { world, auth, app in
            app.move(to: phase)
            let (prompts, sent) = (world.phone.promptCount, world.server.paths.count)
            async let rung = auth.authenticate("Unlock").rung
            await Self.wait(.seconds(3600), world)
            #expect(world.phone.promptCount == prompts)
            #expect(world.server.paths.count == sent, "nor is a challenge fetched that would be old by then")
            app.move(to: .front)
            app.move(to: .inactive)
            app.move(to: .front)
            expect(try await rung, is: .biometric)
            await Self.wait(.seconds(10), world)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func theAppsOwnPromptMovesTheAppAndStartsNothing() async throws {
        try await Self.enrolled { world, auth, app in
            let prompts = world.phone.promptCount
            world.phone.next(.match, after: .seconds(3))
            async let rung = auth.authenticate("Unlock").rung
            await Self.wait(.seconds(1), world)
            app.move(to: .inactive)
            await Self.wait(.seconds(1), world)
            app.move(to: .front)
            expect(try await rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func aPromptWithoutAnAnswerEndsWhenTheAppComesBack() async throws {
        try await Self.enrolled { world, auth, app in
            world.phone.next(.ignore)
            let passcode = UnlockPolicy(ladder: [.devicePasscode])
            async let rung = auth.authenticate("Unlock", policy: passcode).rung
            await Self.wait(.seconds(1), world)
            app.move(to: .back)
            await Self.wait(.seconds(600), world)
            app.move(to: .front)
            expect(try await rung, is: .devicePasscode, "it is asked again, with a challenge that the server still accepts")
            expect(try await auth.authenticate("Unlock", policy: passcode).rung, is: .devicePasscode, "and the next one works")
        }
    }

    @Test func aPromptThatCannotBeDismissedDoesNotHoldItsCaller() async throws {
        try await Self.enrolled { world, auth, _ in
            let stuck = StuckSensor(sensor: auth.platform.sensor, clock: world.clock)
            var platform = auth.platform
            platform.sensor = stuck
            let stubborn = try Authenticator(server: InMemoryServer.url, platform: platform)
            let tokens = world.server.paths.filter { $0 == "POST /v1/token" }.count
            let call = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await stubborn.authenticate("Unlock") }
            }
            await Self.wait(.seconds(1), world)
            let cancelled = world.clock.now
            call.cancel()
            #expect(await call.value?.code == .cancelledByApp)
            #expect(cancelled.duration(to: world.clock.now) == .seconds(2))
            await Self.wait(.seconds(60), world)
            #expect(stuck.hasAnswered, "the late success came")
            #expect(world.server.paths.filter { $0 == "POST /v1/token" }.count == tokens, "and its success was not used")
        }
    }

    @Test func listenersAreToldWhenAPromptIsUp() async throws {
        try await Self.enrolled { world, auth, _ in
            let heard = Mutex<[Bool]>([])
            let visibility = auth.platform.prompts.promptVisibility()
            let listening = Task(executorPreference: world.clock.executor) {
                for await isUp in visibility { heard.withLock { $0.append(isUp) } }
            }
            _ = try await auth.authenticate("Unlock")
            await Self.wait(.seconds(1), world)
            #expect(heard.withLock { $0 } == [false, true, false])
            listening.cancel()
        }
    }
}

/// An app whose phase a test sets. It begins in front.
final class MovedApp: AppPhases {
    private let state = Mutex<(phase: AppPhase, listeners: [AsyncStream<AppPhase>.Continuation])>((.front, []))

    func move(to phase: AppPhase) {
        let listeners = state.withLock { state in
            state.phase = phase
            return state.listeners
        }
        listeners.forEach { $0.yield(phase) }
    }

    func phases() -> AsyncStream<AppPhase> {
        let (stream, listener) = AsyncStream.makeStream(of: AppPhase.self)
        state.withLock { state in
            listener.yield(state.phase)
            state.listeners.append(listener)
        }
        return stream
    }
}

/// A sensor that cannot be cancelled and answers after half a minute.
private final class StuckSensor: Sensor {
    private let sensor: any Sensor
    private let clock: VirtualClock
    private let answered = Mutex(false)

    init(sensor: any Sensor, clock: VirtualClock) {
        self.sensor = sensor
        self.clock = clock
    }

    var hasAnswered: Bool { answered.withLock { $0 } }

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        let (clock, until) = (clock, clock.now.advanced(by: .seconds(30)))
        await Task(executorPreference: clock.executor) { try? await clock.sleep(until: until) }.value
        let answer = await Task(executorPreference: clock.executor) { [sensor] in await sensor.prompt(request, hearing: hearing) }
            .value
        answered.withLock { $0 = true }
        return answer
    }
}
