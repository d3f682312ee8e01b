#if Server
import ThumbturnCore
import ThumbturnMessages

/// The rules for changes that a device makes to the other devices of its account.
enum DeviceChangeRules {
    /// The rights of a new device that another device vouches for.
    enum Vouching: Hashable {
        /// The same rights as the vouching device, without a cool-off.
        case full
        /// A cool-off, as after an enrolment with the password.
        case withCoolOff
        case none
    }

    /// The rights of a new device by the factor of the vouching session. A PIN can be watched, so the new device cools
    /// off; a passcode may be known to others, so a session of this factor cannot vouch.
    static func vouching(by factor: KeyKind) -> Vouching {
        switch factor {
        case .biometric: .full
        case .pin: .withCoolOff
        case .passcode, .session: .none
        }
    }

    /// Whether a session may rename or remove a device, as far as the cool-off decides it: during its cool-off a device
    /// changes no other device. A visit changes none. It is judged with the request, and again in the transaction of the
    /// change.
    static func mayChange(_ device: DeviceID, by session: SessionView, at now: UnixTime) -> Bool {
        guard let standing = session.standing(at: now) else { return false }
        return device == session.device || !standing.coolsOff
    }

    /// Whether a session of this factor may remove a device. A session that can vouch may remove every device; the
    /// passcode may remove only a device whose keys cannot vouch either.
    static func mayRemove(_ device: DeviceView, by factor: KeyKind) -> Bool {
        vouching(by: factor) != .none || device.keys.allSatisfy { vouching(by: $0.kind) == .none }
    }
}
#endif
