/// One event of an unlock to count, without identifiers and without free text.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Telemetry: Hashable, Sendable {
    /// A prompt for this rung appeared.
    case promptShown(Rung)
    /// A prompt, or the key behind it, answered: how, and the time since the first prompt.
    case sensorAnswered(Outcome, after: Duration)
    /// The sensor saw too little for a verdict.
    case readPoorly(PoorReading)
    /// The number of mismatches on this rung so far.
    case retry(Int)
    /// The hint that offers another way was shown.
    case hintShown
    /// The flow moved on to another rung.
    case fellBack(from: Rung, to: Rung, because: Trigger)
    /// The flow was cancelled; the code says who cancelled it.
    case cancelled(Failure.Code)
    /// The sensor was refused after too many mismatches.
    case lockedOut(Lockout)
    /// A key was found to be gone for good.
    case keyInvalidated(KeyLoss)
    /// The rung that succeeded, the time since the first prompt, and the number of prompts.
    case authenticated(Rung, after: Duration, attempts: Int)
    /// An earlier flow did not reach its end: the app was closed or killed.
    case abandoned(UnlockFlow.Phase, after: Duration)

    /// How a prompt, or the key behind it, answered.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Hashable, Sendable {
        /// The sensor or the passcode matched.
        case matched
        /// A PIN was entered. It was not judged yet.
        case entered
        /// There was no match; `notMatched` is a mismatch or a wrong PIN.
        case failed(Failure.Code)
    }
}

extension Telemetry: CustomStringConvertible {
    /// For example `fell back from biometric to app PIN: mismatches`.
    public var description: String {
        switch self {
        case .promptShown(let rung): "\(rung) prompt shown"
        case .sensorAnswered(let outcome, let time): "\(outcome) after \(time)"
        case .readPoorly(let reading): "poor reading: \(reading)"
        case .retry(let count): "retry after \(count) mismatches"
        case .hintShown: "hint shown"
        case .fellBack(let from, let to, let trigger): "fell back from \(from) to \(to): \(trigger)"
        case .cancelled(let code): "cancelled: \(code)"
        case .lockedOut(let lockout): "locked out: \(lockout)"
        case .keyInvalidated(let loss): "key gone for good: \(loss)"
        case .authenticated(let rung, let time, let attempts): "\(rung) succeeded after \(time), prompts: \(attempts)"
        case .abandoned(let phase, let time): "abandoned after \(time): \(phase)"
        }
    }
}

extension Telemetry.Outcome: CustomStringConvertible {
    /// The name of the answer or of the failure's code.
    public var description: String {
        switch self {
        case .matched: "matched"
        case .entered: "entered"
        case .failed(let code): code.name
        }
    }
}
