/// The state of the device's biometry, found without a prompt.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum BiometryState: Hashable, Sendable {
    case ready
    /// There is a sensor, but nobody has set it up.
    case notEnrolled
    /// Too many mismatches: the operating system, or our own count, refuses until something else is entered, or for a while.
    case lockedOut(Lockout)
    /// Too many mismatches in a short time, by our own count: the sensor is not asked for so long.
    case paused(for: Duration)
    /// The person has not allowed this app to use the sensor.
    case permissionDenied
    /// The sensor is too weak to unlock a key (Android's Class 2).
    case weak
    /// The system was upgraded and tells the enrolled faces and fingers by another value: a stronger rung confirms the person once.
    case unconfirmed
    /// The device has no passcode, and without one its system uses no sensor.
    case passcodeNotSet
    /// The lid of the computer covers the sensor.
    case lidClosed
    /// The person switched the sensor off for all apps.
    case switchedOff
    /// There is no sensor, or it cannot be used now.
    case unavailable
}

/// What a sensor looks at.
public enum SensorKind: String, Hashable, Sendable, Codable, CaseIterable {
    case face
    case finger
    case iris
}

extension BiometryState {
    /// Why the sensor cannot be asked, with the next step; nil where it can.
    public var obstacle: Failure? {
        switch self {
        case .ready: nil
        case .notEnrolled: Failure(.biometryNotEnrolled)
        // 30 s on Android, whose lockout it is; how much of it is left nobody tells.
        case .lockedOut(.temporary): Failure(.lockedOut, recovery: .wait(.seconds(30)))
        case .lockedOut: Failure(.lockedOut)
        case .paused(let duration): Failure(.paused, recovery: .wait(duration))
        case .permissionDenied: Failure(.permissionDenied)
        case .weak: Failure(.biometryTooWeak)
        case .passcodeNotSet: Failure(.passcodeNotSet)
        case .unconfirmed: Failure(.biometryUnconfirmed)
        case .lidClosed: Failure(.biometryUnavailable)
        case .switchedOff: Failure(.biometryUnavailable, recovery: .openSettings)
        case .unavailable: Failure(.biometryUnavailable)
        }
    }
}

/// The two lockouts that operating systems know, and ours.
public enum Lockout: String, Hashable, Sendable, Codable {
    /// Ends by itself after a while.
    case temporary
    /// Ends when the device passcode is entered.
    case untilPasscode
    /// Our own, after very many mismatches: ends when the passcode, the PIN or the full sign-in succeeds.
    case untilStrongerRung
}

/// The state of one key, found without a prompt.
public enum KeyState: Hashable, Sendable {
    case usable
    case missing
    /// The key existed and is gone for good.
    case invalidated(KeyLoss)
    /// The key is there and takes no guess for so long: the PIN was wrong too often in a row.
    case paused(for: Duration)
    /// The device has not been unlocked since it started. This never means signed out.
    case notYetReadable
}

extension KeyState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usable: "usable"
        case .missing: "missing"
        case .invalidated(let loss): "invalidated (\(loss.rawValue))"
        case .paused(let duration): "paused for \(duration)"
        case .notYetReadable: "notYetReadable"
        }
    }
}

/// Why a key is gone for good.
public enum KeyLoss: String, Hashable, Sendable, Codable, CaseIterable {
    /// A face or finger was enrolled or removed.
    case enrolmentChanged
    /// The device passcode was removed.
    case passcodeRemoved
    /// The PIN was wrong too often in a row.
    case wrongPINs
    /// What stood beside the key came back from a backup; the key never leaves its device.
    case restored
    /// The platform does not say.
    case unknown
}

extension KeyState {
    /// Whether the key can sign, now or after a pause.
    public var isAlive: Bool {
        switch self {
        case .usable, .paused: true
        case .missing, .invalidated, .notYetReadable: false
        }
    }

    /// Whether the key existed and is gone for good.
    public var isDead: Bool {
        if case .invalidated = self { true } else { false }
    }
}

/// One silent, total answer to "what can this person do now?".
public struct Readiness: Hashable, Sendable {
    /// The state of the sensor.
    public var biometry: BiometryState
    /// The state of each key. A kind that is not listed is missing.
    public var keys: [KeyKind: KeyState]
    /// The rungs that the policy would ask, in order.
    public var ladder: [Rung]
    /// What the system hints about the enrolled faces and fingers since a person was last confirmed. Keys die by themselves; this only
    /// helps to explain it.
    public var enrolment: EnrolmentMark.Change

    /// What a device found.
    public init(
        biometry: BiometryState, keys: [KeyKind: KeyState], ladder: [Rung], enrolment: EnrolmentMark.Change = .unknown
    ) {
        self.biometry = biometry
        self.keys = keys
        self.ladder = ladder
        self.enrolment = enrolment
    }

    /// The rung that would be asked first; `fullCredentials` when the person has to sign in.
    public var nextRung: Rung { ladder.first { isUsable($0) } ?? .fullCredentials }

    /// The state of one key.
    public func state(of kind: KeyKind) -> KeyState { keys[kind] ?? .missing }

    /// Whether a rung can be asked now. The full sign-in always can.
    public func isUsable(_ rung: Rung) -> Bool {
        guard let key = rung.key else { return true }
        // Every proof is redeemed with the session key, so without it no other key is of use.
        guard state(of: .session) == .usable, state(of: key) == .usable else { return false }
        return rung != .biometric || biometry == .ready
    }

    /// Whether this device is enrolled. Derived from the keys at each call, never stored. A key that pauses is still a key.
    public var isEnrolled: Bool {
        state(of: .session) == .usable && [KeyKind.biometric, .passcode, .pin].contains { state(of: $0).isAlive }
    }
}
