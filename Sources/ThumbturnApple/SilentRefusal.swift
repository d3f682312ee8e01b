import Foundation
import ThumbturnCore

/// What a use that may ask nobody tells by being refused, about an item that somebody has to unlock.
enum SilentRefusal: Hashable, Sendable {
    /// Somebody would have to be asked: it lives.
    case asks
    /// It lived, and is gone for good.
    case isGone
    /// The keychain's answer to everything that is not asking: dead, or the sensor cannot be asked now.
    case refused
    /// Nothing can be known.
    case unclear

    /// (domain, number): see the keychain's own flattening and CryptoTokenKit's numbers.
    init(_ status: Failure.PlatformStatus?) {
        switch (status?.domain, status?.code) {
        // Without a passcode whatever asked for it was destroyed.
        case (AppleStatus.localAuthentication, -5): self = .isGone
        // Not interactive, locked out, and so on: a prompt would tell more.
        case (AppleStatus.localAuthentication, _): self = .asks
        // Interaction is not allowed.
        case (NSOSStatusErrorDomain, -25308): self = .asks
        // Not found; cannot be decoded.
        case (NSOSStatusErrorDomain, -25300), (NSOSStatusErrorDomain, -26275): self = .isGone
        // Authentication failed.
        case (NSOSStatusErrorDomain, -25293), (AppleStatus.cryptoTokenKit, -5): self = .refused
        // Damaged; the key or its token was not found.
        case (AppleStatus.cryptoTokenKit, -3), (AppleStatus.cryptoTokenKit, -6), (AppleStatus.cryptoTokenKit, -7): self = .isGone
        // Authentication is needed.
        case (AppleStatus.cryptoTokenKit, -9): self = .asks
        default: self = .unclear
        }
    }

    /// Whether what was refused is dead: it is, unless the sensor that opens it could not be asked either.
    ///
    /// - Parameter isOfTheSet: whether it dies with the enrolled faces and fingers.
    static func isDead(_ kind: KeyKind, whileSensorIs state: BiometryState, isOfTheSet: Bool) -> Bool {
        guard kind == .biometric else { return true }
        switch state {
        case .ready, .passcodeNotSet: return true
        // The set that it belonged to had somebody in it.
        case .notEnrolled: return isOfTheSet
        case .lockedOut, .paused, .permissionDenied, .weak, .unconfirmed, .lidClosed, .switchedOff, .unavailable: return false
        }
    }

    /// Whether a key with an application password refused the password that it was given. With one given, "somebody has to be asked"
    /// means that it was not the right one.
    static func isWrongPassword(_ status: Failure.PlatformStatus?) -> Bool {
        switch (status?.domain, status?.code) {
        case (NSOSStatusErrorDomain, -25293), (NSOSStatusErrorDomain, -25308), (AppleStatus.localAuthentication, -1),
            (AppleStatus.localAuthentication, -1004),
            (AppleStatus.cryptoTokenKit, -5), (AppleStatus.cryptoTokenKit, -9):
            true
        default: false
        }
    }
}
