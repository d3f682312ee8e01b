/// The next step after a failure.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Recovery: Hashable, Sendable {
    case retry
    case wait(Duration)
    case fallBack(Rung)
    /// Sign in once and enrol again: the old key is gone for good.
    case reEnrol
    /// The person has to allow something, or set up the sensor, in the system's settings.
    case openSettings
    case setPasscode
    case signInAgain
    /// Nothing the person can do: tell the developers.
    case report

    /// The step in a sentence.
    public var advice: String {
        switch self {
        case .retry: "Try again."
        case .wait(let duration): "Try again in \(duration.wholeSecondsRoundedUp) seconds."
        case .fallBack(.biometric): "Use the sensor."
        case .fallBack(.devicePasscode): "Use the device passcode."
        case .fallBack(.appPIN): "Use your PIN."
        case .fallBack(.fullCredentials), .signInAgain: "Sign in with your account."
        case .reEnrol: "Sign in once to set this device up again."
        case .openSettings: "Check the settings of this device."
        case .setPasscode: "Set a device passcode first."
        case .report: "This needs the developers of the app."
        }
    }
}
