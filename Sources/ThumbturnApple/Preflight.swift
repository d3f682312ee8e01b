import ThumbturnCore

/// What a system says of its sensor without asking anybody.
struct Preflight: Hashable, Sendable {
    /// Why the biometrics policy cannot be evaluated; nil where it can.
    var obstacle: AppleStatus?
    /// `LABiometryType` afterwards. It names the sensor of the device whether or not this app may use it.
    var sensor: Int
    /// What `LAEnvironment` says; nil where the system has none.
    var environment: SensorEnvironment?

    /// What the sensor looks at; nil where there is none, or none that has a name here.
    var kind: SensorKind? { [1: .finger, 2: .face, 4: .iris][sensor] }

    var state: BiometryState {
        let isLockedOut = environment?.isLockedOut == true
        guard let obstacle else { return isLockedOut ? .lockedOut(.untilPasscode) : .ready }
        switch obstacle.failure.code {
        case .passcodeNotSet: return .passcodeNotSet
        case .lockedOut: return .lockedOut(.untilPasscode)
        // A system that does not look at its sensor while it is locked may say that nobody is enrolled.
        case .biometryNotEnrolled: return isLockedOut ? .lockedOut(.untilPasscode) : .notEnrolled
        default: break
        }
        if environment?.isCovered == true { return .lidClosed }
        // "Not available" on a device with a sensor that asks for permission: the person has not allowed it to this app.
        let isDenied = obstacle == AppleStatus(domain: AppleStatus.localAuthentication, code: -6) && needsPermission
        return isDenied ? .permissionDenied : .unavailable
    }

    /// Each app asks for Face ID and for Optic ID. Touch ID needs no permission, so nobody is sent to the settings for one.
    private var needsPermission: Bool { kind == .face || kind == .iris }
}

/// What `LAEnvironment` says (iOS 18, macOS 15, visionOS 2).
struct SensorEnvironment: Hashable, Sendable {
    var isLockedOut: Bool
    /// The lid of a portable Mac covers its sensor.
    var isCovered: Bool
}
