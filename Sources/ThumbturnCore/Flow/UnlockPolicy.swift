/// The numbers and the ladder of one unlock. A plain value: an app names a preset, a server may send one.
public struct UnlockPolicy: Hashable, Sendable, Codable {
    /// The rungs that may be asked, in order. An empty ladder denies.
    public var ladder: [Rung]
    /// A mismatch may be retried while this long has not passed since the first prompt.
    public var retryWindow: Duration
    /// How long one retry may take.
    public var retryLimit: Duration
    /// When the hint appears beside an unanswered prompt.
    public var hintAfter: Duration
    /// When an unanswered prompt gives way to the next rung.
    public var fallbackAfter: Duration
    /// True lifts every time limit of the prompt, for people who use assistive technology (WCAG 2.2, success criterion 2.2.1).
    public var timeLimitsLifted: Bool
    /// So many mismatches end the biometric rung.
    public var mismatches: Int

    /// The ladder with the default numbers of the design, which are the longest that any policy may have.
    public init(ladder: [Rung]) {
        self.ladder = ladder
        retryWindow = .seconds(8)
        retryLimit = .seconds(5)
        hintAfter = .seconds(8)
        fallbackAfter = .seconds(12)
        timeLimitsLifted = false
        mismatches = 3
    }

    /// Opening an app: sensor, device passcode, full sign-in.
    public static let unlock = UnlockPolicy(ladder: [.biometric, .devicePasscode, .fullCredentials])
    /// What must not rest on the device passcode: sensor, then full sign-in.
    public static let highRisk = UnlockPolicy(ladder: [.biometric, .fullCredentials])
}
