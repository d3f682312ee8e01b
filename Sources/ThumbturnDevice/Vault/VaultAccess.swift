public import ThumbturnCore

/// What opens a vault. The platform keeps to it, not this library: for each rung there is a copy of the vault's key behind that rung.
public enum VaultAccess: String, Hashable, Sendable, Codable, CaseIterable {
    /// The faces and fingers that were enrolled when the vault was made. Any change to them ends the vault: its contents are gone,
    /// so keep here only what can be fetched or made again.
    case biometryCurrentSet
    /// Any face or finger that is enrolled, also later. Whoever knows the passcode can enrol one.
    case biometryAny
    /// Any enrolled face or finger, or the device passcode.
    case userPresence
    /// The device passcode alone.
    case passcode

    /// The rungs that open the vault, in the order in which people like them.
    public var rungs: [Rung] {
        switch self {
        case .biometryCurrentSet, .biometryAny: [.biometric]
        case .userPresence: [.biometric, .devicePasscode]
        case .passcode: [.devicePasscode]
        }
    }
}
