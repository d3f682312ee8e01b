#if Server
import ThumbturnCore
import ThumbturnMessages

/// What a device's key may do to the other devices of its account.
enum DeviceChangeRules {
    /// What the new device may do that a device vouches for.
    enum Vouching: Hashable {
        /// At once what the old device may do.
        case full
        /// It cools off as if the password had brought it.
        case withCoolOff
        case none
    }

    /// A PIN can be watched, so it counts for less; a passcode may be known to others, so it counts for nothing.
    static func vouching(by factor: KeyKind) -> Vouching {
        switch factor {
        case .biometric: .full
        case .pin: .withCoolOff
        case .passcode, .session: .none
        }
    }

    /// Whether a session of this factor may remove a device with those keys: a factor is taken away by one that is worth as much.
    /// The passcode removes only what has nothing better.
    static func mayRemove(_ device: DeviceView, by factor: KeyKind) -> Bool {
        vouching(by: factor) != .none || device.keys.allSatisfy { vouching(by: $0.kind) == .none }
    }
}
#endif
