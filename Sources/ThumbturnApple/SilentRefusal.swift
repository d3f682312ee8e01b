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
        // Damaged; the key was not found. That the token was not found (-7) says nothing of the key.
        case (AppleStatus.cryptoTokenKit, -3), (AppleStatus.cryptoTokenKit, -6): self = .isGone
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

    /// Whether a key with an application password may have refused the password that it was given. What a wrong one looks like is written
    /// nowhere, and the count on this device is the only limit that a thief meets. So whatever does not say for certain that nothing was
    /// judged counts as a wrong one.
    static func mayBeAWrongPassword(_ status: Failure.PlatformStatus?) -> Bool {
        guard let status else { return false }
        return !judgedNothing.contains(AppleStatus(domain: status.domain, code: status.code))
    }

    private static let judgedNothing: Set<AppleStatus> = [
        // Disk, input and output, memory; our own mistake; not found; no entitlement.
        AppleStatus(-34), AppleStatus(-36), AppleStatus(-108), AppleStatus(-50), AppleStatus(-25300), AppleStatus(-34018),
        // No connection to the token; no such key; no such token.
        AppleStatus(domain: AppleStatus.cryptoTokenKit, code: -2), AppleStatus(domain: AppleStatus.cryptoTokenKit, code: -6),
        AppleStatus(domain: AppleStatus.cryptoTokenKit, code: -7),
        // The context was over.
        AppleStatus(domain: AppleStatus.localAuthentication, code: -9),
        AppleStatus(domain: AppleStatus.localAuthentication, code: -10),
    ]
}
