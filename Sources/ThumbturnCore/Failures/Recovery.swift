/// The next step after a failure.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Recovery: Hashable, Sendable {
    /// Ask again.
    case retry
    /// Wait for this time, and ask again.
    case wait(Duration)
    /// Ask this rung instead.
    case fallBack(Rung)
    /// Sign in once and enrol again: the old key is gone for good.
    case reEnrol
    /// The person has to allow something, or set up the sensor, in the system's settings.
    case openSettings
    /// The person has to set a device passcode in the system's settings.
    case setPasscode
    /// The person has to sign in with the account.
    case signInAgain
    /// The person can do nothing: tell the developers.
    case report

    /// The step as a text for the person.
    public var message: PersonMessage {
        switch self {
        case .retry: PersonMessage(.onceMore)
        case .wait(let time): .wait(time)
        case .fallBack(let rung): rung.announcement
        case .reEnrol: PersonMessage(.setUpAgain)
        case .openSettings: PersonMessage(.checkSettings)
        case .setPasscode: PersonMessage(.passcodeNotSet)
        case .signInAgain: PersonMessage(.signInToGoOn)
        case .report: PersonMessage(.contactSupport)
        }
    }

    /// The button that takes the step; nil where there is nothing to press.
    public var button: PersonMessage? {
        switch self {
        case .retry: PersonMessage(.tryAgain)
        case .fallBack(let rung): rung.button
        case .reEnrol, .signInAgain: PersonMessage(.signIn)
        case .openSettings, .setPasscode: PersonMessage(.openSettings)
        case .wait, .report: nil
        }
    }
}

extension Recovery: CustomStringConvertible {
    public var description: String {
        switch self {
        case .retry: "retry"
        case .wait(let time): "wait for \(time)"
        case .fallBack(let rung): "fall back to \(rung)"
        case .reEnrol: "enrol again"
        case .openSettings: "open the settings"
        case .setPasscode: "set a device passcode"
        case .signInAgain: "sign in again"
        case .report: "report to the developers"
        }
    }
}
