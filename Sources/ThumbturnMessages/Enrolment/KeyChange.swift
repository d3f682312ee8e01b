public import ThumbturnCore

/// A change of the keys of a device that is enrolled: the `act` of a challenge of purpose `manage`.
public enum KeyChange: String, Hashable, Sendable, Codable, CaseIterable {
    /// A first PIN.
    case setPIN = "set-pin"
    /// A new PIN in the place of the current one.
    case changePIN = "change-pin"
    /// A new PIN in the place of a forgotten one.
    case resetPIN = "reset-pin"
    case removePIN = "remove-pin"
    /// A new biometric key: the old one was invalidated by a changed face or finger, or was removed.
    case replaceBiometric = "replace-biometric"
    case removeBiometric = "remove-biometric"

    /// The kind of key that changes.
    public var kind: KeyKind {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .removePIN: .pin
        case .replaceBiometric, .removeBiometric: .biometric
        }
    }

    /// Whether the change brings a new key. Then the first of the challenge's `kids` names that key.
    public var bringsKey: Bool {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .replaceBiometric: true
        case .removePIN, .removeBiometric: false
        }
    }
}
