public import ThumbturnCore

/// A change of the keys of a device that is enrolled: the `act` of a challenge of purpose `manage`.
public enum KeyChange: String, Hashable, Sendable, Codable, CaseIterable {
    /// A first PIN.
    case setPIN = "set-pin"
    /// Another PIN in the place of one that is there.
    case changePIN = "change-pin"
    /// A new PIN for somebody who forgot the old one.
    case resetPIN = "reset-pin"
    case removePIN = "remove-pin"
    /// A new biometric key: the old one died with a changed face or finger, or was removed.
    case replaceBiometric = "replace-biometric"
    case removeBiometric = "remove-biometric"

    /// Which of the device's keys it is about.
    public var kind: KeyKind {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .removePIN: .pin
        case .replaceBiometric, .removeBiometric: .biometric
        }
    }

    /// Whether there is a new key afterwards. Of such a change the first of the challenge's `kids` names that key.
    public var bringsKey: Bool {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .replaceBiometric: true
        case .removePIN, .removeBiometric: false
        }
    }
}
