/// The purpose of a key. A device holds at most one key of each kind for a server and account, and no key accepts two
/// factors: the server learns the factor from the key that signed.
public enum KeyKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Demands the sensor at each use.
    case biometric
    /// Demands the device passcode at each use.
    case passcode
    /// Demands the app's PIN at each use.
    case pin
    /// Signs without the person: it binds tokens and requests to the device, and proves no presence.
    case session

    /// The user verification that a key of this kind demands at each use.
    public var userVerification: UserVerification {
        switch self {
        case .biometric: .biometric
        case .passcode: .passcode
        case .pin: .pin
        case .session: .none
        }
    }
}

extension KeyKind: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
