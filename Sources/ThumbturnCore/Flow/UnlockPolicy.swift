/// The numbers and the ladder of one unlock. A plain value: an app names a preset, a server may send one.
public struct UnlockPolicy: Hashable, Sendable, Codable {
    /// The rungs that may be asked, in order. An empty ladder denies.
    public var ladder: [Rung]
    /// A mismatch at the sensor may be retried while this long has not passed since the flow began.
    public var retryWindow: Duration
    /// How long one retry may take.
    public var retryLimit: Duration
    /// When the hint appears beside an unanswered prompt, counted from the beginning.
    public var hintAfter: Duration
    /// When an unanswered prompt gives way to the next rung, counted from the beginning.
    public var fallbackAfter: Duration
    /// True lifts every time limit of the prompt, for people who use assistive technology (WCAG 2.2, success criterion 2.2.1).
    public var timeLimitsLifted: Bool
    /// So many mismatches end a rung.
    public var mismatchLimit: Int
    /// So many wrong PINs end the rung of the app's PIN. The device's own count goes on from one unlock to the next, and may end it
    /// sooner; see `PINLedger`.
    public var pinMismatchLimit: Int
    /// How the sensor slows down after mismatches, counted from one unlock to the next; see `BiometricLedger`.
    public var delays: MismatchDelays

    /// A ladder with the default numbers.
    public init(ladder: [Rung]) {
        self.ladder = ladder
        retryWindow = .seconds(8)
        retryLimit = .seconds(5)
        hintAfter = .seconds(8)
        fallbackAfter = .seconds(12)
        timeLimitsLifted = false
        mismatchLimit = 3
        pinMismatchLimit = 5
        delays = MismatchDelays()
    }

    /// Opening an app: sensor, device passcode, the app's PIN, full sign-in.
    public static let unlock = UnlockPolicy(ladder: [.biometric, .devicePasscode, .appPIN, .fullCredentials])
    /// What must not rest on the device passcode, nor on a PIN: sensor, then full sign-in.
    public static let highRisk = UnlockPolicy(ladder: [.biometric, .fullCredentials])
}
