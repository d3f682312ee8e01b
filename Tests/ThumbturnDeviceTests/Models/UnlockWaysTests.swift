import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// The screen behind an unlock always names another way.
@MainActor @Suite struct UnlockWaysTests {
    @Test func theFirstWayAndTheNextOneAreNamedBeforeThePrompt() async throws {
        try await Self.tell(purpose: .payment) { world, screen in
            let first = Rung.biometric.button.naming(await world.auth.readiness().sensor)
            #expect(screen.buttons.map(\.words) == [first, Rung.devicePasscode.button])
        }
    }

    @Test func anotherWayBeforeTheFirstPromptAsksThatRungAlone() async throws {
        try await Self.tell(purpose: .payment) { world, screen in
            let prompts = world.phone.promptCount
            screen.press(.anotherWay)
            await world.wait(.seconds(1))
            #expect(screen.stage == .unlocked && screen.answered?.rung == .devicePasscode)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anotherWayInTheMomentBeforeTheAutomaticPromptAsksThatRungAlone() async throws {
        try await Self.tell { world, screen in
            await world.wait(.milliseconds(100))
            screen.press(.anotherWay)
            await world.wait(.seconds(1))
            #expect(screen.stage == .unlocked && screen.answered?.rung == .devicePasscode)
        }
    }

    @Test func theNextWayStandsBehindThePrompt() async throws {
        try await Self.tell(then: .ignore) { world, screen in
            await world.wait(.seconds(1))
            #expect(screen.stage == .asking)
            #expect(screen.buttons.map(\.words) == [Rung.devicePasscode.button])
        }
    }

    @Test func afterACancelEveryWayIsNamedAndWorks() async throws {
        for rung in [Rung.devicePasscode, .appPIN, .fullCredentials] {
            try await Self.tell(then: .cancel) { world, screen in
                await world.wait(.seconds(1))
                #expect(
                    screen.buttons.map(\.words) == [
                        PersonMessage(.tryAgain), Rung.devicePasscode.button, Rung.appPIN.button, Rung.fullCredentials.button,
                    ])
                screen.press(.askAt(rung))
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && screen.answered?.rung == rung)
            }
        }
    }

    @Test func fiveWrongPINsLeadToTheFullSignInAtOnce() async throws {
        try await Self.tell(then: .cancel) { world, screen in
            await world.wait(.seconds(1))
            for _ in 1...5 { world.phone.pins("739150") }
            world.screen.next(.give, after: .seconds(1))
            screen.press(.askAt(.appPIN))
            await world.wait(.milliseconds(500))
            #expect(screen.cause == .pinPaused(for: .seconds(30)))
            await world.wait(.seconds(1))
            #expect(screen.stage == .unlocked && screen.answered?.rung == .fullCredentials && screen.cause == nil)
        }
    }

    @Test func aLockoutIsToldWhereTheLadderMovesOn() async throws {
        try await Self.tell(.iPhone(.face), then: .noMatch, .noMatch, .noMatch, .ignore) { world, screen in
            await world.wait(.seconds(1))
            #expect(screen.rung == .devicePasscode && screen.message == Rung.devicePasscode.announcement)
            #expect(screen.cause != nil)
        }
    }

    @Test func aRungThatWasNeverSetUpIsNoCause() async throws {
        // A Linux machine has no passcode, so the ladder passes over it on its way to the PIN.
        try await Self.tell(.linux, then: .ignore) { world, screen in
            await world.wait(.seconds(1))
            world.phone.pins(.ignore)
            screen.press(.anotherWay)
            await world.wait(.seconds(1))
            #expect(screen.rung == .appPIN && screen.cause == nil, "\(screen.cause?.description ?? "")")
        }
    }

    @Test(
        "a face that was removed may be added again, whether the screen asks by itself or after a tap", arguments: [true, false])
    func removedFace(_ asksItself: Bool) async throws {
        let purpose: UnlockScreen.Purpose = asksItself ? .unlock : .payment
        try await Self.tell(.iPhone(.face), purpose: purpose, after: { $0.removeFaces() }, then: .ignore) { world, screen in
            if !asksItself { screen.press(.ask) }
            await world.wait(.seconds(1))
            #expect(screen.stage == .asking && screen.rung == .devicePasscode)
            #expect(screen.offer?.action == .recover(.openSettings))
        }
    }

    @Test func theCrossFadeOfThePolicyReachesTheView() async throws {
        var slow = UnlockPolicy.unlock
        slow.transition = .milliseconds(300)
        try await Self.tell(policy: slow, then: .noMatch, .noMatch, .noMatch, .ignore) { world, screen in
            #expect(screen.transition == .milliseconds(300))
            await world.wait(.seconds(1))
            #expect(screen.rung == .devicePasscode && screen.transition == .milliseconds(300))
            let move = UnlockNews.moved(
                from: .biometric, to: .devicePasscode, because: .mismatches, over: .milliseconds(300))
            #expect(world.news.all.contains(move))
        }
    }

    @Test func aScreenOfItsOwnLearnsTheCrossFadeFromTheNews() async throws {
        let world = try SignInWorld(hasPIN: true)
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await world.auth.enrol(with: World.signIn)
            for act in [SimulatedPhone.Act.noMatch, .noMatch, .noMatch, .ignore] { world.phone.next(act) }
            var quick = UnlockPolicy.unlock
            quick.transition = .milliseconds(200)
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.auth.news, platform: world.auth.platform
            ) { [quick] start in
                try await world.auth.authenticate("Unlock Acme", policy: quick, by: start)
            }
            let shown = Task(executorPreference: world.clock.executor) { await screen.appear() }
            await world.wait(.seconds(2))
            #expect(screen.rung == .devicePasscode && screen.transition == .milliseconds(200))
            shown.cancel()
            await shown.value
        }
    }

    @Test func aPauseIsCountedDown() async throws {
        var sensorAlone = UnlockPolicy(ladder: [.biometric])
        sensorAlone.mismatchLimit = 3
        try await Self.tell(policy: sensorAlone, then: .noMatch, .noMatch, .noMatch) { world, screen in
            await world.wait(.seconds(1))
            guard case .stopped(let failure) = screen.stage, case .wait(let time) = failure.recovery else {
                Issue.record("no pause: \(screen.stage)")
                return
            }
            let first = screen.message
            await world.wait(.seconds(3))
            #expect(screen.message != first && screen.message != PersonMessage(.readyWhenYouAre))
            await world.wait(time)
            #expect(screen.message == PersonMessage(.readyWhenYouAre))
            screen.press(.ask)
            await world.wait(.seconds(1))
            #expect(screen.stage == .unlocked)
        }
    }

    /// Runs a screen of an enrolled phone that has every rung, beside a story.
    private static func tell(
        _ model: SimulatedPhone.Model = .plain, policy: UnlockPolicy = .unlock, purpose: UnlockScreen.Purpose = .unlock,
        after change: @escaping @Sendable (SimulatedPhone) -> Void = { _ in },
        then acts: SimulatedPhone.Act..., story: @escaping @MainActor @Sendable (SignInWorld, UnlockScreen) async throws -> Void
    ) async throws {
        let world = try SignInWorld(model, hasPIN: true)
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await world.auth.enrol(with: World.signIn)
            change(world.phone)
            for act in acts { world.phone.next(act) }
            let screen = UnlockScreen(for: world.auth, reason: "Unlock Acme", policy: policy, purpose: purpose)
            let shown = Task(executorPreference: world.clock.executor) { await screen.appear() }
            await world.wait(.milliseconds(1))
            try await story(world, screen)
            shown.cancel()
            await shown.value
        }
    }
}

extension SignInWorld {
    func wait(_ duration: Duration) async { try? await clock.sleep(until: clock.now.advanced(by: duration)) }
}

/// The lock of an app is a lock screen, too.
@MainActor @Suite struct LockScreenTests {
    @Test func theLockAsksAMomentAfterTheAppAppeared() async throws {
        try await Self.tell { world, lock in
            let prompts = world.phone.promptCount
            await world.wait(.milliseconds(390))
            #expect(world.phone.promptCount == prompts && lock.isLocked)
            await world.wait(.milliseconds(20))
            #expect(world.phone.promptCount == prompts + 1 && !lock.isLocked)
            #expect(lock.buttons == [])
        }
    }

    @Test func aLockThatDoesNotAskByItselfWaitsForATap() async throws {
        var rules = AppLock.Rules()
        rules.asksItself = false
        try await Self.tell(rules) { world, lock in
            await world.wait(.seconds(60))
            #expect(lock.isLocked && !lock.isAsking)
            let first = Rung.biometric.button.naming(await world.auth.readiness().sensor)
            #expect(lock.buttons.map(\.words) == [first, Rung.devicePasscode.button])
            lock.press(.ask)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked)
        }
    }

    @Test func afterACancelEveryWayIsNamedAndWorks() async throws {
        for rung in [Rung.devicePasscode, .appPIN, .fullCredentials] {
            try await Self.tell(then: .cancel) { world, lock in
                await world.wait(.seconds(1))
                #expect(lock.isLocked)
                #expect(
                    lock.buttons.map(\.words) == [
                        PersonMessage(.tryAgain), Rung.devicePasscode.button, Rung.appPIN.button, Rung.fullCredentials.button,
                    ])
                lock.press(.askAt(rung))
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                #expect(world.news.telemetry.contains { if case .authenticated(rung, _, _) = $0 { true } else { false } })
            }
        }
    }

    @Test func whatIsMissingIsOfferedBesideTheWays() async throws {
        try await Self.tell { world, lock in
            await world.wait(.seconds(1))
            lock.lockNow()
            world.phone.removeFaces()
            world.phone.next(.ignore, .match)
            lock.tap()
            await world.wait(.seconds(1))
            #expect(lock.offer?.action == .recover(.openSettings))
            #expect(lock.isLocked && lock.isAsking, "it blocks nothing")
            lock.press(.anotherWay)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && lock.offer == nil)
        }
    }

    @Test func theCrossFadeOfThePolicyReachesTheLockScreen() async throws {
        var quick = UnlockPolicy.unlock
        quick.transition = .milliseconds(200)
        try await Self.tell(policy: quick, then: .noMatch, .noMatch, .noMatch, .ignore) { world, lock in
            #expect(lock.transition == .milliseconds(200))
            await world.wait(.seconds(1))
            #expect(lock.message == Rung.devicePasscode.announcement && lock.transition == .milliseconds(200))
        }
    }

    @Test func anotherWayWorksBeforeThePromptAndBehindIt() async throws {
        try await Self.tell { world, lock in
            let prompts = world.phone.promptCount
            await world.wait(.milliseconds(100))
            #expect(lock.buttons.map(\.words) == [Rung.devicePasscode.button])
            lock.press(.anotherWay)
            await world.wait(.seconds(1))
            // One prompt, and it is not the sensor's: nothing moved.
            #expect(!lock.isLocked && world.phone.promptCount == prompts + 1)
            #expect(
                world.news.telemetry.contains { if case .authenticated(.devicePasscode, _, _) = $0 { true } else { false } }
            )
        }
        try await Self.tell(then: .ignore) { world, lock in
            await world.wait(.seconds(1))
            #expect(lock.isLocked && lock.buttons.map(\.words) == [Rung.devicePasscode.button])
            lock.press(.anotherWay)
            await world.wait(.seconds(1))
            #expect(!lock.isLocked)
        }
    }

    /// Runs the lock of an enrolled phone that has every rung, beside a story.
    private static func tell(
        _ rules: AppLock.Rules = .init(), policy: UnlockPolicy = .unlock, then acts: SimulatedPhone.Act...,
        story: @escaping @MainActor @Sendable (SignInWorld, AppLockModel) async throws -> Void
    ) async throws {
        let world = try SignInWorld(hasPIN: true)
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await world.auth.enrol(with: World.signIn)
            for act in acts { world.phone.next(act) }
            let lock = AppLockModel(for: world.auth, reason: "Unlock Acme", policy: policy, rules: rules)
            let shown = Task(executorPreference: world.clock.executor) { await lock.run() }
            await world.wait(.milliseconds(1))
            try await story(world, lock)
            shown.cancel()
            await shown.value
        }
    }
}
