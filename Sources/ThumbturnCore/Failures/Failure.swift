/// Why something did not work, with the next step to take.
///
/// `description` is safe to show to anyone. The raw status of the platform is kept for bug reports.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A closed set of reasons that may grow: match with `==`, and keep a default.
    public struct Code: Hashable, Sendable {
        /// The name as it stands here, for logs and telemetry.
        public let name: String

        /// The person pressed the prompt's cancel button.
        public static let cancelledByUser = Code(name: "cancelledByUser")
        /// The system took the prompt away: a call, another app in front.
        public static let cancelledBySystem = Code(name: "cancelledBySystem")
        /// The app cancelled the task, or dismissed the prompt.
        public static let cancelledByApp = Code(name: "cancelledByApp")
        /// Another prompt took this one's place.
        public static let superseded = Code(name: "superseded")

        /// The sensor saw somebody else, or too little.
        public static let notMatched = Code(name: "notMatched")
        /// Nobody answered the prompt in time.
        public static let timedOut = Code(name: "timedOut")
        /// Too many mismatches: the sensor is refused until another factor has succeeded.
        public static let lockedOut = Code(name: "lockedOut")
        /// Too many mismatches or wrong PINs: this rung pauses, and ends its pause by itself.
        public static let paused = Code(name: "paused")
        /// The new PIN is one that a thief tries first: it has to be another.
        public static let pinEasilyGuessed = Code(name: "pinEasilyGuessed")
        /// There is a sensor, and nobody has set it up.
        public static let biometryNotEnrolled = Code(name: "biometryNotEnrolled")
        /// There is no sensor, or it cannot be used now.
        public static let biometryUnavailable = Code(name: "biometryUnavailable")
        /// The device's sensor is too weak to unlock a key.
        public static let biometryTooWeak = Code(name: "biometryTooWeak")
        /// The system was upgraded: a stronger rung has to confirm once that the enrolled faces and fingers are still this person's.
        public static let biometryUnconfirmed = Code(name: "biometryUnconfirmed")
        /// The device has no passcode.
        public static let passcodeNotSet = Code(name: "passcodeNotSet")
        /// The person has not allowed this app to use the sensor.
        public static let permissionDenied = Code(name: "permissionDenied")

        /// The key is gone for good: a new face or finger was enrolled, the passcode was removed, or the PIN was wrong too often.
        public static let keyInvalidated = Code(name: "keyInvalidated")
        /// This device has no key that could answer.
        public static let notEnrolled = Code(name: "notEnrolled")
        /// The device has not been unlocked since it started. Never a reason to sign anybody out.
        public static let notYetReadable = Code(name: "notYetReadable")
        /// `enrol` was told to fail if the device is enrolled, and it is.
        public static let alreadyEnrolled = Code(name: "alreadyEnrolled")

        /// The server does not accept what was sent. It does not say which part.
        public static let refused = Code(name: "refused")
        /// There is no live session: nobody signed in, it ended, or the device was revoked.
        public static let sessionOver = Code(name: "sessionOver")
        /// The server does not answer, or cannot now.
        public static let unreachable = Code(name: "unreachable")
        /// The server answered something that it should not have: a fault, or somebody in between.
        public static let unexpectedAnswer = Code(name: "unexpectedAnswer")

        /// The policy's ladder is empty.
        public static let policyDenies = Code(name: "policyDenies")
        /// The app gave no reason to show.
        public static let reasonMissing = Code(name: "reasonMissing")
        /// The server's address is neither https nor this machine itself.
        public static let insecureServer = Code(name: "insecureServer")
        /// The platform failed in a way that has no name here; see `status`.
        public static let platform = Code(name: "platform")
    }

    /// The raw status that the operating system gave: always the pair, because a code means nothing without its domain.
    public struct PlatformStatus: Hashable, Sendable {
        /// For example an error domain of Apple's, or `HTTP`.
        public var domain: String
        /// The number within the domain.
        public var code: Int

        /// A raw status.
        public init(domain: String, code: Int) {
            self.domain = domain
            self.code = code
        }
    }

    /// What happened.
    public var code: Code
    /// What to do next.
    public var recovery: Recovery
    /// What the platform said, where it said something.
    public var status: PlatformStatus?

    /// A failure with its next step.
    public init(_ code: Code, recovery: Recovery, status: PlatformStatus? = nil) {
        self.code = code
        self.recovery = recovery
        self.status = status
    }

    public var description: String { "\(code.name): \(recovery.advice)" }

    public var debugDescription: String {
        guard let status else { return description }
        return "\(description) (\(status.domain) \(status.code))"
    }
}

/// The next step after a failure.
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
