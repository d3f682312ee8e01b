import ThumbturnCore

/// The meaning of a key's refusal, seen without a prompt.
enum KeyVerdict {
    /// The state of a key that refused to begin an operation.
    ///
    /// `KeyPermanentlyInvalidatedException` is thrown for a key that is not there, too, and for a sensor that is not ready yet.
    /// So a key is dead only where its alias is still there and the sensor answers for itself; see ``Look/isTrusted``.
    ///
    /// - Parameters:
    ///   - look: what was found.
    ///   - kind: the kind of key.
    static func state(_ look: Look, of kind: NewKeyKind) -> KeyState {
        guard look.exists else { return .missing }
        let thrown = look.thrown
        if thrown.saysInvalidated { return look.isTrusted(kind) ? .invalidated(look.loss(of: kind)) : .usable }
        let failure = thrown.failure
        switch failure.code {
        case .keyInvalidated: return .invalidated(.unknown)
        case .notYetReadable: return .notYetReadable
        // Nothing is known about the key, also where the Keystore says that it does not exist while its alias is there: its use
        // will tell.
        default: return .usable
        }
    }

    /// What was found about a key.
    struct Look: Sendable {
        /// Whether the alias is there.
        var exists: Bool
        /// What the begin of an operation threw.
        var thrown: AndroidThrown
        var biometry: BiometryState
        var hasLockScreen: Bool

        /// Whether "permanently invalidated" can be believed. A key behind the sensor needs a sensor that answers for itself: one
        /// that is not ready looks the same. Without a lock screen, or without an enrolled finger, no key behind them is alive.
        func isTrusted(_ kind: NewKeyKind) -> Bool {
            guard kind.kind == .biometric, hasLockScreen else { return true }
            switch biometry {
            case .ready, .notEnrolled, .passcodeNotSet: return true
            case .lockedOut, .paused, .permissionDenied, .weak, .unconfirmed, .lidClosed, .switchedOff, .forbidden, .absent,
                .unavailable:
                return false
            }
        }

        /// Why the key is gone.
        func loss(of kind: NewKeyKind) -> KeyLoss {
            switch kind {
            // No change of the person's invalidates them.
            case .session, .pin, .secrets: .unknown
            case .biometric, .vaultBiometric: hasLockScreen ? .enrolmentChanged : .passcodeRemoved
            // No enrolment ends them: the lock screen was removed, and another one may be set now.
            case .vaultAnyBiometric, .passcode, .vaultPasscode: .passcodeRemoved
            }
        }
    }
}
