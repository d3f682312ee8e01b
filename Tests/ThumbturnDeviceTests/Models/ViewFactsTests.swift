import Synchronization
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// What views read from the models beside their words: the end of a success, the sensor, pauses that count down.
@MainActor @Suite struct ViewFactsTests {
    @Test func aSuccessEndsWhenTheAppIsLeftAndTheScreenAsksAnew() async throws {
        try await ScreenWorld.tell(.iPhone(.face)) { world in
            let screen = UnlockScreen(for: world.auth, reason: "Show the balance")
            let prompts = world.world.phone.promptCount
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && screen.sensor == .faceID)
                world.app.move(to: .inactive)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked, "a prompt of another action makes the app inactive")
                world.app.move(to: .back)
                await world.wait(.milliseconds(1))
                #expect(screen.stage == .ready && screen.answered == nil)
                await world.wait(.seconds(60))
                #expect(world.world.phone.promptCount == prompts + 1, "nothing is asked behind the person's back")
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 2)
            }
        }
    }

    @Test func aPaymentsScreenWaitsForATapWhenTheAppComesBack() async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(for: world.auth, reason: "Pay", purpose: .payment)
            await world.with({ await screen.appear() }) {
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked)
                world.app.move(to: .back)
                world.app.move(to: .front)
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready && screen.buttons.first?.action == .ask)
            }
        }
    }

    @Test("a success ends when the person is dismissed", arguments: ["stronger rung", "forgotten", "lock"])
    func dismissed(_ how: String) async throws {
        try await ScreenWorld.tell { world in
            let screen = UnlockScreen(for: world.auth, reason: "Show the balance")
            let lock = AppLockModel(for: world.auth, reason: "Open Acme")
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked)
                switch how {
                case "stronger rung": try? await world.auth.requireStrongerRungNextTime()
                case "forgotten": await world.auth.forgetRecentAuthentication()
                default:
                    if let answered = screen.answered { lock.unlocked(by: answered) }
                    lock.lockNow()
                }
                await world.wait(.milliseconds(10))
                #expect(screen.stage == .ready && screen.answered == nil)
            }
        }
    }

    @Test func aLockScreenCountsAPauseDown() async throws {
        try await ScreenWorld.tell { world in
            let unlock: @Sendable () async throws -> Grant = { throw Failure(.paused, recovery: .wait(.seconds(30))) }
            let lock = AppLockModel(platform: world.platform, unlock: unlock)
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                let first = lock.message
                #expect(first?.id == "waitFor" && lock.buttons.first?.action == .ask)
                await world.wait(.seconds(10))
                #expect(lock.message?.id == "waitFor" && lock.message != first)
                await world.wait(.seconds(20))
                #expect(lock.message == PersonMessage(.readyWhenYouAre) && lock.isLocked)
            }
        }
    }

    @Test func aLockScreenSaysWhyAndForWhatItAsks() async throws {
        try await ScreenWorld.tell(.iPhone(.face)) { world in
            let lock = AppLockModel(for: world.auth, reason: "Open Acme")
            world.world.phone.next(.ignore)
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(lock.reason == "Open Acme" && lock.rung == .biometric && lock.sensor == .faceID)
                await world.wait(.seconds(14))
                #expect(lock.rung == .devicePasscode || !lock.isLocked)
            }
        }
    }

    /// Locking by hand, a sign-out or a dismissal must leave a way in on the screen.
    @Test func aLockThatLocksAnOpenAppHasItsButtons() async throws {
        try await ScreenWorld.tell { world in
            let lock = AppLockModel(for: world.auth, reason: "Open Acme")
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && lock.buttons.isEmpty)
                lock.lockNow()
                await world.wait(.milliseconds(10))
                #expect(lock.isLocked && lock.buttons.first?.action == .ask)
                lock.press(.ask)
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                await world.auth.forgetRecentAuthentication()
                await world.wait(.milliseconds(10))
                #expect(lock.isLocked && !lock.buttons.isEmpty)
            }
        }
    }

    // MARK: - The PIN's screen

    @Test func aPINThatIsEasilyGuessedIsNamedWhileItIsTyped() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            let chosen = Task(executorPreference: clock.executor) { await screen.choose() }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            "12345".forEach(screen.type)
            #expect(screen.message == PersonMessage(.choosePIN))
            screen.type("6")
            #expect(screen.message == PersonMessage(.pinEasilyGuessed))
            screen.confirm()
            #expect(screen.purpose == .choose && screen.digitCount == 0 && screen.refusals == 1)
            "824193".forEach(screen.type)
            #expect(screen.message == PersonMessage(.choosePIN) && screen.canConfirm)
            screen.confirm()
            let answer = await chosen.value
            #expect(answer.description == "entered")
        }
    }

    @Test func thePausesSecondsCountDownAndNoPINIsTakenMeanwhile() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            let entered = Task(executorPreference: clock.executor) {
                await screen.enter(PINRequest(reason: "Unlock Acme", cancelButton: .cancel, wrongInARow: 5))
            }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            screen.show(Failure(.paused, recovery: .wait(.seconds(30))))
            "824193".forEach(screen.type)
            screen.confirm()
            #expect(screen.isPaused && !screen.canConfirm && screen.purpose == .enter && screen.refusals == 1)
            let counting = Task(executorPreference: clock.executor) { await screen.countDown() }
            try? await clock.sleep(until: clock.now.advanced(by: .milliseconds(10_500)))
            #expect(screen.message == .pinPaused(for: .seconds(20)))
            await counting.value
            #expect(!screen.isPaused && screen.canConfirm && screen.message == PersonMessage(.enterPIN))
            screen.cancel()
            _ = await entered.value
        }
    }

    // MARK: - The list of devices

    private nonisolated static func device(_ id: String, isCurrent: Bool = false) -> EnrolledDevice {
        EnrolledDevice(id: id, name: "Phone \(id)", keys: [], enrolledAt: UnixTime(seconds: 0), isCurrent: isCurrent)
    }

    @Test func thisDeviceIsTheFirstOfTheListAndAnotherOneCanBeRemoved() async throws {
        let known = Mutex(["a", "b", "c"])
        let model = DeviceListModel {
            known.withLock { $0.map { Self.device($0, isCurrent: $0 == "b") } }
        } remove: { device in
            known.withLock { $0.removeAll { $0 == device.id } }
        } rename: { _, _ in
        }
        await model.refresh()
        #expect(model.devices.map(\.id) == ["b", "a", "c"] && model.message == nil)
        await model.remove(model.devices[0])
        #expect(model.devices.count == 3, "this device is not removed here")
        await model.remove(model.devices[1])
        #expect(model.devices.map(\.id) == ["b", "c"] && !model.isBusy)
    }

    @Test func whatDidNotComeAboutIsSaidAndTheListStays() async throws {
        let isThere = Mutex(true)
        let model = DeviceListModel {
            guard isThere.withLock({ $0 }) else { throw Failure(.unreachable) }
            return [Self.device("a", isCurrent: true), Self.device("b")]
        } remove: { _ in
            throw Failure(.cancelledByUser)
        } rename: { _, name in
            throw Failure(.refused)
        }
        await model.refresh()
        await model.remove(model.devices[1])
        #expect(model.message == Failure(.cancelledByUser).message && model.devices.count == 2)
        await model.rename(model.devices[1], to: "x")
        #expect(model.message == Failure(.refused).message)
        isThere.withLock { $0 = false }
        await model.refresh()
        #expect(model.message == Failure(.unreachable).message && model.devices.count == 2)
        isThere.withLock { $0 = true }
        await model.refresh()
        #expect(model.message == nil)
    }

    @Test func whatTheLastPersonSawIsForgottenAndALateAnswerBringsNothingBack() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let model = DeviceListModel {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
                return [Self.device("a")]
            } remove: { _ in
            } rename: { _, _ in
            }
            await model.refresh()
            #expect(model.devices.count == 1)
            async let late: Void = model.refresh()
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            model.forget()
            #expect(model.devices.isEmpty)
            await late
            #expect(model.devices.isEmpty)
        }
    }

    @Test func aFailureThatAsksForTheFullSignInHasItsButton() {
        for canSignIn in [true, false] {
            let readiness = Readiness(
                biometry: .ready, keys: [:], ladder: [.biometric, .fullCredentials], canSignIn: canSignIn)
            let ways = UnlockWays(readiness: readiness, rung: .biometric)
            let first = ways.after(Failure(.refused, recovery: .signInAgain)).first
            #expect(first?.action == (canSignIn ? .askAt(.fullCredentials) : .recover(.signInAgain)))
        }
    }

    @Test func aNameThatHidesTextIsShownAsOneLine() {
        let device = EnrolledDevice(id: "a", name: "Ada\n\u{202E}phone", keys: [], enrolledAt: UnixTime(seconds: 0))
        #expect(!device.name.contains("\n") && !device.name.unicodeScalars.contains("\u{202E}"))
    }
}
