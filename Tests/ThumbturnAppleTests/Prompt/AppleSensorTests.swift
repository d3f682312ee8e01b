#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// Single prompts, through the adapter's own source.
@Suite struct AppleSensorTests {
    static func request(
        _ rung: Rung = .biometric, kind: KeyKind? = nil, server: String = "https://acme.example", reason: String = "Unlock Acme",
        _ cancelButton: UnlockFlow.CancelButton = .cancel
    ) -> PromptRequest {
        let key = KeyName(server: server, account: "ada", kind: kind ?? rung.key ?? .session)
        return PromptRequest(rung: rung, reason: reason, cancelButton: cancelButton, key: key, message: [1])
    }

    private func ask(_ sensor: AppleSensor, _ request: PromptRequest = request()) async -> PromptAnswer {
        await sensor.prompt(request) { _ in Issue.record("Apple's systems report no single readings") }
    }

    // MARK: Answers

    @Test(arguments: [Rung.biometric, .devicePasscode]) func aMatchGivesAContextForThatKeyOnly(rung: Rung) async throws {
        let world = AppleWorld()
        try await world.run {
            guard case .matched(let presence) = await ask(AppleSensor(world.system), Self.request(rung)) else {
                Issue.record("not matched")
                return
            }
            let context = try #require(presence.context as? PromptContext)
            #expect(context.purpose?.key == Self.request(rung).key)
            #expect(await context.wasUsed == false)
            let (shown, isOver) = await context.standIn
            #expect(shown == [rung == .biometric ? .biometry : .passcode])
            #expect(!isOver)
        }
        #expect(world.device.calls("evaluateAccessControl") == 1)
        #expect(world.device.calls("invalidate") == 0)
        #expect(world.device.calls("a prompt of the keychain's own") == 0)
        #expect(world.phone.promptCount == 1)
    }

    @Test(arguments: AppleStatusTests.authentication) func everyPromptErrorHasItsMeaning(row: AppleStatusTests.Row) async throws {
        let world = AppleWorld()
        world.device.answer(.refused(row.code))
        try await world.run {
            switch await ask(AppleSensor(world.system), Self.request(.devicePasscode)) {
            case .matched: Issue.record("an error must not match")
            case .notMatched: #expect(row.means == .notMatched)
            case .failed(let failure):
                #expect(failure.code == row.means)
                #expect(failure.recovery == row.next)
                // An answer of `false` without an error has no code.
                if row.code != 0 { #expect(failure.status == .init(domain: LAErrorDomain, code: row.code)) }
            }
        }
        #expect(world.device.calls("evaluateAccessControl") == 1)
        #expect(world.device.calls("invalidate") == 1)
    }

    @Test func mismatchesAndCancelsEndTheContext() async throws {
        let world = AppleWorld()
        world.phone.next(.noMatch, .cancel, .systemCancel)
        try await world.run {
            let sensor = AppleSensor(world.system)
            guard case .notMatched = await ask(sensor) else {
                Issue.record("not a mismatch")
                return
            }
            expect(await ask(sensor), .cancelledByUser, -2)
            expect(await ask(sensor), .cancelledBySystem, -4)
        }
        #expect(world.device.calls("invalidate") == 3)
    }

    @Test func aDeniedPermissionDiffersFromAMissingSensor() async throws {
        let denied = AppleWorld()
        denied.phone.setPermission(false)
        try await denied.run {
            let answer = await ask(AppleSensor(denied.system))
            expect(answer, .permissionDenied, -6)
            if case .failed(let failure) = answer { #expect(failure.recovery == .openSettings) }
        }
        let missing = AppleWorld(hasSensor: false)
        try await missing.run { expect(await ask(AppleSensor(missing.system)), .biometryAbsent, -6) }
    }

    @Test func aPreciseErrorIsNotReplacedByTheStateOfTheSensor() async throws {
        let world = AppleWorld()
        world.phone.setPermission(false)
        world.device.answer(.refused(-2))
        try await world.run {
            expect(await ask(AppleSensor(world.system), Self.request(.devicePasscode)), .cancelledByUser, -2)
        }
    }

    @Test func thePasscodeEndsALockout() async throws {
        let world = AppleWorld()
        // Two tries end a prompt; the fifth in a row locks the sensor.
        world.phone.next(.noMatch, .noMatch, .noMatch)
        try await world.run {
            let sensor = AppleSensor(world.system)
            for _ in 1...2 {
                guard case .notMatched = await ask(sensor) else {
                    Issue.record("not a mismatch")
                    return
                }
            }
            expect(await ask(sensor), .lockedOut, -8)
            #expect(await sensor.biometry() == .lockedOut(.untilPasscode))
            #expect(await sensor.isPasscodeSet())
            expect(await ask(sensor), .lockedOut, -8)
            #expect(isMatch(await ask(sensor, Self.request(.devicePasscode))))
            #expect(await sensor.biometry() == .ready)
            #expect(isMatch(await ask(sensor)))
        }
        #expect(world.phone.promptCount == 5)
    }

    @Test func theLockoutIsLiftedByThePasscodeWhichOpensNothing() async throws {
        let world = AppleWorld()
        world.phone.next(.noMatch, .noMatch, .noMatch)
        try await world.run {
            let sensor = AppleSensor(world.system)
            for _ in 1...3 { _ = await ask(sensor) }
            #expect(await sensor.biometry() == .lockedOut(.untilPasscode))
            #expect(sensor.liftsLockouts)
            world.phone.next(.cancel)
            expect(await sensor.liftLockout("Open your designs"), .cancelledByUser, -2)
            guard case .failed(let failure) = await sensor.liftLockout(" "), failure.code == .reasonMissing else {
                Issue.record("a sheet without a reason")
                return
            }
            #expect(await sensor.biometry() == .lockedOut(.untilPasscode))
            #expect(isMatch(await sensor.liftLockout("Open your designs")))
            #expect(world.device.sheets.allSatisfy { $0.reuse == 0 }, "an earlier unlock of the device ends no lockout")
            #expect(await sensor.biometry() == .ready)
            #expect(isMatch(await ask(sensor)))
        }
    }

    // MARK: The screen

    @Test func noPromptIsShownInTheBackground() async throws {
        let world = AppleWorld()
        world.phone.moveToBack()
        try await world.run { expect(await ask(AppleSensor(world.system)), .cancelledBySystem, -4) }
        #expect(world.phone.promptCount == 0)
    }

    @Test func goingToTheBackgroundDismissesThePrompt() async throws {
        let world = AppleWorld()
        world.phone.next(.ignore)
        try await world.run {
            async let answer = ask(AppleSensor(world.system))
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            world.phone.moveToBack()
            expect(await answer, .cancelledBySystem, -4)
        }
    }

    @Test func aSecondPromptReplacesTheFirst() async throws {
        let world = AppleWorld()
        world.phone.next(.ignore, .match)
        try await world.run {
            let sensor = AppleSensor(world.system)
            async let first = ask(sensor)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let contexts = world.device.calls("LAContext")
            #expect(isMatch(await ask(sensor)))
            #expect(
                world.device.calls("LAContext") == contexts + 2,
                "the second prompt has a context of its own, and one more looks for the key's access control")
            expect(await first, .cancelledBySystem, -4)
        }
        #expect(world.device.calls("evaluateAccessControl") == 2)
    }

    // MARK: Cancellation

    @Test func cancellingTheTaskDismissesThePrompt() async throws {
        let world = AppleWorld()
        world.phone.next(.match, after: .seconds(60))
        try await world.run {
            let start = world.clock.now
            let task = Task(executorPreference: world.clock.executor) { await ask(AppleSensor(world.system)) }
            try await world.clock.sleep(until: start.advanced(by: .seconds(1)))
            task.cancel()
            expect(await task.value, .cancelledByApp, -9)
            #expect(start.duration(to: world.clock.now) == .seconds(1))
        }
        #expect(world.phone.phase == .front)
    }

    @Test func aLateSuccessOpensNothing() async throws {
        let world = AppleWorld { $0.keepsSheets = true }
        world.phone.next(.match, after: .seconds(60))
        try await world.run {
            let purpose = PromptContext.Purpose(key: .of(.biometric), message: [1], place: KeychainPlace(service: "test"))
            _ = try await world.parts().keys.create(.of(.biometric))
            let context = PromptContext(world.system, for: purpose)
            let sheet = try #require(Sheet(reason: "Unlock Acme", cancelTitle: nil, reuse: 0))
            let began = world.clock.now
            let task = Task(executorPreference: world.clock.executor) {
                await failure { try await context.ask(sheet, for: .key(.of(.biometric))) }
            }
            try await world.clock.sleep(until: began.advanced(by: .seconds(1)))
            task.cancel()
            #expect(await task.value == Failure(.cancelledByApp))
            #expect(began.duration(to: world.clock.now) == .seconds(2), "the reply is waited for, but not long")
            #expect(world.phone.phase == .inactive, "the sheet is still up")
            try await world.clock.sleep(until: began.advanced(by: .seconds(70)))
            #expect(await context.standIn.shown == [.biometry], "the person has matched at last")
            let late = await failure {
                _ = try await context.sign([1], with: purpose.key, in: purpose.place)
            }
            #expect(late == Failure(.notMatched))
        }
        #expect(world.phone.promptCount == 1)
        #expect(world.device.calls("SecKeyCreateSignature") == 0)
        world.expectNothingOnTheSide()
    }

    @Test func aSuccessRightAfterACancellationIsNone() async throws {
        let world = AppleWorld { $0.keepsSheets = true }
        world.phone.next(.match, after: .milliseconds(1500))
        try await world.run {
            let began = world.clock.now
            let task = Task(executorPreference: world.clock.executor) { await ask(AppleSensor(world.system)) }
            try await world.clock.sleep(until: began.advanced(by: .seconds(1)))
            task.cancel()
            expect(await task.value, .cancelledByApp, nil)
            #expect(began.duration(to: world.clock.now) == .milliseconds(1500))
        }
    }

    @Test func aCancelledTaskShowsNoPrompt() async throws {
        let world = AppleWorld()
        try await world.run {
            let task = Task(executorPreference: world.clock.executor) {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await ask(AppleSensor(world.system))
            }
            expect(await task.value, .cancelledByApp, nil)
        }
        #expect(world.device.calls("evaluateAccessControl") == 0)
    }

    @Test func aContextShowsOnePrompt() async throws {
        let world = AppleWorld()
        try await world.run {
            let context = PromptContext(world.system)
            let sheet = try #require(Sheet(reason: "Unlock Acme", cancelTitle: nil, reuse: 0))
            try await context.ask(sheet, for: .key(.of(.biometric)))
            await #expect(throws: Failure.self) {
                try await context.ask(sheet, for: .key(.of(.biometric)))
            }
        }
        #expect(world.device.calls("evaluateAccessControl") == 1)
    }

    @Test func anInvalidatedContextShowsNoPrompt() async throws {
        let world = AppleWorld()
        try await world.run {
            let context = PromptContext(world.system)
            await context.end()
            let sheet = try #require(Sheet(reason: "Unlock Acme", cancelTitle: nil, reuse: 0))
            do throws(Failure) {
                try await context.ask(sheet, for: .key(.of(.biometric)))
                Issue.record("an invalidated context showed a prompt")
            } catch {
                #expect(error.code == .cancelledByApp)
                #expect(error.status?.code == -10)
            }
        }
        #expect(world.phone.promptCount == 0)
    }

    // MARK: Requests

    @Test(arguments: ["", " \n"]) func aPromptWithoutAReasonIsRefusedBeforeTheSystemEndsTheApp(reason: String) async throws {
        let world = AppleWorld()
        try await world.run { expect(await ask(AppleSensor(world.system), Self.request(reason: reason)), .reasonMissing, nil) }
        #expect(world.device.calls("evaluateAccessControl") == 0)
    }

    @Test(arguments: [
        (Rung.biometric, KeyKind.session), (.biometric, .passcode), (.devicePasscode, .biometric), (.appPIN, .pin),
        (.fullCredentials, .session),
    ])
    func aPromptForAKeyOfAnotherRungIsRefused(rung: Rung, kind: KeyKind) async throws {
        let world = AppleWorld()
        try await world.run {
            expect(await ask(AppleSensor(world.system), Self.request(rung, kind: kind)), .platform, nil)
        }
        #expect(world.phone.promptCount == 0)
    }

    @Test func thePromptHasTheFlagsOfTheKeyOrTheVault() async throws {
        let world = AppleWorld()
        try await world.run {
            let sensor = AppleSensor(world.system)
            for rung in [Rung.biometric, .devicePasscode] {
                _ = await ask(sensor, Self.request(rung))
                _ = await ask(sensor, Self.request(rung, server: Vault.realm))
            }
        }
        let sign = LAAccessControlOperation.useKeySign.rawValue
        let read = LAAccessControlOperation.useItem.rawValue
        #expect(
            world.device.sheets.map(\.flags) == [
                [.privateKeyUsage, .biometryCurrentSet], .biometryCurrentSet, [.privateKeyUsage, .devicePasscode],
                .devicePasscode,
            ])
        #expect(world.device.sheets.map(\.operation) == [sign, read, sign, read])
    }

    @Test func theSheetHasTheTextsOfTheRequest() async throws {
        let world = AppleWorld()
        try await world.run {
            let sensor = AppleSensor(world.system)
            _ = await ask(sensor)
            _ = await ask(sensor, Self.request(.biometric, .use(.appPIN)))
            _ = await ask(AppleSensor(world.system, language: .german), Self.request(.biometric, .use(.appPIN)))
            _ = await ask(sensor, Self.request(.devicePasscode, .use(.fullCredentials)))
        }
        let sheets = world.device.sheets
        #expect(sheets.map(\.cancelTitle) == [nil, "Use PIN", "PIN verwenden", "Sign in"])
        #expect(sheets.allSatisfy { $0.fallbackTitle == "" && $0.reason == "Unlock Acme" })
    }

    @Test(arguments: [(0, 0), (-5, 0), (30, 30), (300, 300), (3600, 300)])
    func onlyAVaultAcceptsADeviceUnlock(asked: Int, given: Double) async throws {
        let world = AppleWorld()
        try await world.run {
            let sensor = AppleSensor(world.system, deviceUnlockReuse: .seconds(asked))
            for server in [Vault.realm, "https://acme.example"] {
                var request = Self.request(server: server)
                request.deviceUnlockMaximumAge = nil
                _ = await ask(sensor, request)
            }
        }
        #expect(world.device.sheets.map(\.reuse) == [given, 0])
    }

    @Test(
        "a device unlock from before the lock does not count", arguments: [(-1, 0), (0, 0), (999, 0), (2999, 2), (900_000, 30)])
    func deviceUnlocksSinceTheLock(milliseconds: Int, given: Double) async throws {
        let world = AppleWorld()
        try await world.run {
            let sensor = AppleSensor(world.system, deviceUnlockReuse: .seconds(30))
            var request = Self.request(server: Vault.realm)
            request.deviceUnlockMaximumAge = .milliseconds(milliseconds)
            _ = await ask(sensor, request)
            // Without a word about it none counts.
            _ = await ask(sensor, Self.request(server: Vault.realm))
        }
        #expect(world.device.sheets.map(\.reuse) == [given, 0])
    }

    // MARK: The reason in Info.plist

    @Test(
        arguments: [(SensorKind.face, nil), (.face, ""), (.face, " "), (.iris, nil), (.finger, nil)] as [(SensorKind, String?)])
    func withoutAUsageTextNoFaceIsAskedFor(kind: SensorKind, text: String?) async throws {
        let world = AppleWorld(.iPhone(kind)) { $0.hasUsageText = false }
        var system = world.system
        system.faceIDReason = { text }
        let sensor = AppleSensor(system)
        let needsText = kind != .finger
        try await world.run {
            #expect(await sensor.biometry() == (needsText ? .unavailable : .ready))
            let answer = await ask(sensor)
            if needsText { expect(answer, .biometryUnavailable, nil) } else { #expect(isMatch(answer)) }
            #expect(isMatch(await ask(sensor, Self.request(.devicePasscode))), "the passcode needs no text")
        }
        #expect(world.device.calls("evaluateAccessControl") == (needsText ? 1 : 2))
        world.expectNothingOnTheSide()
    }

    // MARK: Advice

    @Test(
        arguments: [(SensorKind.face, nil), (.face, ""), (.face, "To unlock"), (.iris, nil), (.finger, nil)]
            as [(SensorKind, String?)])
    func aMissingUsageTextIsReportedOnceInDebugBuilds(kind: SensorKind, text: String?) async throws {
        let world = AppleWorld(.iPhone(kind))
        let told = Told()
        var system = world.system
        system.faceIDReason = { text }
        system.advise = { told.hear($0) }
        let sensor = AppleSensor(system)
        #if DEBUG
        let isMissing = kind != .finger && text?.isEmpty != false
        #else
        let isMissing = false
        #endif
        try await world.run {
            for _ in 1...2 {
                _ = await ask(sensor)
                #expect(told.sentences.count == (isMissing ? 1 : 0))
            }
        }
        #if DEBUG
        #expect(told.sentences.allSatisfy { $0.contains("NSFaceIDUsageDescription") })
        #else
        #expect(told.sentences.isEmpty)
        #endif
    }

    final class Told: Sendable {
        private let heard = Mutex<[String]>([])
        var sentences: [String] { heard.withLock { $0 } }
        func hear(_ sentence: String) { heard.withLock { $0.append(sentence) } }
    }

    private func isMatch(_ answer: PromptAnswer) -> Bool {
        if case .matched = answer { true } else { false }
    }

    private func expect(
        _ answer: PromptAnswer, _ code: Failure.Code, _ status: Int?, at place: SourceLocation = #_sourceLocation
    ) {
        guard case .failed(let failure) = answer else {
            Issue.record("no failure: \(answer)", sourceLocation: place)
            return
        }
        #expect(failure.code == code, sourceLocation: place)
        #expect(failure.status?.code == status, sourceLocation: place)
    }
}

extension PromptContext {
    /// The factors that were shown to the stand-in, and whether it was invalidated.
    fileprivate var standIn: (shown: Set<StandInFactor>, isOver: Bool) { (context.standInShown, context.standInIsOver) }
}
#endif
