/// Why something did not work, with the next step to take.
///
/// `description` is safe to show to anyone. The raw status of the platform is kept for bug reports.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A closed set of reasons that may grow: match with `==`, and keep a default.
    public struct Code: Hashable, Sendable {
        /// The name as it stands here, for logs and telemetry.
        public let name: String
        /// The next step after a failure of this code, unless the place where it happens knows a better one.
        public let usualRecovery: Recovery

        init(_ name: String, recovery: Recovery) {
            self.name = name
            usualRecovery = recovery
        }

        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The person pressed the prompt's cancel button.
        public static let cancelledByUser = Code("cancelledByUser", recovery: .retry)
        /// The system took the prompt away: a call, another app in front.
        public static let cancelledBySystem = Code("cancelledBySystem", recovery: .retry)
        /// The app cancelled the task, or dismissed the prompt.
        public static let cancelledByApp = Code("cancelledByApp", recovery: .retry)
        /// Another prompt took this one's place.
        public static let superseded = Code("superseded", recovery: .retry)

        /// The sensor saw somebody else, or too little.
        public static let notMatched = Code("notMatched", recovery: .retry)
        /// Nobody answered the prompt in time.
        public static let timedOut = Code("timedOut", recovery: .retry)
        /// Too many mismatches: the sensor is refused until another factor has succeeded.
        public static let lockedOut = Code("lockedOut", recovery: .fallBack(.devicePasscode))
        /// Too many mismatches or wrong PINs: this rung pauses, and ends its pause by itself.
        public static let paused = Code("paused", recovery: .signInAgain)
        /// The new PIN is one that a thief tries first: it has to be another.
        public static let pinEasilyGuessed = Code("pinEasilyGuessed", recovery: .retry)
        /// There is a sensor, and nobody has set it up.
        public static let biometryNotEnrolled = Code("biometryNotEnrolled", recovery: .openSettings)
        /// There is no sensor, or it cannot be used now.
        public static let biometryUnavailable = Code("biometryUnavailable", recovery: .fallBack(.devicePasscode))
        /// The device's sensor is too weak to unlock a key.
        public static let biometryTooWeak = Code("biometryTooWeak", recovery: .fallBack(.devicePasscode))
        /// The system was upgraded: a stronger rung has to confirm once that the enrolled faces and fingers are still this person's.
        public static let biometryUnconfirmed = Code("biometryUnconfirmed", recovery: .fallBack(.devicePasscode))
        /// The device has no passcode.
        public static let passcodeNotSet = Code("passcodeNotSet", recovery: .setPasscode)
        /// The person has not allowed this app to use the sensor.
        public static let permissionDenied = Code("permissionDenied", recovery: .openSettings)

        /// The key is gone for good: a new face or finger was enrolled, the passcode was removed, or the PIN was wrong too often.
        public static let keyInvalidated = Code("keyInvalidated", recovery: .reEnrol)
        /// This device has no key that could answer.
        public static let notEnrolled = Code("notEnrolled", recovery: .signInAgain)
        /// The device has not been unlocked since it started. Never a reason to sign anybody out.
        public static let notYetReadable = Code("notYetReadable", recovery: .retry)
        /// `enrol` was told to fail if the device is enrolled, and it is.
        public static let alreadyEnrolled = Code("alreadyEnrolled", recovery: .report)

        /// The server does not accept what was sent. It does not say which part.
        public static let refused = Code("refused", recovery: .report)
        /// There is no live session: nobody signed in, it ended, or the device was revoked.
        public static let sessionOver = Code("sessionOver", recovery: .fallBack(.biometric))
        /// The server does not answer, or cannot now.
        public static let unreachable = Code("unreachable", recovery: .retry)
        /// The server answered something that it should not have: a fault, or somebody in between.
        public static let unexpectedAnswer = Code("unexpectedAnswer", recovery: .report)

        /// The policy's ladder is empty.
        public static let policyDenies = Code("policyDenies", recovery: .report)
        /// The app gave no reason to show.
        public static let reasonMissing = Code("reasonMissing", recovery: .report)
        /// The server's address is neither https nor this machine itself.
        public static let insecureServer = Code("insecureServer", recovery: .report)
        /// The platform failed in a way that has no name here; see `status`.
        public static let platform = Code("platform", recovery: .report)
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

    /// A failure with its next step: the code's usual one, unless another is given.
    public init(_ code: Code, recovery: Recovery? = nil, status: PlatformStatus? = nil) {
        self.code = code
        self.recovery = recovery ?? code.usualRecovery
        self.status = status
    }

    public var description: String { "\(code.name): \(recovery.advice)" }

    public var debugDescription: String {
        guard let status else { return description }
        return "\(description) (\(status.domain) \(status.code))"
    }
}
