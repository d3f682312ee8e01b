/// The state of one key, found without a prompt.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyState: Hashable, Sendable {
    /// The key is there and can be used.
    case usable
    /// There is no such key.
    case missing
    /// The key existed and is gone for good.
    case invalidated(KeyLoss)
    /// The key exists and takes no guess for this long, after too many consecutive wrong PINs.
    case paused(for: Duration)
    /// The device has not been unlocked since it started. This never means signed out.
    case notYetReadable
}

/// Why a key is gone for good.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyLoss: String, Hashable, Sendable, Codable, CaseIterable {
    /// A face or finger was enrolled or removed.
    case enrolmentChanged
    /// The device passcode was removed.
    case passcodeRemoved
    /// The PIN was wrong too often in a row.
    case wrongPINs
    /// The key's records came back from a backup; the key itself never leaves its device.
    case restored
    /// The platform gives no reason.
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
    public var isDead: Bool { loss != nil }

    /// Why the key is gone for good; nil where it is not.
    var loss: KeyLoss? {
        guard case .invalidated(let loss) = self else { return nil }
        return loss
    }

    /// The state with the reason that the sensor shows, where the platform gives none for a key that is gone.
    package func explained(by biometry: BiometryState, _ enrolment: EnrolmentMark.Change) -> KeyState {
        guard self == .invalidated(.unknown) else { return self }
        return switch (biometry, enrolment) {
        case (.passcodeNotSet, _): .invalidated(.passcodeRemoved)
        case (.notEnrolled, _), (_, .changed): .invalidated(.enrolmentChanged)
        default: self
        }
    }

    /// Why the key cannot be asked, with the next step; nil where it can.
    package var obstacle: Failure? {
        switch self {
        case .usable: nil
        case .missing: Failure(.notEnrolled)
        case .invalidated: Failure(.keyInvalidated)
        case .paused(let duration): Failure.paused(for: duration)
        case .notYetReadable: Failure(.notYetReadable)
        }
    }

    /// The text that a screen shows beside a key that cannot be used now; nil for one that can.
    public var message: PersonMessage? {
        switch self {
        case .usable: nil
        case .missing: PersonMessage(.setUpThisDevice)
        case .invalidated(.wrongPINs): PersonMessage(.pinUsedUp)
        case .invalidated: PersonMessage(.setUpAgain)
        case .paused(let time): .pinPaused(for: time)
        case .notYetReadable: PersonMessage(.unlockDeviceFirst)
        }
    }
}

extension KeyState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .usable: "usable"
        case .missing: "missing"
        case .invalidated(let loss): "invalidated (\(loss.rawValue))"
        case .paused(let duration): "paused for \(duration)"
        case .notYetReadable: "not yet readable"
        }
    }
}

extension KeyLoss: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
