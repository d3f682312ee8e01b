import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// What the person of a vault chooses, what lifts a lockout of its sensor, and its screens.
@Suite struct VaultBiometricsTests {
    private static let face = KeyName(server: "s", account: "a", kind: .biometric)

    /// Mismatches at the prompts of others.
    private static func mismatches(_ count: Int, _ world: VaultWorld) async {
        for _ in 0..<count {
            world.phone.next(.noMatch)
            _ = try? await ProtectedStoreConformance.presence(face, .biometric, world.platform.sensor)
        }
        world.phone.forgetActs()
    }

    private static func lockOut(_ world: VaultWorld) async { await mismatches(5, world) }

    // MARK: - A lockout

    @Test(
        "a vault of the sensor alone asks for the passcode, and then for the sensor",
        arguments: [VaultAccess.biometryCurrentSet, .biometryAny])
    func aLockoutIsLifted(_ access: VaultAccess) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("face", access)
            try await vault.save("s3cret", as: "token")
            await Self.lockOut(world)
            let readiness = await vault.readiness()
            #expect(readiness.nextRung == .devicePasscode)
            #expect(readiness.obstacle(to: .biometric)?.recovery == .fallBack(.devicePasscode))
            let (prompts, requests) = (world.phone.promptCount, world.sensor.requests.count)
            expect(try await vault.read("token"), is: "s3cret")
            #expect(world.phone.promptCount == prompts + 2 && world.sensor.requests.count == requests + 1)
            #expect(world.sensor.requests.last?.rung == .biometric, "the passcode opens nothing")
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts + 3)
        }
    }

    @Test func aLockoutAtItsOwnPromptIsLiftedOnce() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("face", .biometryAny)
            _ = try await vault.rung()
            await Self.mismatches(4, world)
            let prompts = world.phone.promptCount
            world.phone.next(.noMatch, .match, .match)
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts + 3, "the sensor, the passcode, and the sensor again")
        }
    }

    @Test func aPasscodeThatIsNotEnteredLiftsNothing() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            _ = try await vault.rung()
            await Self.lockOut(world)
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) { _ = try await vault.rung() }
            #expect(await vault.readiness().biometry == .lockedOut(.untilPasscode))
            world.phone.next(.match, .cancel)
            await expectFailure(.cancelledByUser) { _ = try await vault.rung() }
            #expect(await vault.readiness().biometry == .ready)
        }
    }

    @Test func aSystemThatAsksForNoPasscodeSaysWhatThePersonCanDo() async throws {
        var model = SimulatedPhone.Model.plain
        model.passcodeUnlocksKeys = false
        try await VaultWorld.tell(model) { world in
            let vault = world.vault()
            _ = try await vault.rung()
            await Self.lockOut(world)
            let prompts = world.phone.promptCount
            let locked = await failure { _ = try await vault.rung() }
            #expect(locked == Failure(.lockedOut, recovery: .retry) && world.phone.promptCount == prompts)
            #expect(locked?.message == PersonMessage(.sensorRestsUsePasscode))
            world.phone.unlockWithPasscode()
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test("the next step of a vault's failure is never a rung that it lacks", arguments: VaultAccess.allCases)
    func noRungThatItLacks(_ access: VaultAccess) async throws {
        let state = KeyState.usable
        for biometry in [
            BiometryState.lockedOut(.untilPasscode), .lockedOut(.temporary), .lockedOut(.untilStrongerRung), .absent,
            .unavailable,
            .lidClosed, .switchedOff, .forbidden, .permissionDenied, .weak, .unconfirmed, .passcodeNotSet, .notEnrolled,
        ] {
            for lifts in [true, false] {
                var vault = Readiness(
                    biometry: biometry, keys: [.session: state, .biometric: state, .passcode: state], ladder: access.rungs)
                (vault.isLocal, vault.liftsLockout) = (true, lifts && biometry == .lockedOut(.untilPasscode))
                let obstacle = try #require(biometry.obstacle)
                for failure in [obstacle, vault.obstacle(to: .biometric) ?? obstacle] {
                    switch failure.inVault(vault).recovery {
                    case .fallBack(let rung):
                        #expect(access.rungs.contains(rung) || vault.liftsLockout && rung == .devicePasscode, "\(biometry)")
                    case .signInAgain: Issue.record("\(biometry)")
                    default: break
                    }
                }
                #expect(vault.nextRung != .fullCredentials)
            }
        }
    }

    // MARK: - The person's choices

    @Test func thePreferredRungIsAskedFirst() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            expect(try await vault.rung(), is: .biometric)
            try await vault.prefer(.devicePasscode)
            expect(try await world.vault("both", .userPresence).rung(), is: .devicePasscode)
            try await vault.prefer(.appPIN)
            expect(try await vault.rung(), is: .biometric, "a rung that it lacks changes nothing")
            try await vault.prefer(.devicePasscode)
            try await vault.delete()
            expect(try await vault.rung(), is: .biometric, "the vault is another person's now")
        }
    }

    @Test func biometricsAreOfferedDeclinedAndSwitchedOnAgain() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            #expect(await vault.shouldOfferBiometrics(), "the first unlock makes it")
            try await vault.save("s3cret", as: "token")
            #expect(await vault.shouldOfferBiometrics() == false)
            try await vault.declineBiometrics()
            #expect(await vault.shouldOfferBiometrics() == false, "it was declined")
            for _ in 1...2 { expect(try await vault.rung(), is: .devicePasscode) }
            #expect(await vault.readiness().state(of: .biometric) == .missing, "and no unlock has made the copy again")
            try await vault.answerBiometricOffer(.setUp)
            expect(try await vault.rung(), is: .devicePasscode)
            expect(try await vault.read("token"), is: "s3cret")
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func aVaultThatIsMadeAfterANoHasNoCopyBehindTheSensor() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            try await vault.declineBiometrics()
            expect(try await vault.rung(), is: .devicePasscode)
            #expect(await vault.readiness().state(of: .biometric) == .missing)
        }
    }

    @Test("a vault that only the sensor opens cannot lose it", arguments: [VaultAccess.biometryCurrentSet, .biometryAny])
    func decliningTheOnlyRung(_ access: VaultAccess) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("face", access)
            try await vault.save("s3cret", as: "token")
            await expectFailure(.policyDenies) { try await vault.declineBiometrics() }
            expect(try await vault.read("token"), is: "s3cret")
        }
    }

    @Test func aDeclineInAnotherProcessHolds() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            _ = try await vault.rung()
            let other = world.vault("both", .userPresence, on: world.phone.platform(transport: NoNetwork(), process: "extension"))
            try await other.declineBiometrics()
            expect(try await vault.rung(), is: .devicePasscode)
            #expect(await other.readiness().state(of: .biometric) == .missing)
        }
    }

    @Test func decliningSwitchesNoSensorOnThatWasSwitchedOff() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            _ = try await vault.rung()
            try await vault.requireStrongerRungNextTime()
            try await vault.declineBiometrics()
            try await vault.answerBiometricOffer(.setUp)
            let file = SensorSwitchFile(server: Vault.realm, account: vault.name, on: world.platform)
            expect(try await file.read().isOff, is: true)
        }
    }

    @Test func aNarrowerPolicyUndoesNothingThatThePasscodeHasToLift() async throws {
        try await VaultWorld.tell { world in
            let (vault, narrow) = (world.vault("both", .userPresence), world.vault("both", .userPresence, policy: .highRisk))
            _ = try await vault.rung()
            try await vault.requireStrongerRungNextTime()
            for _ in 1...3 {
                _ = await narrow.readiness()
                _ = try? await narrow.rung()
                world.clock.advance(by: .seconds(600))
            }
            #expect(await vault.readiness().nextRung == .devicePasscode)
            await expectFailure(.policyDenies) { try await narrow.declineBiometrics() }
        }
    }

    @Test func aNewFaceShowsInTheMarkUntilThePersonIsConfirmed() async throws {
        try await VaultWorld.tell(.iPhone(.face)) { world in
            let (both, current) = (world.vault("both", .userPresence), world.vault("current"))
            _ = try await (both.rung(), current.rung())
            #expect(await both.readiness().enrolment == EnrolmentMark.Change.none, "it was made for the faces that are enrolled")
            expect(try await both.rung(by: .rung(.devicePasscode)), is: .devicePasscode)
            #expect(await both.readiness().enrolment == EnrolmentMark.Change.none)
            world.phone.enrolNewFace()
            #expect(await both.readiness().enrolment == .changed)
            #expect(await current.readiness().state(of: .biometric) == .invalidated(.enrolmentChanged))
            expect(try await both.rung(), is: .biometric)
            #expect(await both.readiness().enrolment == .changed, "a face confirms no other face")
            expect(try await both.rung(by: .rung(.devicePasscode)), is: .devicePasscode)
            #expect(await both.readiness().enrolment == EnrolmentMark.Change.none)
        }
    }
}

extension Vault {
    fileprivate func rung(by start: UnlockFlow.Start) async throws -> Rung {
        try await unlocked("Open the vault", by: start) { $0.rung }
    }
}

/// The screens of a vault: the offer, the switch in the settings, the unlock screen and the lock.
@MainActor @Suite struct VaultScreenTests {
    private static func tell(
        _ model: SimulatedPhone.Model = .iPhone(.face), _ access: VaultAccess = .userPresence,
        _ story: @escaping @MainActor @Sendable (VaultWorld, Vault, MovedApp) async throws -> Void
    ) async throws {
        let (world, app) = (VaultWorld(model), MovedApp())
        try await world.clock.run(mainActorToo: true) { @MainActor in
            var platform = world.platform
            platform.phases = app
            try await story(world, world.vault("designs", access, on: platform), app)
        }
    }

    private static func wait(_ duration: Duration, _ world: VaultWorld) async {
        try? await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    private static func with(
        _ screen: @escaping @MainActor @Sendable () async -> Void, _ world: VaultWorld,
        _ story: @MainActor () async throws -> Void
    ) async rethrows {
        let shown = Task(executorPreference: world.clock.executor) { await screen() }
        await wait(.milliseconds(1), world)
        try await story()
        shown.cancel()
        await shown.value
    }

    @Test func theOfferMakesTheVaultOrLetsTheSensorOpenIt() async throws {
        try await Self.tell { world, vault, _ in
            let offer = BiometricOfferModel(for: vault, reason: "Protect your designs")
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.setUp)
            #expect(offer.message == nil)
            expect(try await vault.rung(), is: .biometric)
            await offer.refresh()
            #expect(!offer.isShown)
            // A copy that was declined comes back with the passcode.
            try await vault.declineBiometrics()
            try await vault.answerBiometricOffer(.setUp)
            await offer.refresh()
            #expect(offer.isShown)
            await offer.answer(.setUp)
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func whatCannotBeSetUpIsNotOffered() async throws {
        try await Self.tell(.iPhone(.face), .passcode) { world, vault, _ in
            let toggle = BiometricsToggleModel(for: vault, reason: "Use Face ID")
            await toggle.refresh()
            #expect(toggle.state == .unavailable, "the passcode alone opens it")
        }
        try await Self.tell(.iPhone(.face), .biometryCurrentSet) { world, vault, _ in
            _ = try await vault.rung()
            world.phone.enrolNewFace()
            #expect(await vault.shouldOfferBiometrics() == false, "the vault has to be made anew")
        }
    }

    @Test func theSwitchDeletesTheCopyAndThePasscodeMakesItAgain() async throws {
        try await Self.tell { world, vault, _ in
            let toggle = BiometricsToggleModel(for: vault, reason: "Use Face ID")
            await toggle.refresh()
            #expect(toggle.state == .off)
            await toggle.set(true)
            #expect(toggle.state == .on && toggle.isOn)
            await toggle.set(false)
            #expect(toggle.state == .off && !toggle.isOn)
            expect(try await vault.rung(), is: .devicePasscode)
            await toggle.set(true)
            #expect(toggle.state == .on)
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func theSwitchOfAVaultOfTheSensorAloneStaysOnAndSaysWhy() async throws {
        try await Self.tell(.iPhone(.face), .biometryCurrentSet) { world, vault, _ in
            _ = try await vault.rung()
            let toggle = BiometricsToggleModel(for: vault, reason: "Use Face ID")
            await toggle.set(false)
            #expect(toggle.state == .on && toggle.message != nil)
        }
    }

    @Test func theScreenAsksByItselfAfterAMomentAndNamesTheWays() async throws {
        try await Self.tell { world, vault, _ in
            let read = Mutex("")
            let screen = UnlockScreen(for: vault, reason: "Open your designs") { secrets in
                try await secrets.save(SecretBytes("s3cret"), as: "token")
                let text = try await secrets.read("token").map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
                read.withLock { $0 = text }
            }
            await Self.with({ await screen.appear() }, world) {
                await Self.wait(.milliseconds(300), world)
                #expect(world.phone.promptCount == 0, "the person sees the screen first")
                await Self.wait(.seconds(2), world)
                #expect(screen.stage == .unlocked && read.withLock { $0 } == "s3cret")
            }
        }
    }

    @Test func theScreensButtonsLeadOutOfALockout() async throws {
        try await Self.tell(.iPhone(.face), .biometryCurrentSet) { world, vault, _ in
            _ = try await vault.rung()
            let name = KeyName(server: "s", account: "a", kind: .biometric)
            world.phone.next(.noMatch, .noMatch, .noMatch, .noMatch, .noMatch)
            for _ in 1...5 { _ = try? await ProtectedStoreConformance.presence(name, .biometric, world.platform.sensor) }
            world.phone.forgetActs()
            let screen = UnlockScreen(for: vault, reason: "Open your designs", purpose: .payment) { _ in }
            await Self.with({ await screen.appear() }, world) {
                #expect(screen.buttons.map(\.words) == [Rung.devicePasscode.button])
                world.phone.next(.cancel)
                screen.press(.ask)
                await Self.wait(.seconds(1), world)
                guard case .stopped(let failure) = screen.stage else { Issue.record("\(screen.stage)"); return }
                #expect(failure.code == .cancelledByUser)
                let ways = screen.buttons.map(\.words)
                #expect(!ways.contains(Rung.fullCredentials.button) && !ways.isEmpty)
                screen.press(screen.buttons[0].action)
                await Self.wait(.seconds(1), world)
                #expect(screen.stage == .unlocked)
            }
        }
    }

    @Test func theLockOfAVaultAsksByItselfAndNotAfterACancel() async throws {
        try await Self.tell { world, vault, app in
            let opened = Mutex(0)
            let lock = AppLockModel(for: vault, reason: "Open your designs") { _ in opened.withLock { $0 += 1 } }
            try await Self.with({ await lock.run() }, world) {
                await Self.wait(.milliseconds(300), world)
                #expect(world.phone.promptCount == 0, "the person sees the lock screen first")
                await Self.wait(.milliseconds(300), world)
                #expect(!lock.isLocked && opened.withLock { $0 } == 1)
                lock.lockNow()
                await Self.wait(.seconds(2), world)
                #expect(lock.isLocked && world.phone.promptCount == 1, "a lock by the app waits for a tap")
                world.phone.next(.cancel)
                lock.tap()
                await Self.wait(.seconds(2), world)
                #expect(lock.isLocked && lock.buttons.contains { $0.words == Rung.devicePasscode.button })
                lock.press(.askAt(.devicePasscode))
                await Self.wait(.seconds(2), world)
                #expect(!lock.isLocked && opened.withLock { $0 } == 2)
                try await vault.delete()
                await Self.wait(.seconds(1), world)
                #expect(lock.isLocked, "what the vault opened ends with it")
            }
        }
    }
}
