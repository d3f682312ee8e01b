/// Why something did not work, with the next step to take.
///
/// `description` is safe to show to anyone. The raw status of the platform is kept for bug reports.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A closed set of reasons that may grow: match with `==`, and keep a default.
    public struct Code: Hashable, Sendable {
        public let name: String

        // How a prompt ended without an answer.
        public static let cancelledByUser = Code(name: "cancelledByUser")
        public static let cancelledBySystem = Code(name: "cancelledBySystem")
        public static let cancelledByApp = Code(name: "cancelledByApp")
        /// Another prompt took this one's place.
        public static let superseded = Code(name: "superseded")

        // The sensor.
        public static let notMatched = Code(name: "notMatched")
        public static let timedOut = Code(name: "timedOut")
        public static let lockedOut = Code(name: "lockedOut")
        public static let biometryNotEnrolled = Code(name: "biometryNotEnrolled")
        public static let biometryUnavailable = Code(name: "biometryUnavailable")
        public static let permissionDenied = Code(name: "permissionDenied")

        // The keys.
        public static let keyInvalidated = Code(name: "keyInvalidated")
        public static let notEnrolled = Code(name: "notEnrolled")
        public static let notYetReadable = Code(name: "notYetReadable")
        public static let alreadyEnrolled = Code(name: "alreadyEnrolled")

        // The server.
        public static let refused = Code(name: "refused")
        public static let unreachable = Code(name: "unreachable")
        public static let unexpectedAnswer = Code(name: "unexpectedAnswer")

        // The app.
        public static let policyDenies = Code(name: "policyDenies")
        public static let reasonMissing = Code(name: "reasonMissing")
        public static let insecureServer = Code(name: "insecureServer")
        public static let platform = Code(name: "platform")
    }

    /// The raw status that the operating system gave: always the pair, because a code means nothing without its domain.
    public struct PlatformStatus: Hashable, Sendable {
        public var domain: String
        public var code: Int

        public init(domain: String, code: Int) {
            self.domain = domain
            self.code = code
        }
    }

    public var code: Code
    public var recovery: Recovery
    public var status: PlatformStatus?

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
        case .wait(let duration): "Try again in \(duration.components.seconds) seconds."
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
