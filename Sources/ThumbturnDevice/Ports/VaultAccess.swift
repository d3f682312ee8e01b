public import ThumbturnCore

/// The rungs that open a vault. The platform enforces it, not this library: behind each rung there is a copy of the
/// vault's key.
public enum VaultAccess: String, Hashable, Sendable, Codable, CaseIterable {
    /// The faces and fingers that were enrolled when the vault was made. Any change to them destroys the vault's
    /// contents, so store here only what can be fetched or made again.
    case biometryCurrentSet
    /// Any face or finger that is enrolled, also later. A person who knows the passcode can enrol one.
    case biometryAny
    /// Any enrolled face or finger, or the device passcode.
    case userPresence
    /// Only the device passcode.
    case passcode

    /// The rungs that open the vault, in the order in which they are asked.
    public var rungs: [Rung] {
        switch self {
        case .biometryCurrentSet, .biometryAny: [.biometric]
        case .userPresence: [.biometric, .devicePasscode]
        case .passcode: [.devicePasscode]
        }
    }
}

extension VaultAccess: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
