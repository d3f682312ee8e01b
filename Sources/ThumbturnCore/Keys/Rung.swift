/// A step of the fallback ladder, from the most convenient to the full sign-in.
public enum Rung: String, Hashable, Sendable, Codable, CaseIterable {
    /// The sensor: a face, a finger, an iris.
    case biometric
    /// The passcode, PIN or pattern that unlocks the device.
    case devicePasscode
    /// The PIN that belongs to this app.
    case appPIN
    /// The full sign-in, for example password and one-time code.
    case fullCredentials

    /// The kind of key that signs for this rung; nil for the full sign-in.
    public var key: KeyKind? {
        switch self {
        case .biometric: .biometric
        case .devicePasscode: .passcode
        case .appPIN: .pin
        case .fullCredentials: nil
        }
    }
}

extension Rung: CustomStringConvertible {
    public var description: String {
        switch self {
        case .biometric: "biometric"
        case .devicePasscode: "device passcode"
        case .appPIN: "app PIN"
        case .fullCredentials: "full sign-in"
        }
    }
}

extension Rung {
    /// The name of the rung, as in a list of settings.
    public var name: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.biometricsName)
        case .devicePasscode: PersonMessage(.passcodeName)
        case .appPIN: PersonMessage(.pinName)
        case .fullCredentials: PersonMessage(.fullCredentialsName)
        }
    }

    /// The button that leads to the rung.
    public var button: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.useBiometrics)
        case .devicePasscode: PersonMessage(.usePasscode)
        case .appPIN: PersonMessage(.usePIN)
        case .fullCredentials: PersonMessage(.signIn)
        }
    }

    /// The hint beside an unanswered prompt that offers this rung instead.
    public var hint: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.hintBiometrics)
        case .devicePasscode: PersonMessage(.hintPasscode)
        case .appPIN: PersonMessage(.hintPIN)
        case .fullCredentials: PersonMessage(.hintSignIn)
        }
    }

    /// The announcement that the ladder moves to this rung.
    public var announcement: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.nowBiometrics)
        case .devicePasscode: PersonMessage(.nowPasscode)
        case .appPIN: PersonMessage(.nowPIN)
        case .fullCredentials: PersonMessage(.nowSignIn)
        }
    }
}
