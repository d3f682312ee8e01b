import Foundation
import SwiftUI
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnUI

/// What the views do with the models: they run them, pass taps on, and hide what has to be hidden.
@MainActor @Suite struct ViewTests {
    // MARK: - Unlocking

    @Test func theScreenRunsWhileItIsShownAndATapMovesOn() async throws {
        try await Played.tell { played in
            let screen = played.screen()
            let host = played.host(UnlockView(screen))
            played.phone.next(.ignore)
            played.phone.next(.match, after: .seconds(2))
            let prompts = played.phone.promptCount
            try await played.pass(.seconds(1), host)
            #expect(screen.stage == .asking && played.phone.promptCount == prompts + 1)
            try await played.tap("Use passcode", host)
            try await played.pass(.seconds(4), host)
            #expect(screen.stage == .unlocked && screen.answered?.rung == .devicePasscode)
            #expect(host.announcements.contains("Let’s try your device passcode."))
            host.close()
        }
    }

    @Test func aScreenThatGoesDismissesItsPrompt() async throws {
        try await Played.tell { played in
            let host = played.host(UnlockView(played.screen()))
            played.phone.next(.ignore)
            try await played.pass(.seconds(1), host)
            host.close()
            try await played.clock.sleep(until: played.clock.now.advanced(by: .seconds(1)))
            // The next prompt is not behind the first one.
            let rung = try await played.vault.unlocked("Open") { $0.rung }
            #expect(rung == .biometric)
        }
    }

    @Test func textsFollowTheLanguageOfTheAppAndCanBeReplaced() async throws {
        try await Played.tell { played in
            var german = EnvironmentValues()
            german.locale = Locale(identifier: "de_AT")
            let view = UnlockView(played.screen(.payment))
            let host = played.host(view, german)
            try await played.pass(.milliseconds(100), host)
            #expect(host.tappable == ["Face ID verwenden", "Gerätecode verwenden"])
            host.close()

            let arabic = played.host(UnlockView(played.screen(.payment)).messageLanguage(.arabic), german)
            try await played.pass(.milliseconds(100), arabic)
            #expect(arabic.tappable.first == "استخدام بصمة الوجه")
            arabic.close()

            let own = played.host(
                UnlockView(played.screen(.payment)).messageTexts { message, language in
                    message.id == "usePasscode" ? "Phone code (\(language))" : nil
                })
            try await played.pass(.milliseconds(100), own)
            #expect(own.tappable == ["Use Face ID", "Phone code (en)"])
            own.close()
        }
    }

    @Test func aStyleOfTheAppsOwnGetsEveryButton() async throws {
        struct Bare: UnlockViewStyle {
            func makeBody(configuration: Configuration) -> some View {
                ForEach(configuration.buttons) { button in Button("[\(button.label)]", action: button.press) }
            }
        }
        try await Played.tell { played in
            let screen = played.screen(.payment)
            let host = played.host(UnlockView(screen).unlockViewStyle(Bare()))
            try await played.pass(.milliseconds(100), host)
            #expect(host.tappable == ["[Use Face ID]", "[Use passcode]"])
            try await played.tap("[Use passcode]", host)
            try await played.pass(.seconds(1), host)
            #expect(screen.answered?.rung == .devicePasscode)
            host.close()
        }
    }

    // MARK: - The gate

    /// Counts how often its contents are made.
    private struct Secret: View {
        final class Count { var made = 0 }
        let count: Count

        var body: some View {
            count.made += 1
            return Text(verbatim: "1,250.00 €")
        }
    }

    @Test func whatIsGatedIsNotMadeBeforeTheUnlockAndGoesWhenTheAppIsLeft() async throws {
        try await Played.tell { played in
            let count = Secret.Count()
            played.phone.next(.match, after: .seconds(2))
            let host = played.host(Secret(count: count).gated(by: played.screen()))
            try await played.pass(.seconds(1), host)
            #expect(count.made == 0 && host.shows("Unlock your notes") && !host.shows("1,250.00"))
            try await played.pass(.seconds(3), host)
            #expect(count.made > 0 && host.shows("1,250.00"))

            played.phone.moveToBack()
            try await played.pass(.milliseconds(100), host)
            #expect(!host.shows("1,250.00"))
            played.phone.next(.ignore)
            played.phone.moveToFront()
            try await played.pass(.seconds(2), host)
            #expect(!host.shows("1,250.00") && host.shows("Use passcode"))
            host.close()
        }
    }

    @Test func aGateUnderAnAppsLockAsksAfterIt() async throws {
        try await Played.tell { played in
            let lock = AppLockModel(for: played.vault, reason: "Unlock the app") { _ in }
            let host = played.host(Text(verbatim: "SECRET").gated(by: played.screen()).appLock(lock))
            let prompts = played.phone.promptCount
            played.phone.next(.cancel)
            try await played.pass(.seconds(2), host)
            #expect(lock.isLocked && played.phone.promptCount == prompts + 1, "the person is asked once")
            try await played.tap("Use passcode", host)
            try await played.pass(.seconds(2), host)
            #expect(!lock.isLocked && played.phone.promptCount == prompts + 3 && host.shows("SECRET"))
            lock.lockNow()
            #expect(!host.shows("SECRET"), "it is gone at once")
            host.close()
        }
    }

    @Test func theReasonForAMoveIsShown() async throws {
        try await Played.tell { played in
            let screen = played.screen()
            let host = played.host(UnlockView(screen))
            for _ in 1...5 { played.phone.next(.tryInVain) }
            played.phone.next(.ignore)
            try await played.pass(.seconds(2), host)
            let cause = try #require(screen.cause)
            #expect(host.shows(cause.text(in: .english)))
            host.close()
        }
    }

    // MARK: - The app's lock

    @Test func theLockHidesTheContentsFromEyesKeyboardsAndVoiceOver() async throws {
        try await Played.tell { played in
            let pressed = Box(0)
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let home = Button("Pay") { pressed.value += 1 }.keyboardShortcut("p")
            let host = played.host(home.appLock(lock))
            played.phone.next(.cancel)
            try await played.pass(.seconds(1), host)
            #expect(lock.isLocked && host.tappable == ["Try again", "Use passcode"])
            #expect(throws: (any Error).self) { try host.tap("Pay") }
            host.press("p", modifiers: .command)
            #expect(pressed.value == 0)
            #expect(host.shows("[keyboardShortcut") || host.shows("accessibilityHidden"))

            try await played.tap("Use passcode", host)
            try await played.pass(.seconds(1), host)
            #expect(!lock.isLocked && host.tappable == ["Pay"])
            try host.tap("Pay")
            #expect(pressed.value == 1)

            played.phone.becomeInactive()
            try await played.pass(.milliseconds(100), host)
            #expect(lock.isCovered && !lock.isLocked && host.tappable == [])
            played.phone.moveToFront()
            try await played.pass(.seconds(1), host)
            #expect(host.tappable == ["Pay"])
            host.close()
        }
    }

    @Test func aSheetIsCoveredWithTheApp() async throws {
        struct Home: View {
            @State var isShown = true
            var body: some View {
                Text(verbatim: "Home").sheet(isPresented: $isShown) { Text(verbatim: "IBAN").coveredByAppLock() }
            }
        }
        try await Played.tell { played in
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let host = played.host(Home().appLock(lock))
            try await played.pass(.seconds(1), host)
            #expect(!lock.isLocked && !host.shows("lock.fill"))
            played.phone.becomeInactive()
            try await played.pass(.milliseconds(100), host)
            // One cover over the app, one over its sheet.
            #expect(host.shown.text().components(separatedBy: "lock.fill").count == 3)
            host.close()
        }
    }

    @Test func anAppsOwnCoverIsShown() async throws {
        try await Played.tell { played in
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let host = played.host(Text(verbatim: "Home").appLock(lock) { Text(verbatim: "Acme") })
            try await played.pass(.seconds(1), host)
            #expect(!host.shows("Acme"))
            played.phone.becomeInactive()
            try await played.pass(.milliseconds(100), host)
            #expect(host.shows("Acme") && !host.shows("lock.fill"))
            host.close()
        }
    }

    // MARK: - The PIN's screen

    @Test func anExternalKeyboardTypesDeletesConfirmsAndCancels() async throws {
        try await Played.tell { played in
            let model = PINEntryModel(clock: played.clock)
            let host = played.host(Text(verbatim: "Home").pinEntry(model))
            _ = host.shown
            #expect(host.shows("Home") && host.tappable == [])
            let entered = Task(executorPreference: played.clock.executor) {
                await model.enter(PINRequest(reason: "Unlock Acme", cancelButton: .cancel, wrongInARow: 0))
            }
            try await played.pass(.milliseconds(100), host)
            #expect(
                host.shows("Unlock Acme") && host.shows("0 digits entered".replacing(" ", with: "\u{A0}", maxReplacements: 1)))
            // It is above a lock's cover, so it has one of its own while the app is left.
            host.environment.scenePhase = .inactive
            #expect(host.shows("focused, opacity 0") && host.shows("lock.fill"))
            host.environment.scenePhase = .active
            #expect(host.shows("focused") && !host.shows("focused, opacity 0") && !host.shows("lock.fill"))
            for key in "8241x" { host.press(key) }
            #expect(model.digitCount == 4)
            host.press(KeyEquivalent.delete.character)
            #expect(model.digitCount == 3)
            #expect(!host.shown.text().contains("824"), "the digits are nowhere on the screen, dots are")
            for key in "193" { host.press(key) }
            try host.tap("Delete digit")
            try host.tap("3")
            host.press(KeyEquivalent.return.character)
            guard case .entered(let pin) = await entered.value else {
                Issue.record("no PIN was given")
                return
            }
            #expect("\(pin)" == "PIN", "the digits leave the screen as a secret")
            #expect(host.feedback.contains("selection"))
            try await played.pass(.milliseconds(100), host)
            #expect(!host.shows("Unlock Acme"))

            let cancelled = Task(executorPreference: played.clock.executor) { await model.choose() }
            try await played.pass(.milliseconds(100), host)
            for key in "123456" { host.press(key) }
            #expect(host.shows("easy to guess") && host.announcements.last?.contains("easy to guess") == true)
            try host.tap("Continue")
            #expect(host.feedback.last == "error" && model.digitCount == 0)
            host.press(KeyEquivalent.escape.character)
            guard case .failed(let failure) = await cancelled.value else {
                Issue.record("a PIN was given")
                return
            }
            #expect(failure.code == .cancelledByUser)
            host.close()
        }
    }

    // MARK: - The settings

    @Test func theSwitchIsMovedAndSaysWhyItCannotBe() async throws {
        try await Played.tell { played in
            let model = BiometricsToggleModel(for: played.vault, reason: "Open your notes")
            let host = played.host(Form { BiometricsToggle(model) })
            try await played.pass(.milliseconds(100), host)
            #expect(model.state == .on && host.shows("Face ID"))
            try await played.tap("Face ID", host)
            #expect(model.state == .off)
            try await played.leaving(host) { played.phone.setPermission(false) }
            #expect(model.state == .unavailable && host.tappable == [])
            #expect(host.shows("To use Face ID here, allow it in Settings."))
            host.close()
        }
    }

    @Test func theOfferIsAnsweredByItsButtons() async throws {
        try await Played.tell { played in
            let vault = Vault(named: "new", platform: played.platform, access: .userPresence)
            let model = BiometricOfferModel(for: vault, reason: "Protect your notes")
            let host = played.host(EnrolmentOfferView(model))
            played.phone.setPermission(false)
            try await played.pass(.milliseconds(200), host)
            #expect(!model.isShown && host.tappable == [])
            try await played.leaving(host) { played.phone.setPermission(true) }
            #expect(host.tappable == ["Set up", "Not now", "Don’t ask again"])
            try await played.tap("Set up", host)
            try await played.pass(.seconds(1), host)
            #expect(!model.isShown && host.tappable == [])
            let state = await vault.readiness().state(of: .biometric)
            #expect(state == .usable)
            host.close()
        }
    }

    // MARK: - Approvals and devices

    private static let details = ApprovalDetails(
        title: "Payment", lines: [.init(label: "Amount", value: "€1,250.00")], caution: PersonMessage(.readLetterByLetter))

    @Test func theSheetShowsWhatIsSignedBeforeThePromptAndStaysWhileItAsks() async throws {
        try await Played.tell { played in
            let details = try #require(Self.details)
            let made = Box(0)
            @MainActor func model() -> ApprovalSheetModel {
                made.value += 1
                return ApprovalSheetModel(details, platform: played.platform) { _ in
                    try await played.vault.unlocked("Pay €1,250.00") { $0.answered }
                } decline: {
                }
            }
            let host = played.host(ApprovalSheet(model()))
            try await played.pass(.milliseconds(200), host)
            let prompts = played.phone.promptCount
            #expect(host.shows(PersonMessage(.readLetterByLetter).text(in: .english)))
            #expect(host.shows("€1,250.00") && Set(host.tappable) == ["Not now", "Approve", "Decline"] && made.value == 1)
            try await played.pass(.seconds(60), host)
            #expect(played.phone.promptCount == prompts && made.value == 1, "nothing begins by itself, and the model stays")
            played.phone.next(.match, after: .seconds(3))
            try await played.tap("Approve", host)
            #expect(host.tappable == [] && host.shows("interactiveDismissDisabled") && host.feedback == [])
            try await played.pass(.seconds(5), host)
            #expect(host.shows("Approved.") && host.tappable == ["Done"] && host.feedback == ["success"])
            host.close()
        }
    }

    @Test func anotherDeviceGoesAfterAConfirmation() async throws {
        let known = Box(["This phone", "Lost phone"])
        let model = DeviceListModel {
            await known.value.enumerated().map {
                EnrolledDevice(id: $1, name: $1, keys: [], enrolledAt: UnixTime(seconds: 1_760_000_000), isCurrent: $0 == 0)
            }
        } remove: { device in
            await known.remove(device.id)
        } rename: { _, _ in
        }
        await model.refresh()
        let host = ViewHost(DeviceList(model))
        #expect(host.shows("This device") && host.tappable == ["Remove"])
        try host.tap("Remove")
        #expect(host.shows("Remove this device?") && host.shows("Lost phone"))
        try host.tap("Cancel")
        #expect(!host.shows("Remove this device?") && known.value.count == 2)
        try host.tap("Remove")
        try host.tap("Remove")
        while model.devices.count == 2 { await Task.yield() }
        #expect(!host.shows("Lost phone") && host.tappable == [])
        host.close()
    }

    // MARK: - What lies between two features

    @Test func aGateThatAppearsAgainShowsNothingOfTheUnlockBefore() async throws {
        try await Played.tell { played in
            let screen = played.screen()
            let first = played.host(Text(verbatim: "SECRET").gated(by: screen))
            try await played.pass(.seconds(2), first)
            #expect(first.shows("SECRET"))
            first.close()
            played.phone.moveToBack()
            try await played.clock.sleep(until: played.clock.now.advanced(by: .seconds(600)))
            played.phone.moveToFront()
            played.phone.next(.ignore)
            let second = played.host(Text(verbatim: "SECRET").gated(by: screen))
            #expect(!second.shows("SECRET"))
            try await played.pass(.seconds(2), second)
            #expect(!second.shows("SECRET") && second.shows("Use passcode"))
            second.close()
        }
    }

    @Test func anotherGatesUnlockOpensNothingHere() async throws {
        try await Played.tell { played in
            let screen = played.screen()
            let one = played.host(Text(verbatim: "SECRET").gated(by: screen))
            try await played.pass(.seconds(2), one)
            let two = played.host(Text(verbatim: "SECRET").gated(by: screen))
            played.phone.next(.ignore)
            #expect(!two.shows("SECRET"))
            try await played.pass(.seconds(1), two)
            #expect(!two.shows("SECRET") && !one.shows("SECRET"), "the model shows itself in one place")
            one.close()
            two.close()
        }
    }

    @Test func aSuccessOfSomeoneWhoLeftOpensNothingForWhoeverReturns() async throws {
        try await Played.tell { played in
            let clock = played.clock
            let screen = UnlockScreen(for: played.vault, reason: "Unlock your notes") { _ in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(2)))
            }
            let host = played.host(Text(verbatim: "SECRET").gated(by: screen))
            try await played.pass(.seconds(1), host)
            played.phone.moveToBack()
            try await played.pass(.seconds(600), host)
            played.phone.next(.ignore)
            played.phone.moveToFront()
            try await played.pass(.seconds(2), host)
            #expect(!host.shows("SECRET") && host.shows("Use passcode"))
            host.close()
        }
    }

    @Test func aPersonWhoLeftAndCameBackWhileAnUnlockEndedIsAskedAnew() async throws {
        try await Played.tell { played in
            let clock = played.clock
            let screen = UnlockScreen(for: played.vault, reason: "Unlock your notes") { _ in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
            }
            let host = played.host(Text(verbatim: "SECRET").gated(by: screen))
            try await played.pass(.seconds(1), host)
            played.phone.moveToBack()
            try await played.pass(.seconds(1), host)
            played.phone.next(.ignore)
            played.phone.moveToFront()
            try await played.pass(.seconds(10), host)
            #expect(!host.shows("SECRET") && host.shows("Use passcode"))
            host.close()
        }
    }

    @Test func aLongPINsDotsFitTheSmallestPhone() async throws {
        try await Played.tell { played in
            let model = PINEntryModel(clock: played.clock)
            let host = played.host(Text(verbatim: "Home").pinEntry(model))
            let chosen = Task(executorPreference: played.clock.executor) { await model.choose() }
            try await played.pass(.milliseconds(100), host)
            for _ in 1...16 { for digit in "83" { model.type(digit) } }
            let dots = host.shown.all.filter { $0.text == "circle.fill" }
            #expect(dots.count == 32)
            for dot in dots {
                let size = try #require(dot.value("font")?.split(separator: " ").last.flatMap { Double($0) })
                #expect(size * 2 * 32 <= 270)
            }
            model.cancel()
            _ = await chosen.value
            host.close()
        }
    }

    @Test func threeKeysFitTheSmallestPhoneHoweverLargeTheTextIs() async throws {
        try await Played.tell { played in
            let model = PINEntryModel(clock: played.clock)
            var large = EnvironmentValues()
            large.dynamicTypeSize = .xxxLarge
            let host = played.host(Text(verbatim: "Home").pinEntry(model), large)
            let chosen = Task(executorPreference: played.clock.executor) { await model.choose() }
            try await played.pass(.milliseconds(100), host)
            let widths = host.shown.all.compactMap { $0.value("frame") }.filter { $0.contains("width 80 height 80") }
            #expect(widths.count >= 10, "\(host.shown.text())")
            model.cancel()
            _ = await chosen.value
            host.close()
        }
    }

    @Test func aSheetUnderALockedAppHasTheLocksButtons() async throws {
        struct Home: View {
            var body: some View {
                Text(verbatim: "Home").sheet(isPresented: .constant(true)) { Text(verbatim: "IBAN").coveredByAppLock() }
            }
        }
        try await Played.tell { played in
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let host = played.host(Home().appLock(lock))
            played.phone.next(.cancel)
            try await played.pass(.seconds(1), host)
            #expect(host.tappable == ["Try again", "Use passcode"])
            try await played.tap("Use passcode", host)
            try await played.pass(.seconds(1), host)
            #expect(!lock.isLocked)
            host.close()
            let forgotten = ViewHost(Text(verbatim: "IBAN").coveredByAppLock())
            #expect(forgotten.shows("lock.fill") && forgotten.shows("opacity 0"), "without a lock it stays hidden")
            forgotten.close()
        }
    }

    @Test func noDeviceIsRemovedFromUnderTheLock() async throws {
        try await Played.tell { played in
            let removed = Box(0)
            let model = DeviceListModel {
                [EnrolledDevice(id: "1", name: "Old phone", keys: [], enrolledAt: UnixTime(seconds: 0))]
            } remove: { _ in
                await MainActor.run { removed.value += 1 }
            } rename: { _, _ in
            }
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let host = played.host(DeviceList(model).appLock(lock))
            try await played.pass(.seconds(1), host)
            try await played.tap("Remove", host)
            #expect(host.shows("Remove this device?"))
            lock.lockNow()
            _ = host.shown
            #expect(!host.shows("Remove this device?") && !host.tappable.contains("Remove"))
            host.close()
            #expect(removed.value == 0)
        }
    }

    @Test func theReturnKeyApprovesNothing() async throws {
        try await Played.tell { played in
            let details = try #require(Self.details)
            let prompts = played.phone.promptCount
            let host = played.host(
                ApprovalSheet(
                    ApprovalSheetModel(details, platform: played.platform) { _ in
                        try await played.vault.unlocked("Pay €1,250.00") { $0.answered }
                    } decline: {
                    }))
            try await played.pass(.milliseconds(100), host)
            host.press(KeyEquivalent.return.character)
            try await played.pass(.seconds(2), host)
            #expect(played.phone.promptCount == prompts && host.tappable.contains("Approve"))
            host.close()
        }
    }

    @Test func whenOneOfTwoWindowsClosesTheOtherRunsTheLock() async throws {
        try await Played.tell { played in
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes") { _ in }
            let one = played.host(Text(verbatim: "One").appLock(lock))
            try await played.pass(.seconds(1), one)
            let two = played.host(Text(verbatim: "Two").appLock(lock))
            try await played.pass(.seconds(1), two)
            #expect(!lock.isLocked)
            one.close()
            try await played.pass(.seconds(2), two)
            #expect(!lock.isLocked, "the other window asks again")
            lock.lockNow()
            lock.tap()
            try await played.pass(.seconds(1), two)
            #expect(!lock.isLocked)
            two.close()
        }
    }

    @Test func aPauseIsSpokenOnceAtItsBeginningAndOnceAtItsEnd() async throws {
        try await Played.tell { played in
            let unlock: @Sendable () async throws -> AnsweredAsk = { throw Failure(.paused, recovery: .wait(.seconds(10))) }
            let lock = AppLockModel(platform: played.platform, unlock: unlock)
            let host = played.host(Text(verbatim: "Home").appLock(lock))
            try await played.pass(.seconds(15), host)
            #expect(host.announcements.filter { $0.contains("wait") }.count == 1)
            #expect(host.announcements.filter { $0.contains("Ready") }.count == 1)
            host.close()
        }
    }

    @Test func whatAnUnlockHasLoadedIsForgottenWhereItDoesNotOpen() async throws {
        try await Played.tell { played in
            let contents = Box(false)
            let lock = AppLockModel(for: played.vault, reason: "Unlock your notes", whenLocked: { contents.value = false }) { _ in
                await MainActor.run { contents.value = true }
                throw Failure(.vaultClosed)
            }
            let host = played.host(Text(verbatim: "Home").appLock(lock))
            try await played.pass(.seconds(1), host)
            #expect(lock.isLocked && !contents.value)
            host.close()
        }
    }
}

/// A value that closures share on the main actor.
@MainActor final class Box<Value: Sendable>: Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension Box<[String]> {
    func remove(_ name: String) { value.removeAll { $0 == name } }
}
