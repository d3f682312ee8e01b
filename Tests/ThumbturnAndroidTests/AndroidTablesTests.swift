import Testing
import ThumbturnCore
@testable import ThumbturnAndroid

/// The tables of Android's raw codes, row by row.
@Suite struct AndroidTablesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var number: Int
        var means: Failure.Code
        var next: Recovery

        init(_ number: Int, _ means: Failure.Code, _ next: Recovery) {
            (self.number, self.means, self.next) = (number, means, next)
        }
        var testDescription: String { "\(number)" }
    }

    static let promptErrors = [
        Row(1, .biometryUnavailable, .fallBack(.devicePasscode)), Row(2, .biometryUnavailable, .retry), Row(3, .timedOut, .retry),
        Row(4, .biometryUnavailable, .fallBack(.devicePasscode)), Row(5, .cancelledBySystem, .retry),
        Row(7, .lockedOut, .wait(.seconds(30))), Row(8, .biometryUnavailable, .fallBack(.devicePasscode)),
        Row(9, .lockedOut, .fallBack(.devicePasscode)), Row(10, .cancelledByUser, .retry),
        Row(11, .biometryNotEnrolled, .openSettings), Row(12, .biometryAbsent, .fallBack(.devicePasscode)),
        Row(13, .cancelledByUser, .retry), Row(14, .passcodeNotSet, .setPasscode),
        Row(15, .biometryUnavailable, .fallBack(.devicePasscode)), Row(18, .biometryUnavailable, .openSettings),
        Row(20, .biometryUnavailable, .fallBack(.devicePasscode)), Row(21, .biometryUnavailable, .openSettings),
    ]

    @Test func eachRowOfThePromptsErrorsHasATest() {
        #expect(PromptErrors.rows.map(\.number) == Self.promptErrors.map(\.number))
    }

    @Test(arguments: promptErrors, [UnlockFlow.CancelButton.cancel, .use(.appPIN)])
    func everyPromptErrorHasItsMeaningAndIsKept(_ row: Row, _ button: UnlockFlow.CancelButton) {
        let failure = PromptErrors.failure(of: row.number, on: button)
        #expect(failure.code == row.means)
        let leads = row.number == 13 && button == .use(.appPIN)
        #expect(failure.recovery == (leads ? .fallBack(.appPIN) : row.next))
        #expect(failure.status == .init(domain: "android.hardware.biometrics.BiometricPrompt", code: row.number))
    }

    @Test(
        "a code that no table names is neither a cancel nor a success",
        arguments: [-1, 0, 6, 16, 19, 22, 99, 1000, 1001, Int.max])
    func unknown(_ code: Int) {
        let failure = PromptErrors.failure(of: code, on: .use(.appPIN))
        #expect(failure.code == .platform && failure.recovery == .report && failure.status?.code == code)
    }

    @Test func theTwoLockoutsAreToldApart() {
        #expect(PromptErrors.failure(of: 7, on: .cancel).lockout == .temporary)
        #expect(PromptErrors.failure(of: 9, on: .cancel).lockout == .untilPasscode)
        for row in PromptErrors.rows where row.number != 7 && row.number != 9 {
            #expect(PromptErrors.lockout(of: row.number) == nil)
            #expect(PromptErrors.failure(of: row.number, on: .cancel).lockout == nil)
        }
        for lockout in [Lockout.temporary, .untilPasscode] {
            let number = lockout == .temporary ? 7 : 9
            let row = PromptErrors.rows.first { $0.number == number }
            #expect(row?.recovery == BiometryState.lockedOut(lockout).obstacle?.recovery, "the table is what happens")
        }
    }

    // MARK: canAuthenticate

    struct Found: CustomTestStringConvertible, Sendable {
        var strong: Int?
        var weak: Int?
        var fingers = AuthenticatorStates.Fingers()
        var state: BiometryState
        var testDescription: String { "\(strong as Any) \(weak as Any) \(fingers)" }
    }

    static let found: [Found] = [
        Found(strong: 0, weak: 0, state: .ready), Found(strong: -1, weak: -1, state: .ready),
        Found(strong: -2, weak: 0, state: .unavailable), Found(strong: 1, weak: 1, state: .unavailable),
        Found(strong: 11, weak: 11, state: .notEnrolled), Found(strong: 12, weak: 12, state: .absent),
        Found(strong: 15, weak: 0, state: .unavailable), Found(strong: 20, weak: 0, state: .unavailable),
        Found(strong: 21, weak: 21, state: .switchedOff),
        // A sensor of Class 2 alone, set up or not.
        Found(strong: 12, weak: 0, state: .weak), Found(strong: 12, weak: 11, state: .weak),
        // It cannot be used now, so that nothing more is known.
        Found(strong: 12, weak: 1, state: .absent),
        // A weak sensor is set up, and a strong one is there.
        Found(strong: 11, weak: 0, state: .notEnrolled),
        Found(strong: 2, weak: 0, state: .unavailable), Found(strong: 4711, weak: nil, state: .unavailable),
        // API 29 has one call, without a class.
        Found(strong: 0, weak: nil, state: .ready), Found(strong: 12, weak: nil, state: .absent),
        Found(strong: 11, weak: nil, state: .notEnrolled),
        // API 28 has none.
        Found(fingers: .init(isDetected: true, hasEnrolled: true), state: .ready),
        Found(fingers: .init(isDetected: true, hasEnrolled: false), state: .notEnrolled),
        Found(fingers: .init(isDetected: true, hasEnrolled: nil), state: .notEnrolled),
        Found(fingers: .init(isDetected: false, hasEnrolled: true), state: .absent),
        Found(fingers: .init(isDetected: nil, hasEnrolled: nil), state: .absent),
    ]

    @Test(arguments: found)
    func everyResultHasItsState(_ row: Found) {
        #expect(AuthenticatorStates.state(strong: row.strong, weak: row.weak, fingers: row.fingers) == row.state)
    }

    @Test func eachRowOfTheResultsHasATest() {
        for row in AuthenticatorStates.rows {
            #expect(Self.found.contains { $0.strong == row.number && $0.weak != nil && $0.state == row.state }, "\(row.name)")
        }
        #expect(Set(AuthenticatorStates.rows.map(\.number)) == [0, -1, -2, 1, 11, 12, 15, 20, 21])
    }

    // MARK: Help

    static let readings: [(SensorKind, [PoorReading?: [Int]])] = [
        (.finger, [nil: [0, 7], .notCentered: [1], .tooPoor: [2, 3, 10], .removeAndRetry: [4, 9, 11], .tooShort: [5]]),
        (
            .face,
            [
                nil: [0, 20, 24], .tooPoor: [1, 2, 3, 19, 21, 25, 26], .notCentered: [4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18],
                .tooShort: [12],
            ]
        ),
    ]

    @Test func everyHelpCodeHasItsReading() {
        for (sensor, readings) in Self.readings {
            for (reading, codes) in readings {
                for code in codes { #expect(HelpCodes.reading(code, of: sensor) == reading, "\(sensor) \(code)") }
            }
            let all = Set(readings.values.joined())
            #expect(Set(HelpCodes.rows.filter { $0.sensor == sensor }.map(\.number)) == all)
            for code in [-1, 6, 8, 22, 23, 1000, 1005] where !all.contains(code) {
                #expect(HelpCodes.reading(code, of: sensor) == .tooPoor, "an unknown code is a poor reading without a reason")
            }
        }
        for code in 0...30 {
            #expect(HelpCodes.reading(code, of: nil) == HelpCodes.reading(code, of: .finger), "the public constants")
            #expect(HelpCodes.reading(code, of: .iris) == HelpCodes.reading(code, of: .finger))
        }
    }

    // MARK: Places

    @Test(arguments: [
        (Int64(0), KeyPlace.software, false), (1, .trustedEnvironment, true), (2, .strongBox, true), (-1, .unknownSecure, true),
        (-2, .unknown, false), (3, .unknown, false), (-3, .unknown, false), (Int64.max, .unknown, false),
    ])
    func everySecurityLevelHasItsPlace(_ level: Int64, _ place: KeyPlace, _ isInHardware: Bool) {
        #expect(KeyPlace(level: level) == place)
        #expect(place.isInHardware == isInHardware)
    }
}
