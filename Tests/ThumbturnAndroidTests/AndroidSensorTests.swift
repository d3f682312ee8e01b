import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnAndroid

/// Prompts for a key, with the answers of systems that are kind and of such that are not.
@Suite struct AndroidSensorTests {
    static let message: [UInt8] = [1, 2, 3]

    static func request(
        _ kind: KeyKind = .biometric, button: UnlockFlow.CancelButton = .cancel, reason: String = "Unlock Acme"
    ) -> PromptRequest {
        PromptRequest(
            rung: kind == .passcode ? .devicePasscode : .biometric, reason: reason, cancelButton: button, key: .of(kind),
            message: message)
    }

    /// Runs with a platform that has a biometric key and, where the level has one, a passcode key.
    private func told(
        _ world: AndroidWorld = AndroidWorld(),
        _ body: @escaping @Sendable (AndroidWorld, DevicePlatform) async throws -> Void
    ) async throws {
        try await world.run {
            let platform = try await world.platform()
            _ = try await platform.keys.create(.of(.biometric))
            if world.android.level >= 30 { _ = try await platform.keys.create(.of(.passcode)) }
            try await body(world, platform)
            #expect(world.handles == 0, "no object of Java is left behind")
        }
    }

    static func end(_ answer: PromptAnswer) -> Failure? { if case .failed(let failure) = answer { failure } else { nil } }

    @Test(arguments: [28, 29, 30, 31, 32, 33, 34, 35, 36])
    func aMatchSignsOnceAndOnlyWhatThePromptWasFor(_ level: Int) async throws {
        try await told(AndroidWorld(level: level)) { world, platform in
            for kind in [KeyKind.biometric, .passcode] where kind == .biometric || level >= 30 {
                guard case .matched(let presence) = await platform.sensor.prompt(Self.request(kind), hearing: { _ in }) else {
                    Issue.record("\(kind) does not match")
                    continue
                }
                let keys = platform.keys
                await expectFailure(.notMatched) { _ = try await keys.sign([9], with: .of(kind), presence: presence) }
                let other = kind == .biometric ? KeyKind.passcode : .biometric
                await expectFailure(.notMatched) { _ = try await keys.sign(Self.message, with: .of(other), presence: presence) }
                let signature = try await keys.sign(Self.message, with: .of(kind), presence: presence)
                let key = try VerifyingKey(try await keys.publicKey(of: .of(kind)))
                #expect(key.isValid(signature, for: Self.message))
                await expectFailure(.notMatched) { _ = try await keys.sign(Self.message, with: .of(kind), presence: presence) }
            }
        }
    }

    @Test func withoutAPresenceNothingIsSigned() async throws {
        try await told { world, platform in
            for presence in [nil, Presence(context: ()), Presence(context: AndroidEmptyPresence())] {
                await expectFailure(.notMatched) {
                    _ = try await platform.keys.sign(Self.message, with: .of(.biometric), presence: presence)
                }
            }
            #expect(world.android.calls(.useHandle) == 0)
        }
    }

    @Test("a match that is not used is given back")
    func givenBack() async throws {
        try await told { world, platform in
            do {
                _ = await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            #expect(world.android.calls(.releaseHandle) == 1 && world.handles == 0)
        }
    }

    @Test("before API 30 no prompt asks for the credential", arguments: [28, 29])
    func noCredential(_ level: Int) async throws {
        try await told(AndroidWorld(level: level)) { world, platform in
            #expect(await !platform.sensor.isPasscodeSet())
            #expect(!platform.sensor.liftsLockouts)
            for answer in [
                await platform.sensor.prompt(Self.request(.passcode), hearing: { _ in }),
                await platform.sensor.liftLockout("Help"),
            ] {
                #expect(Self.end(answer) == AndroidFacts.noCredentialForKeys)
                // BIOMETRIC_ERROR_UNSUPPORTED
                #expect(
                    Self.end(answer)?.status == .init(domain: "android.hardware.biometrics.BiometricManager", code: -2))
            }
            #expect(Self.end(await platform.sensor.liftLockout("Help"))?.recovery == .fallBack(.appPIN))
            await expectFailure(.platform) { _ = try await platform.keys.create(.of(.passcode)) }
            #expect(world.android.calls(.prompt) == 0)
        }
    }

    @Test func thePromptHasTheWordsOfTheApp() async throws {
        try await told { world, platform in
            world.android.state.withLock { $0.language = "de-CH" }
            let german = try await world.platform(title: "Acme")
            for button in [UnlockFlow.CancelButton.cancel, .use(.appPIN)] {
                _ = await german.sensor.prompt(Self.request(button: button), hearing: { _ in })
            }
            _ = await german.sensor.prompt(Self.request(.passcode), hearing: { _ in })
            _ = await platform.sensor.prompt(Self.request(button: .use(.biometric)), hearing: { _ in })
            let asked = world.android.state.withLock { $0.asked }
            let alias = KeyAlias.of(.of(.biometric), in: .key)
            #expect(
                asked[0]
                    == FakeAndroid.Asked(
                        rung: 1, title: "Acme", text: "Unlock Acme", button: "Abbrechen", alias: alias, use: 1, isConfirmed: true)
            )
            #expect(asked[1].button == Rung.appPIN.button.text(in: .german))
            #expect(asked[2].button == nil && asked[2].rung == 2)
            #expect(asked[3].title == "Unlock Acme" && asked[3].text == nil)
            #expect(asked[3].button == Rung.biometric.button.naming(.fingerprint).text(in: .english))
        }
    }

    @Test(arguments: ["", " \n"])
    func aPromptWithoutAReasonIsNotShown(_ reason: String) async throws {
        try await told { world, platform in
            let answer = await platform.sensor.prompt(Self.request(reason: reason), hearing: { _ in })
            #expect(Self.end(answer)?.code == .reasonMissing)
            #expect(Self.end(await platform.sensor.liftLockout(reason))?.code == .reasonMissing)
            var wrong = Self.request()
            for rung in [Rung.devicePasscode, .appPIN, .fullCredentials] {
                wrong.rung = rung
                #expect(Self.end(await platform.sensor.prompt(wrong, hearing: { _ in }))?.code == .platform)
            }
            #expect(world.android.calls(.prompt) == 0)
        }
    }

    @Test("a face is confirmed by a tap unless the app says otherwise")
    func confirmedFaces() {
        func isConfirmed(_ look: PromptLook) -> Bool? {
            look.prompt(.biometric, reason: "Unlock Acme", button: "Cancel", key: nil)?.isConfirmed
        }
        #expect(isConfirmed(PromptLook()) == true)
        #expect(isConfirmed(PromptLook(confirmsFaces: false)) == false)
    }

    // MARK: Mismatches and lockouts

    @Test("a rejected attempt is told, and the prompt stays")
    func mismatch() async throws {
        try await told { world, platform in
            world.phone.next(.noMatch, .noMatch, .match)
            let heard = Mutex<[PromptNews]>([])
            let answer = await platform.sensor.prompt(Self.request()) { news in heard.withLock { $0.append(news) } }
            guard case .matched(let presence) = answer else {
                Issue.record("no match")
                return
            }
            #expect(heard.withLock { $0 } == [.mismatched, .mismatched])
            #expect(world.android.calls(.prompt) == 1 && world.android.calls(.cancel) == 0)
            _ = try await platform.keys.sign(Self.message, with: .of(.biometric), presence: presence)
        }
    }

    @Test(
        "a lockout is told as the lockout, with or without the mismatch that began it",
        arguments: [(Int64(7), Lockout.temporary), (9, .untilPasscode)])
    func lockouts(_ code: Int64, _ lockout: Lockout) async throws {
        try await told { world, platform in
            world.android.prompts(.mismatchThenError(code), .error(code))
            for _ in 1...2 {
                let failure = Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))
                #expect(failure?.code == .lockedOut && failure?.lockout == lockout && failure?.status?.code == Int(code))
            }
        }
    }

    @Test(
        "what ends a prompt after a mismatch is its end",
        arguments: [(Int64(5), Failure.Code.cancelledBySystem), (10, .cancelledByUser)])
    func endAfterMismatch(_ code: Int64, _ failure: Failure.Code) async throws {
        try await told { world, platform in
            world.android.prompts(.mismatchThenError(code))
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.code == failure)
        }
    }

    @Test("a prompt that some makers leave behind is not waited for", arguments: [false, true])
    func leftBehind(_ answersLate: Bool) async throws {
        try await told { world, platform in
            world.android.prompts(.stubborn)
            world.phone.next(answersLate ? .match : .ignore, after: .seconds(30))
            let began = world.clock.now
            let asked = Task(executorPreference: world.clock.executor) {
                await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            await world.sleep(.seconds(1))
            asked.cancel()
            #expect(Self.end(await asked.value)?.code == .cancelledByApp)
            #expect(
                began.duration(to: world.clock.now) == .seconds(4),
                "three seconds after the cancellation: the bridge answers for a silent system after two")
            await world.sleep(.seconds(60))
            #expect(world.handles == 0, "a late match is given back")
            #expect(world.android.calls(.releaseHandle) == (answersLate ? 1 : 0))
        }
    }

    @Test("a match that comes while the prompt is being dismissed opens nothing")
    func matchWhileDismissed() async throws {
        try await told { world, platform in
            world.android.prompts(.stubborn)
            world.phone.next(.match, after: .seconds(2))
            let asked = Task(executorPreference: world.clock.executor) {
                await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            await world.sleep(.seconds(1))
            asked.cancel()
            #expect(Self.end(await asked.value)?.code == .cancelledByApp)
            await world.sleep(.seconds(1))
            #expect(world.android.calls(.releaseHandle) == 1)
        }
    }

    @Test func aSilentSystemAnswersToACancellation() async throws {
        try await told { world, platform in
            world.android.prompts(.silent)
            let asked = Task(executorPreference: world.clock.executor) {
                await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            await world.sleep(.seconds(600))
            #expect(world.android.calls(.prompt) == 1)
            asked.cancel()
            #expect(Self.end(await asked.value)?.code == .cancelledByApp)
        }
    }

    @Test func cancellingDismissesThePrompt() async throws {
        try await told { world, platform in
            world.phone.next(.ignore)
            let asked = Task(executorPreference: world.clock.executor) {
                await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            await world.sleep(.seconds(1))
            let now = world.clock.now
            asked.cancel()
            #expect(Self.end(await asked.value)?.code == .cancelledByApp)
            #expect(world.clock.now == now, "at once")
            let late = Task(executorPreference: world.clock.executor) {
                await platform.sensor.prompt(Self.request(), hearing: { _ in })
            }
            late.cancel()
            #expect(Self.end(await late.value)?.code == .cancelledByApp)
            #expect(world.android.calls(.prompt) == 1, "a cancelled task shows no prompt")
        }
    }

    @Test func theSystemAndThePersonCancel() async throws {
        try await told { world, platform in
            world.phone.next(.systemCancel, .cancel)
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.code == .cancelledBySystem)
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.code == .cancelledByUser)
            world.android.prompts(.error(13), .error(13), .error(1000))
            let other = Self.end(await platform.sensor.prompt(Self.request(button: .use(.appPIN)), hearing: { _ in }))
            #expect(other?.code == .cancelledByUser && other?.recovery == .fallBack(.appPIN))
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.recovery == .retry)
            let maker = Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))
            #expect(maker?.code == .platform && maker?.status?.code == 1000)
        }
    }

    // MARK: Readings

    @Test func helpBecomesPoorReadings() async throws {
        try await told { world, platform in
            let heard = Mutex<[PromptNews]>([])
            world.android.prompts(.help([0, 1, 3, 4, 5, 7, 1000]))
            _ = await platform.sensor.prompt(Self.request()) { news in heard.withLock { $0.append(news) } }
            #expect(
                heard.withLock { $0 }
                    == [.notCentered, .tooPoor, .removeAndRetry, .tooShort, .tooPoor].map { PromptNews.readPoorly($0) })
            #expect(!platform.sensor.tellsAppearance)
        }
    }

    @Test func aFaceHasCodesOfItsOwn() async throws {
        try await told(AndroidWorld(.android(.face))) { world, platform in
            expect(await platform.sensor.kind(), is: .face)
            let heard = Mutex<[PromptNews]>([])
            world.android.prompts(.help([12, 20, 4]))
            _ = await platform.sensor.prompt(Self.request()) { news in heard.withLock { $0.append(news) } }
            #expect(heard.withLock { $0 } == [.readPoorly(.tooShort), .readPoorly(.notCentered)])
            world.android.state.withLock { $0.features = [.finger, .face] }
            expect(await platform.sensor.kind(), is: nil, "the person chooses")
        }
    }

    // MARK: The state of the sensor

    @Test func aWeakSensorUnlocksNoKey() async throws {
        let world = AndroidWorld(.weakAndroid())
        try await world.run {
            let platform = try await world.platform()
            #expect(await platform.sensor.biometry() == .weak)
            let refused = await failure { _ = try await platform.keys.create(.of(.biometric)) }
            #expect(refused?.code == .biometryTooWeak)
            #expect(refused?.status?.domain == "java.security.InvalidAlgorithmParameterException")
            _ = try await platform.keys.create(.of(.passcode))
        }
    }

    @Test(arguments: [28, 29, 30, 33, 36])
    func whatIsNotSetUpIsToldAsThat(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            let platform = try await world.platform()
            #expect(await platform.sensor.biometry() == .ready)
            #expect(await platform.sensor.isPasscodeSet() == (level >= 30))
            world.phone.removeFaces()
            #expect(await platform.sensor.biometry() == .notEnrolled)
            await expectFailure(.biometryNotEnrolled) { _ = try await platform.keys.create(.of(.biometric)) }
            world.phone.removePasscode()
            #expect(await !platform.sensor.isPasscodeSet())
            await expectFailure(.passcodeNotSet) { _ = try await platform.keys.create(.of(.biometric)) }
            if level >= 30 { await expectFailure(.passcodeNotSet) { _ = try await platform.keys.create(.of(.passcode)) } }
        }
        let without = AndroidWorld(level: level, hasSensor: false)
        try await without.run {
            let platform = try await without.platform()
            #expect(await platform.sensor.biometry() == .absent)
            expect(await platform.sensor.kind(), is: nil)
            await expectFailure(.biometryAbsent) { _ = try await platform.keys.create(.of(.biometric)) }
        }
    }

    @Test func aSystemThatDoesNotAnswerHasNoSensorNow() async throws {
        try await told { world, platform in
            for _ in 1...2 { world.android.failNext(.facts, "java.lang.NullPointerException") }
            #expect(await platform.sensor.biometry() == .unavailable)
            #expect(await !platform.sensor.isPasscodeSet())
            world.android.state.withLock { $0.answering[.facts] = [[1, 2], []] }
            #expect(await platform.sensor.biometry() == .unavailable)
            expect(await platform.sensor.kind(), is: nil)
        }
    }

    // MARK: What is thrown before a prompt

    @Test("a key that is dead is told before a prompt is shown")
    func dead() async throws {
        try await told { world, platform in
            world.phone.enrolNewFace()
            let failure = Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))
            #expect(failure?.code == .keyInvalidated && failure?.recovery == .reEnrol)
            #expect(failure?.status?.domain == AndroidThrown.invalidated)
            #expect(world.phone.promptCount == 0)
            try await platform.keys.delete(.of(.biometric))
            let missing = Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))
            #expect(missing?.code == .notEnrolled)
        }
    }

    @Test("a system that throws when it is asked leaves the key alone", arguments: ["java.lang.NullPointerException", "a.B"])
    func threw(_ name: String) async throws {
        try await told { world, platform in
            world.android.prompts(.threw(AndroidThrown(chain: [.init(name: name)])))
            let failure = Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))
            #expect(failure?.code == (name == "a.B" ? .platform : .biometryUnavailable))
            #expect(await platform.keys.state(of: .of(.biometric)) == .usable)
        }
    }

    @Test(
        "an answer that breaks the contract is no match",
        arguments: [[], [0], [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func garbage(_ bytes: [UInt8]) async throws {
        try await told { world, platform in
            world.android.prompts(.garbage(bytes))
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.code == .platform)
        }
    }

    @Test("a match without the object of a key opens nothing")
    func noHandle() async throws {
        try await told { world, platform in
            var writer = BridgeWriter()
            for number in [Int64(0), 1, 2, 0] { writer.put(number) }
            writer.put(nil as [UInt8]?)
            world.android.prompts(.garbage(writer.message))
            #expect(Self.end(await platform.sensor.prompt(Self.request(), hearing: { _ in }))?.code == .platform)
        }
    }

    // MARK: Lifting a lockout

    @Test func theCredentialLiftsALockoutAndOpensNothing() async throws {
        try await told { world, platform in
            #expect(platform.sensor.liftsLockouts)
            guard case .matched(let presence) = await platform.sensor.liftLockout("Unlock your finger") else {
                Issue.record("no match")
                return
            }
            await expectFailure(.notMatched) {
                _ = try await platform.keys.sign(Self.message, with: .of(.passcode), presence: presence)
            }
            #expect(world.android.state.withLock { $0.asked.last?.alias } == nil)
            world.phone.next(.cancel)
            #expect(Self.end(await platform.sensor.liftLockout("Unlock your finger"))?.code == .cancelledByUser)
        }
    }

    @Test("a wrong credential lifts nothing, and one that locks the sensor is the lockout")
    func aMismatchLiftsNothing() async throws {
        try await told { world, platform in
            world.android.prompts(.mismatchThenError(10), .mismatchThenError(9), .mismatchThenMatch)
            #expect(Self.end(await platform.sensor.liftLockout("Unlock your finger"))?.code == .cancelledByUser)
            #expect(Self.end(await platform.sensor.liftLockout("Unlock your finger"))?.code == .lockedOut)
            guard case .matched = await platform.sensor.liftLockout("Unlock your finger") else {
                Issue.record("the right one after a wrong one is right")
                return
            }
        }
    }

    @Test("a credential that comes after a cancellation lifts nothing for the app", arguments: [false, true])
    func aCancelledLift(_ answersLate: Bool) async throws {
        try await told { world, platform in
            if answersLate { world.android.prompts(.stubborn) }
            world.phone.next(answersLate ? .match : .ignore, after: .seconds(2))
            let asked = Task(executorPreference: world.clock.executor) {
                await platform.sensor.liftLockout("Unlock your finger")
            }
            await world.sleep(.seconds(1))
            asked.cancel()
            #expect(Self.end(await asked.value)?.code == .cancelledByApp)
        }
    }
}
