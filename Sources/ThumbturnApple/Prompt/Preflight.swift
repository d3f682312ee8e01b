import ThumbturnCore

/// The system's statements about its sensor, read without a prompt.
struct Preflight: Hashable, Sendable {
    /// Why the biometrics policy cannot be evaluated; nil where it can.
    var obstacle: AppleStatus?
    /// `LABiometryType` after the policy was checked. It names the device's sensor whether or not this app may use it.
    var sensor: Int
    /// The facts of `LAEnvironment`; nil where the system has none.
    var environment: SensorEnvironment?

    /// The name of the sensor; nil where there is none, or an unknown one.
    var name: SensorName? { kind.map(SensorName.ofApple) }

    /// The kind of sensor; nil where there is none, or an unknown one.
    var kind: SensorKind? { [1: .finger, 2: .face, 4: .iris][sensor] }

    var state: BiometryState {
        let isLockedOut = environment?.isLockedOut == true
        guard let obstacle else { return isLockedOut ? .lockedOut(.untilPasscode) : .ready }
        switch obstacle.failure.code {
        case .passcodeNotSet: return .passcodeNotSet
        case .lockedOut: return .lockedOut(.untilPasscode)
        // A system that does not look at its sensor while it is locked may report that no face or finger is enrolled.
        case .biometryNotEnrolled: return isLockedOut ? .lockedOut(.untilPasscode) : .notEnrolled
        default: break
        }
        if environment?.isCovered == true { return .lidClosed }
        guard obstacle == AppleStatus(domain: AppleStatus.localAuthentication, code: -6) else { return .unavailable }
        // "Not available" without a type of biometry (`LABiometryTypeNone`): the device supports none. On a device whose
        // sensor needs permission: the person has not given it to this app, or the management forbids it; the code is
        // the same.
        return sensor == 0 ? .absent : needsPermission ? .permissionDenied : .unavailable
    }

    /// Each app needs permission for Face ID and for Optic ID. Touch ID needs none, so the person is not sent to the
    /// settings.
    private var needsPermission: Bool { kind == .face || kind == .iris }
}
