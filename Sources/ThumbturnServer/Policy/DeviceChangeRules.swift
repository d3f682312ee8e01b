#if Server
import ThumbturnCore
import ThumbturnMessages

/// What a device's key may do to the other devices of its account.
enum DeviceChangeRules {
    /// What it is worth that a device vouches for another one.
    enum Word: Hashable {
        /// The new device may do at once what the old one may.
        case decides
        /// The new device cools off as if the password had brought it.
        case needsCoolOff
        case doesNotCount
    }

    /// A PIN can be watched and a passcode may be anybody's, so the one counts for less and the other for nothing. A biometric key
    /// that the passcode brought is worth what the passcode is.
    static func word(of kind: KeyKind, _ origin: KeyOrigin) -> Word {
        switch kind {
        case .biometric: origin == .passcode ? .doesNotCount : .decides
        case .pin: origin == .passcode ? .doesNotCount : .needsCoolOff
        case .passcode, .session: .doesNotCount
        }
    }

    /// Whether a session of this key may remove a device with those keys: a factor is taken away by one that is worth as much. The
    /// passcode removes only what has nothing better.
    static func mayRemove(_ device: DeviceView, by kind: KeyKind, _ origin: KeyOrigin) -> Bool {
        word(of: kind, origin) != .doesNotCount || device.keys.allSatisfy { word(of: $0.kind, .credentials) == .doesNotCount }
    }
}
#endif
