/// The state of the device's biometry, found without a prompt.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum BiometryState: Hashable, Sendable {
    /// The sensor is set up and can be asked.
    case ready
    /// There is a sensor, but no face or finger is enrolled.
    case notEnrolled
    /// Too many mismatches: the operating system, or the library's own count, refuses the sensor for a while or until
    /// another factor succeeds.
    case lockedOut(Lockout)
    /// Too many mismatches in a short time, by the library's own count: the sensor is not asked for this long.
    case paused(for: Duration)
    /// The person has not allowed this app to use the sensor.
    ///
    /// Apple's systems give a denied permission, a sensor that is switched off for all apps, and one that the management
    /// of the device forbids the same code (-6 of `LAError`), so on a device with Face ID or Optic ID each of them is told
    /// as this.
    case permissionDenied
    /// The sensor is too weak to unlock a key (Android's Class 2).
    case weak
    /// The system was upgraded and reports another value for the enrolled faces and fingers: a stronger rung has to
    /// confirm the person once.
    case unconfirmed
    /// The device has no passcode, and its system uses no sensor without one.
    case passcodeNotSet
    /// The lid of the computer covers the sensor.
    case lidClosed
    /// The person switched the sensor off for all apps.
    case switchedOff
    /// The management of the device does not allow the sensor, as far as a system tells: Linux, by the rules of its
    /// administrator. Apple's systems do not tell; see `permissionDenied` and `unavailable`.
    case forbidden
    /// The device has no sensor.
    case absent
    /// There is a sensor, and it cannot be used now; the system does not say why. With Touch ID the management of the
    /// device may forbid it.
    case unavailable
}

extension BiometryState {
    /// Why the sensor cannot be asked, with the next step; nil where it can.
    public var obstacle: Failure? {
        switch self {
        case .ready: nil
        case .notEnrolled: Failure(.biometryNotEnrolled)
        // Android's lockout lasts 30 s, and does not tell how much of it is left.
        case .lockedOut(.temporary): .lockedOut(.temporary, recovery: .wait(.seconds(30)))
        case .lockedOut(.untilPasscode): .lockedOut(.untilPasscode, recovery: .fallBack(.devicePasscode))
        // The full sign-in lifts it under every policy; `Readiness` knows the ladder, and names a nearer rung.
        case .lockedOut(.untilStrongerRung): .lockedOut(.untilStrongerRung, recovery: .fallBack(.fullCredentials))
        case .paused(let duration): Failure.paused(for: duration)
        case .permissionDenied: Failure(.permissionDenied)
        case .weak: Failure(.biometryTooWeak)
        case .passcodeNotSet: Failure(.passcodeNotSet)
        case .unconfirmed: Failure(.biometryUnconfirmed)
        case .lidClosed: Failure(.biometryUnavailable)
        case .switchedOff: Failure(.biometryUnavailable, recovery: .openSettings)
        case .forbidden: Failure(.biometryForbidden)
        case .absent: Failure(.biometryAbsent)
        case .unavailable: Failure(.biometryUnavailable)
        }
    }

    /// The text that a screen shows beside the sensor; nil where it is ready.
    public var message: PersonMessage? {
        switch self {
        case .ready: nil
        case .paused(let time): .sensorRests(for: time)
        case .lidClosed: PersonMessage(.lidClosed)
        // The same text as after a prompt that meets this state.
        case .notEnrolled, .lockedOut, .permissionDenied, .weak, .unconfirmed, .passcodeNotSet, .switchedOff, .forbidden,
            .absent, .unavailable:
            obstacle?.message
        }
    }
}

extension BiometryState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ready: "ready"
        case .notEnrolled: "not enrolled"
        case .lockedOut(.temporary): "locked out for a while"
        case .lockedOut(.untilPasscode): "locked out until the device passcode is entered"
        case .lockedOut(.untilStrongerRung): "locked out until a stronger rung succeeds"
        case .paused(let duration): "paused for \(duration)"
        case .permissionDenied: "not permitted"
        case .weak: "too weak"
        case .unconfirmed: "unconfirmed after a system upgrade"
        case .passcodeNotSet: "no device passcode"
        case .lidClosed: "covered by the lid"
        case .switchedOff: "switched off"
        case .forbidden: "not allowed by the device's management"
        case .absent: "no sensor"
        case .unavailable: "unavailable"
        }
    }
}
