public import ThumbturnCore

/// The port to the sensor and to the system's passcode prompt.
public protocol Sensor: Sendable {
    /// The state of the biometry, without a prompt.
    func biometry() async -> BiometryState

    /// Whether the device has a passcode that can be asked for.
    func isPasscodeSet() async -> Bool

    /// What the sensor looks at; nil where there is none, or nobody knows.
    func kind() async -> SensorKind?

    /// What the system tells about the enrolled faces and fingers, without a prompt; nil where it tells nothing.
    func enrolmentMark() async -> EnrolmentMark?

    /// Shows one prompt and waits for its end. Cancelling the task takes the prompt off the screen, and the call returns when
    /// it is gone.
    ///
    /// - Parameters:
    ///   - request: what it says, and what its success will be used for.
    ///   - hearing: told of each reading that gave no verdict, where the sensor tells; the prompt stays, and the sensor asks again by
    ///     itself.
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PoorReading) -> Void) async -> PromptAnswer
}

extension Sensor {
    public func kind() async -> SensorKind? { nil }
    public func enrolmentMark() async -> EnrolmentMark? { nil }
}

/// What a prompt says, and what its success will be used for.
public struct PromptRequest: Sendable {
    /// `biometric` or `devicePasscode`.
    public var rung: Rung
    /// The app's words: why the person is asked.
    public var reason: String
    /// What the system's cancel button says.
    public var cancelButton: UnlockFlow.CancelButton
    /// The key that will sign. Platforms that bind a prompt to one use of one key need it, and the bytes, before the prompt.
    public var key: KeyName
    /// What that key will sign; empty where it is the key of a vault, which is released and signs nothing.
    public var message: [UInt8]

    /// A prompt to show.
    public init(
        rung: Rung, reason: String, cancelButton: UnlockFlow.CancelButton, key: KeyName, message: [UInt8]
    ) {
        self.rung = rung
        self.reason = reason
        self.cancelButton = cancelButton
        self.key = key
        self.message = message
    }
}

/// How a prompt ended.
public enum PromptAnswer: Sendable {
    /// The person was matched, or entered the passcode.
    case matched(Presence)
    /// One mismatch, as the platform counts them. A cancelled prompt is none.
    case notMatched
    /// No verdict: cancelled, locked out, or an error of the platform.
    case failed(Failure)
}

/// What the platform hands out after a match so that a key may be used: an authenticated context, a signature object, an
/// authorisation. It proves nothing by itself, and no server hears of it.
public struct Presence: Sendable {
    /// The platform's own; only its adapter can read it.
    public let context: any Sendable

    /// Wraps what the platform gave.
    public init(context: any Sendable) {
        self.context = context
    }
}
