#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Testing
import ThumbturnCore
@testable import ThumbturnApple

/// The state of the sensor that follows from a system's answers.
@Suite struct PreflightTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var code: Int?
        var sensor = 2
        var environment: SensorEnvironment?
        var state: BiometryState
        var testDescription: String { "\(code ?? 0), sensor \(sensor), \(state)" }
    }

    static let locked = SensorEnvironment(isLockedOut: true, isCovered: false)
    static let covered = SensorEnvironment(isLockedOut: false, isCovered: true)
    static let open = SensorEnvironment(isLockedOut: false, isCovered: false)

    static let rows = [
        Row(state: .ready), Row(environment: open, state: .ready),
        // The headers contradict each other on whether the policy can be evaluated while the sensor is locked.
        Row(environment: locked, state: .lockedOut(.untilPasscode)), Row(code: -8, state: .lockedOut(.untilPasscode)),
        Row(code: -7, state: .notEnrolled), Row(code: -7, environment: locked, state: .lockedOut(.untilPasscode)),
        Row(code: -5, state: .passcodeNotSet), Row(code: -5, environment: covered, state: .passcodeNotSet),
        Row(code: -6, state: .permissionDenied), Row(code: -6, sensor: 4, state: .permissionDenied),
        // Only Face ID and Optic ID ask for permission.
        Row(code: -6, sensor: 1, state: .unavailable), Row(code: -6, sensor: 0, state: .absent),
        Row(code: -6, sensor: 3, state: .unavailable),
        Row(code: -6, sensor: 1, environment: covered, state: .lidClosed),
        // An external sensor works while the lid covers the built-in one.
        Row(sensor: 1, environment: covered, state: .ready),
        Row(code: -12, sensor: 1, state: .unavailable), Row(code: -13, sensor: 1, state: .unavailable),
        Row(code: -4711, state: .unavailable),
    ]

    @Test(arguments: rows) func everyAnswerHasItsState(row: Row) {
        let obstacle = row.code.map { AppleStatus(domain: LAErrorDomain, code: $0) }
        #expect(Preflight(obstacle: obstacle, sensor: row.sensor, environment: row.environment).state == row.state)
    }
}
#endif
