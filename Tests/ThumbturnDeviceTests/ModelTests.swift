import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The contents of screens, on an enrolled phone in virtual time.
private struct ScreenWorld: Sendable {
    let world: World
    let auth: Authenticator
    let app = MovedApp()
    let news = UnlockNewsRelay()
    let platform: DevicePlatform

    static func tell(_ story: @escaping @MainActor @Sendable (ScreenWorld) async throws -> Void) async throws {
        let world = try World()
        try await world.clock.run(mainActorToo: true) {
            try await world.auth.enrol(with: World.signIn)
            try await story(try ScreenWorld(world))
        }
    }

    private init(_ world: World) throws {
        self.world = world
        var platform = world.phone.platform(transport: world.server)
        platform.phases = app
        self.platform = platform
        auth = try Authenticator(server: InMemoryServer.url, platform: platform, observe: news.hear)
    }

    func wait(_ duration: Duration) async {
        try? await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    /// Runs a screen beside a story, and ends it when the story ends.
    @MainActor func with(
        _ screen: @escaping @Sendable () async -> Void, _ story: @MainActor () async throws -> Void
    ) async rethrows {
        let shown = Task(executorPreference: world.clock.executor) { await screen() }
        await wait(.milliseconds(1))
        try await story()
        shown.cancel()
        await shown.value
    }

    var unlock: @Sendable () async throws(Failure) -> Void {
        { () async throws(Failure) in _ = try await auth.authenticate("Unlock Acme") }
    }

    var screenUnlock: @Sendable (UnlockFlow.Start) async throws(Failure) -> Void {
        { (start) async throws(Failure) in _ = try await auth.authenticate("Unlock Acme", by: start) }
    }

    var enrol: @Sendable () async throws(Failure) -> Void {
        { () async throws(Failure) in _ = try await auth.enrol(with: World.signIn) }
    }
}

@MainActor @Suite struct AppLockModelTests {
    @Test func locksCoversAndAsksByItself() async throws {
        try await ScreenWorld.tell { world in
            let locks = Mutex(0)
            let lock = AppLockModel(rules: .init(lockAfter: .seconds(30)), platform: world.platform, unlock: world.unlock) {
                locks.withLock { $0 += 1 }
            }
            let prompts = world.world.phone.promptCount
            #expect(lock.isLocked && lock.isCovered)
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && !lock.isCovered)
                #expect(world.world.phone.promptCount == prompts + 1)

                world.app.move(to: .inactive)
                await world.wait(.seconds(1))
                #expect(lock.isCovered && !lock.isLocked)
                world.app.move(to: .back)
                await world.wait(.seconds(31))
                #expect(lock.isLocked, "also while no screen is shown")
                #expect(locks.withLock { $0 } == 1)
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(!lock.isLocked && !lock.isCovered)
                #expect(world.world.phone.promptCount == prompts + 2)

                lock.lockNow()
                #expect(lock.isLocked && locks.withLock { $0 } == 2)
                await world.wait(.seconds(60))
                #expect(world.world.phone.promptCount == prompts + 2, "after locking by hand no prompt comes by itself")
                lock.tap()
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
            }
        }
    }

    @Test func ourOwnPromptNeitherCoversNorLoops() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.match, .cancel, after: .seconds(5))
            let lock = AppLockModel(platform: world.platform, unlock: world.unlock)
            await world.with({ await lock.run() }) {
                let prompts = world.world.phone.promptCount
                world.app.move(to: .inactive)
                await world.wait(.seconds(1))
                #expect(lock.isAsking && !lock.isCovered)
                await world.wait(.seconds(5))
                world.app.move(to: .front)
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                lock.lockNow()
                lock.tap()
                await world.wait(.seconds(6))
                for phase in [AppPhase.inactive, .front, .back, .front] {
                    world.app.move(to: phase)
                    await world.wait(.seconds(1))
                }
                #expect(lock.isLocked && lock.message == PersonMessage(.readyWhenYouAre))
                #expect(world.world.phone.promptCount == prompts + 1, "after a cancellation it waits for a tap")
            }
        }
    }
}

@MainActor @Suite struct UnlockScreenTests {
    @Test func asksByItselfAMomentAfterItAppeared() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, unlock: world.screenUnlock)
            #expect(screen.buttons.map(\.words) == [PersonMessage(.useBiometrics)])
            await world.with({ await screen.appear() }) {
                await world.wait(.milliseconds(398))
                #expect(world.world.phone.promptCount == prompts)
                #expect(screen.stage == .ready)
                await world.wait(.milliseconds(2))
                #expect(world.world.phone.promptCount == prompts + 1)
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func aTapWhileItWaitsForItsMomentAsksAtOnce() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            world.world.phone.next(.match, after: .seconds(1))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, unlock: world.screenUnlock, prompt: { await world.auth.prompt("Unlock Acme") })
            await world.with({ await screen.appear() }) {
                await world.wait(.milliseconds(100))
                screen.press(.ask)
                await world.wait(.milliseconds(100))
                #expect(screen.stage == .asking && world.world.phone.promptCount == prompts + 1)
                await world.wait(.seconds(2))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func aPolicyThatNeedsATapNeedsItOnEveryScreen() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Pay", news: world.news,
                unlock: { (start) async throws(Failure) in
                    _ = try await world.auth.authenticate("Pay", policy: .highRisk, by: start)
                },
                prompt: { await world.auth.prompt("Pay") })
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(60))
                #expect(screen.stage == .ready && world.world.phone.promptCount == prompts)
                #expect(screen.buttons.map(\.action) == [.ask])
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func aPaymentWaitsForATap() async throws {
        try await ScreenWorld.tell { world in
            let prompts = world.world.phone.promptCount
            let screen = UnlockScreen(
                reason: "Pay", news: world.news, purpose: .payment, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(3600))
                #expect(world.world.phone.promptCount == prompts)
                screen.press(.ask)
                screen.press(.ask)
                await world.wait(.seconds(1))
                #expect(screen.stage == .unlocked && world.world.phone.promptCount == prompts + 1)
            }
        }
    }

    @Test func theHintOffersAnotherWayAndTheMoveIsAnnounced() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.ignore)
            world.world.phone.next(.match, after: .seconds(2))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, unlock: world.screenUnlock,
                useAnotherWay: { await world.auth.useAnotherWay("Unlock Acme") })
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(9))
                #expect(screen.message == PersonMessage(.hintPasscode))
                #expect(screen.buttons.map(\.words) == [PersonMessage(.usePasscode)])
                screen.press(.anotherWay)
                await world.wait(.seconds(1))
                #expect(screen.rung == .devicePasscode && screen.message == PersonMessage(.nowPasscode))
                #expect(screen.buttons == [])
                await world.wait(.seconds(2))
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func theScreenWaitsForATapAfterACancellation() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.cancel)
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.message == PersonMessage(.readyWhenYouAre))
                #expect(screen.buttons.map(\.action) == [.ask])
            }
            let prompts = world.world.phone.promptCount
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(60))
                #expect(world.world.phone.promptCount == prompts, "not on every appearance")
            }
        }
    }

    @Test func aRecoveryByTheAppIsAButton() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.enrolNewFace()
            let asked = Mutex<[Recovery]>([])
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news,
                unlock: { (_) async throws(Failure) in _ = try await world.auth.authenticate("Unlock Acme", policy: .highRisk) },
                recover: { recovery in asked.withLock { $0.append(recovery) } })
            await world.with({ await screen.appear() }) {
                await world.wait(.seconds(1))
                #expect(screen.message == PersonMessage(.setUpAgain))
                for button in screen.buttons { screen.press(button.action) }
                #expect(asked.withLock { $0 } == [.reEnrol])
            }
        }
    }

    @Test func aScreenThatDisappearsDismissesItsPrompt() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.next(.match, after: .seconds(5))
            let screen = UnlockScreen(
                reason: "Unlock Acme", news: world.news, unlock: world.screenUnlock)
            await world.with({ await screen.appear() }) { await world.wait(.seconds(1)) }
            await world.wait(.seconds(10))
            guard case .stopped(let failure) = screen.stage else {
                Issue.record("the screen is gone, and so is its prompt")
                return
            }
            #expect(failure.code == .cancelledByApp)
        }
    }
}

@MainActor @Suite struct PINEntryModelTests {
    private static func request(_ wrong: Int) -> PINRequest {
        PINRequest(reason: "Unlock Acme", cancelButton: .use(.fullCredentials), wrongInARow: wrong)
    }

    private static func digits(_ answer: PINAnswer) -> [UInt8]? { if case .entered(let pin) = answer { pin.digits } else { nil } }

    @Test func theScreenShowsDotsAndTriesLeftAndGivesThePIN() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            #expect(screen.purpose == nil)
            async let answer = screen.enter(Self.request(7))
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            #expect(screen.purpose == .enter && screen.reason == "Unlock Acme")
            #expect(screen.triesLeft == 3 && screen.message == .pinTriesLeft(3))
            #expect(screen.cancelButton == PersonMessage(.signIn))
            for digit in "8241x9" { screen.type(digit) }
            #expect(screen.digitCount == 5 && !screen.canConfirm)
            screen.confirm()
            #expect(screen.purpose == .enter, "too short to be one")
            screen.deleteLast()
            for digit in "9343" { screen.type(digit) }
            screen.deleteLast()
            screen.deleteLast()
            screen.type("3")
            #expect("\(screen)" == "PINEntryModel")
            screen.confirm()
            expect(Self.digits(await answer), is: Array("8241933".utf8))
            #expect(screen.purpose == nil && screen.digitCount == 0, "nothing is left on the screen")
        }
    }

    @Test func aSecondCallChangesNothingOfTheScreen() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            async let answer = screen.enter(Self.request(7))
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            let other = PINRequest(reason: "Pay 900 euros", cancelButton: .cancel, wrongInARow: 0)
            for second in [await screen.enter(other), await screen.choose()] {
                guard case .failed(let failure) = second else {
                    Issue.record("one PIN is asked for at a time")
                    return
                }
                #expect(failure.code == .superseded)
                #expect(screen.purpose == .enter && screen.reason == "Unlock Acme" && screen.triesLeft == 3)
                #expect(screen.message == .pinTriesLeft(3) && screen.cancelButton == PersonMessage(.signIn))
            }
            for digit in "824193" { screen.type(digit) }
            screen.confirm()
            expect(Self.digits(await answer), is: Array("824193".utf8))
        }
    }

    @Test func anEasilyGuessedPINIsRefusedAndTheScreenStays() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            async let answer = screen.choose()
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            for digit in "123456" { screen.type(digit) }
            screen.confirm()
            #expect(screen.message == PersonMessage(.pinEasilyGuessed) && screen.digitCount == 0)
            for digit in "824193" { screen.type(digit) }
            screen.confirm()
            expect(Self.digits(await answer), is: Array("824193".utf8))
        }
    }

    @Test func cancelledByThePersonOrByTheApp() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            for byTheApp in [false, true] {
                let call = Task(executorPreference: clock.executor) { await screen.enter(Self.request(0)) }
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                screen.type("8")
                if byTheApp { call.cancel() } else { screen.cancel() }
                guard case .failed(let failure) = await call.value else {
                    Issue.record("a cancel enters nothing")
                    return
                }
                #expect(failure.code == (byTheApp ? .cancelledByApp : .cancelledByUser))
                #expect(screen.purpose == nil && screen.digitCount == 0)
            }
        }
    }

    @Test func aPauseIsShownWithItsEnd() async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let screen = PINEntryModel(clock: clock)
            screen.show(Failure(.paused, recovery: .wait(.seconds(30))))
            #expect(screen.pausedUntil == clock.now.advanced(by: .seconds(30)))
            #expect(screen.message == .pinPaused(for: .seconds(30)))
        }
    }
}

@MainActor @Suite struct BiometricsModelTests {
    @Test func theSwitchShowsTheStateOfTheKey() async throws {
        try await ScreenWorld.tell { world in
            let toggle = BiometricsToggle(for: world.auth, setUp: world.enrol)
            await toggle.refresh()
            #expect(toggle.state == .on)
            world.world.phone.enrolNewFace()
            await toggle.refresh()
            #expect(toggle.state == .off, "an invalidated key does not count, whatever was switched on before")
            await toggle.set(true)
            #expect(toggle.state == .on && toggle.message == nil)
            await toggle.set(false)
            #expect(toggle.state == .off)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            world.world.phone.setPermission(false)
            await toggle.refresh()
            #expect(toggle.state == .unavailable && toggle.message == PersonMessage(.permissionNeeded))
        }
    }

    @Test func switchingOnNeedsTheStrongerRungAndStaysOffWithoutIt() async throws {
        try await ScreenWorld.tell { world in
            let toggle = BiometricsToggle(for: world.auth) { () async throws(Failure) in
                try await world.auth.enrol(with: PasswordSignIn(account: "ada", password: "wrong"))
            }
            await toggle.set(false)
            await toggle.set(true)
            #expect(toggle.state == .off && toggle.message == PersonMessage(.notAccepted))
            expect(try await world.auth.biometricOffer().isDeclined, is: true, "the earlier refusal is kept")
        }
    }

    @Test func theOfferIsShownAnsweredAndKept() async throws {
        try await ScreenWorld.tell { world in
            world.world.phone.enrolNewFace()
            let offer = BiometricOfferModel(for: world.auth, setUp: world.enrol)
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.notNow)
            #expect(!offer.isShown && offer.message == PersonMessage(.offerLater))
            await offer.refresh()
            #expect(!offer.isShown)
            await world.wait(.seconds(7 * 24 * 3600))
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.setUp)
            #expect(!offer.isShown && offer.message == nil)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }
}

@MainActor @Suite struct ApprovalSheetModelTests {
    private static let line = ApprovalDetails.Line(label: "Amount", value: "€1,250.00")

    @Test func showsExactlyWhatIsSignedAndOnlyATapAsks() async throws {
        let details = try #require(ApprovalDetails(title: "Payment", lines: [Self.line]))
        let signed = Mutex<[ApprovalDetails]>([])
        let sheet = ApprovalSheetModel(
            details, sign: { details async throws(Failure) in signed.withLock { $0.append(details) } },
            decline: { Issue.record("no person declined") })
        #expect(sheet.stage == .shown && signed.withLock { $0 } == [])
        await sheet.approve()
        await sheet.approve()
        await sheet.decline()
        #expect(sheet.stage == .approved && signed.withLock { $0 } == [details], "once")
    }

    @Test func aDeclinedApprovalIsNotSignedAndTheServerIsToldOnce() async throws {
        let details = try #require(ApprovalDetails(title: "Payment", lines: [Self.line]))
        let told = Mutex(0)
        let sheet = ApprovalSheetModel(
            details, sign: { _ async throws(Failure) in Issue.record("no person approved") },
            decline: { told.withLock { $0 += 1 } })
        await sheet.decline()
        await sheet.decline()
        await sheet.approve()
        #expect(sheet.stage == .declined && told.withLock { $0 } == 1)
    }

    @Test func aDeclineThatCannotBeToldIsNoDecline() async throws {
        let details = try #require(ApprovalDetails(title: "Payment", lines: [Self.line]))
        let isAway = Mutex(true)
        let sheet = ApprovalSheetModel(
            details, sign: { _ async throws(Failure) in Issue.record("no person approved") },
            decline: { () async throws(Failure) in if isAway.withLock({ $0 }) { throw Failure(.unreachable) } })
        await sheet.decline()
        #expect(sheet.stage == .stopped(Failure(.unreachable)) && sheet.message == Failure(.unreachable).message)
        isAway.withLock { $0 = false }
        await sheet.decline()
        #expect(sheet.stage == .declined && sheet.message == nil)
    }

    @Test func theSheetMayBeTappedAgainAfterACancellation() async throws {
        let details = try #require(ApprovalDetails(title: "Payment", lines: [Self.line]))
        let tries = Mutex(0)
        let sheet = ApprovalSheetModel(details) { _ async throws(Failure) in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number == 1 { throw Failure(.cancelledByUser) }
            throw Failure(.refused)
        } decline: {
            Issue.record("no person declined")
        }
        await sheet.approve()
        #expect(sheet.canApprove && sheet.message == PersonMessage(.readyWhenYouAre))
        await sheet.approve()
        #expect(!sheet.canApprove)
    }

    @Test(
        "what would look like something else is not shown at all",
        arguments: ["", "  ", "12\u{202E}34", "1\n2", "zero\u{200B}width", "line\u{2028}", "\u{0}"])
    func text(_ text: String) {
        #expect(ApprovalDetails(title: "Payment", lines: [.init(label: "Amount", value: text)]) == nil)
        #expect(ApprovalDetails(title: "Payment", lines: [.init(label: text, value: "1")]) == nil)
        #expect(ApprovalDetails(title: text, lines: [Self.line]) == nil)
        #expect(ApprovalDetails(title: "Payment", lines: []) == nil)
    }
}
