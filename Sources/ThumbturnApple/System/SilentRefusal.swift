import Foundation
import ThumbturnCore

/// The meaning of a refusal when an item with user verification was used without a prompt.
enum SilentRefusal: Hashable, Sendable {
    /// A prompt would be needed: the item is usable.
    case asks
    /// The item existed and is gone for good.
    case isGone
    /// The keychain's answer to everything else: the item is invalidated, or the sensor cannot be asked now.
    case refused
    /// The refusal says nothing about the item.
    case unclear

    /// Translates a status. The keychain reduces many errors to a few codes; CryptoTokenKit has its own.
    init(_ status: Failure.PlatformStatus?) {
        if let status, AppleStatus(status).isOfADeadKey {
            self = .isGone
            return
        }
        switch (status?.domain, status?.code) {
        // Removing the passcode destroyed every item that needed it.
        case (AppleStatus.localAuthentication, -5): self = .isGone
        // Its access control does not allow the use, whatever the person shows.
        case (AppleStatus.localAuthentication, -1009): self = .refused
        // Not interactive, locked out, and so on: only a prompt would tell more.
        case (AppleStatus.localAuthentication, _): self = .asks
        // Interaction is not allowed.
        case (NSOSStatusErrorDomain, -25308): self = .asks
        // Not found; cannot be decoded.
        case (NSOSStatusErrorDomain, -25300), (NSOSStatusErrorDomain, -26275): self = .isGone
        // Authentication failed; damaged, which CryptoTokenKit reports for whatever the Secure Enclave refuses.
        case (NSOSStatusErrorDomain, -25293), (AppleStatus.cryptoTokenKit, -5), (AppleStatus.cryptoTokenKit, -3):
            self = .refused
        // The key was not found. "Token not found" (-7) says nothing about the key.
        case (AppleStatus.cryptoTokenKit, -6): self = .isGone
        // Authentication is needed.
        case (AppleStatus.cryptoTokenKit, -9): self = .asks
        default: self = .unclear
        }
    }

    /// Whether a refused item is invalidated. It is, unless its sensor could not be asked.
    ///
    /// - Parameter isOfTheSet: whether a change of the enrolled faces and fingers invalidates it.
    static func isDead(_ kind: KeyKind, whileSensorIs state: BiometryState, isOfTheSet: Bool) -> Bool {
        guard kind == .biometric else { return true }
        switch state {
        case .ready, .passcodeNotSet: return true
        // The set that the item belonged to was not empty.
        case .notEnrolled: return isOfTheSet
        case .lockedOut, .paused, .permissionDenied, .weak, .unconfirmed, .lidClosed, .switchedOff, .forbidden, .absent,
            .unavailable:
            return false
        }
    }

    /// Whether a key with an application password may have refused the password that it was given. The status of a
    /// wrong password is not documented, and the count on this device is the only limit on a thief's guesses. So every
    /// status that does not certainly mean "not judged" counts as a wrong password.
    static func mayBeAWrongPassword(_ status: Failure.PlatformStatus?) -> Bool {
        guard let status else { return false }
        return !judgedNothing.contains(AppleStatus(status))
    }

    /// A full disk, or a token that cannot be reached, may be noticed only after the password was judged; a wrong parameter
    /// may be the password; and a key that was looked up a moment ago is hardly "not found". A status with a code of the
    /// Secure Enclave is none of these: the Secure Enclave was asked.
    private static let judgedNothing: Set<AppleStatus> = [
        // No entitlement.
        AppleStatus(-34018),
        // The context was invalidated before it was used.
        AppleStatus(domain: AppleStatus.localAuthentication, code: -10),
    ]
}
