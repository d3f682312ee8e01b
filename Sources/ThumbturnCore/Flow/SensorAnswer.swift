/// The answer of a sensor, of a passcode prompt or of the app's PIN screen.
package enum SensorAnswer: Hashable, Sendable {
    case matched
    /// A PIN was entered. It is not judged yet; only its key can judge it.
    case entered
    /// One mismatch, as this platform counts them. A cancelled prompt is not a mismatch.
    case notMatched
    /// The prompt ended without a verdict: cancelled, locked out, or an error of the platform.
    case failed(Failure)

    /// The answer as telemetry reports it.
    var outcome: Telemetry.Outcome {
        switch self {
        case .matched: .matched
        case .entered: .entered
        case .notMatched: .failed(.notMatched)
        case .failed(let failure): .failed(failure.followsMismatch ? .notMatched : failure.code)
        }
    }
}
