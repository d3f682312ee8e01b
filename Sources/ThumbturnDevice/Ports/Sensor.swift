public import ThumbturnCore

/// The port to the sensor and to the system's passcode prompt.
public protocol Sensor: Sendable {
    /// The state of the biometry, without a prompt.
    func biometry() async -> BiometryState

    /// Whether the device has a passcode.
    func isPasscodeSet() async -> Bool

    /// The kind of sensor; nil where there is none, or it is not known.
    func kind() async -> SensorKind?

    /// The name under which the person knows the sensor; nil where there is none, or it is not known.
    func name() async -> SensorName?

    /// The system's mark of the enrolled faces and fingers, without a prompt; nil where it gives none.
    func enrolmentMark() async -> EnrolmentMark?

    /// Whether `prompt` tells `hearing` when a prompt has really appeared. Without that, telemetry counts from the moment at
    /// which the sensor is asked to show it.
    var tellsAppearance: Bool { get }

    /// Whether `liftLockout` can ask for the device passcode.
    var liftsLockouts: Bool { get }

    /// Asks for the device passcode, which ends the system's lockout of the sensor, and waits for the end of the prompt as
    /// `prompt` does. It unlocks no key: a vault that only the sensor opens goes on with the sensor.
    ///
    /// - Parameter reason: why the person is asked, in the app's words.
    func liftLockout(_ reason: String) async -> PromptAnswer

    /// Shows one prompt and waits for its end. Cancelling the task dismisses the prompt, and the call returns when it
    /// is gone.
    ///
    /// - Parameters:
    ///   - request: the contents of the prompt, and what its success will be used for.
    ///   - hearing: called with what the sensor tells meanwhile: each reading that gave no verdict, where it reports them;
    ///     each mismatch after which its prompt stays; and that the prompt appeared, where `tellsAppearance` says so.
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer
}

extension Sensor {
    /// Nil: the kind is not known.
    public func kind() async -> SensorKind? { nil }
    /// The name of the kind, for a sensor without a name of its own.
    public func name() async -> SensorName? { await kind().map { SensorName($0) } }
    /// Nil: the system gives no mark.
    public func enrolmentMark() async -> EnrolmentMark? { nil }
    /// False: the system does not tell.
    public var tellsAppearance: Bool { false }
    /// False: the system does not ask for its passcode on behalf of an app.
    public var liftsLockouts: Bool { false }
    /// The lockout stays.
    public func liftLockout(_ reason: String) async -> PromptAnswer { .failed(Failure(.lockedOut, recovery: .retry)) }
}

/// The contents of a system prompt, and what its success will be used for.
public struct PromptRequest: Sendable, CustomStringConvertible {
    /// The rung that is asked: `biometric` or `devicePasscode`.
    public var rung: Rung
    /// Why the person is asked, in the app's words.
    public var reason: String
    /// The text of the cancel button.
    public var cancelButton: UnlockFlow.CancelButton
    /// The key that will sign. Platforms that bind a prompt to one use of one key need it, and the bytes, before the
    /// prompt.
    public var key: KeyName
    /// The bytes that the key will sign; empty for the key of a vault, which is released and signs nothing.
    public var message: [UInt8]
    /// The greatest age of an unlock of the device itself that a sensor may take in place of a prompt. It reaches back no further
    /// than the last lock or dismissal. Nil sets no limit, and zero accepts none.
    public var deviceUnlockMaximumAge: Duration?

    /// Describes a prompt to show.
    public init(
        rung: Rung, reason: String, cancelButton: UnlockFlow.CancelButton, key: KeyName, message: [UInt8],
        deviceUnlockMaximumAge: Duration? = .zero
    ) {
        self.rung = rung
        self.reason = reason
        self.cancelButton = cancelButton
        self.key = key
        self.message = message
        self.deviceUnlockMaximumAge = deviceUnlockMaximumAge
    }

    /// The rung, without the reason: that of an approval names an amount and a payee.
    public var description: String { "\(rung) prompt" }
}

/// How a prompt ended.
public enum PromptAnswer: Sendable {
    /// The sensor or the passcode matched.
    case matched(Presence)
    /// One mismatch, as the platform counts them, which ended the prompt. A cancelled prompt is no mismatch.
    case notMatched
    /// There is no verdict: the prompt was cancelled, the sensor is locked out, or the platform failed.
    case failed(Failure)
}

/// The platform's permission to use a key after a match: an authenticated context, a signature object, an
/// authorisation. It proves nothing by itself, and is never sent to a server.
public struct Presence: Sendable {
    /// The platform's own value, which only its adapter can read.
    public let context: any Sendable

    /// Wraps what the platform gave.
    public init(context: any Sendable) {
        self.context = context
    }
}

extension PromptAnswer: CustomStringConvertible {
    /// The answer in words, without what the platform gave.
    public var description: String {
        switch self {
        case .matched: "matched"
        case .notMatched: "not matched"
        case .failed(let failure): "failed: \(failure.code)"
        }
    }
}

extension Presence: CustomStringConvertible {
    /// The word alone, without the platform's value.
    public var description: String { "presence" }
}
