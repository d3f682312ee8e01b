/// A step of the fallback ladder, strongest convenience first.
public enum Rung: String, Hashable, Sendable, Codable, CaseIterable {
    /// The sensor: a face, a finger, an iris.
    case biometric
    /// The passcode, PIN or pattern that unlocks the device.
    case devicePasscode
    /// The PIN that belongs to this app.
    case appPIN
    /// The full sign-in, for example password and one-time code.
    case fullCredentials

    /// The kind of key that answers for this rung; nil where no key does.
    public var key: KeyKind? {
        switch self {
        case .biometric: .biometric
        case .devicePasscode: .passcode
        case .appPIN: .pin
        case .fullCredentials: nil
        }
    }
}

/// What a key is for. A device holds at most one key of each kind for a server and account, and no key accepts two factors:
/// the server learns the factor from the key that signed.
public enum KeyKind: String, Hashable, Sendable, Codable, CaseIterable {
    case biometric
    case passcode
    case pin
    /// Signs without the person: it binds tokens and requests to the device, and proves no presence.
    case session

    /// What a key of this kind demands of the person at each use.
    public var userVerification: UserVerification {
        switch self {
        case .biometric: .biometric
        case .passcode: .passcode
        case .pin: .pin
        case .session: .none
        }
    }
}
