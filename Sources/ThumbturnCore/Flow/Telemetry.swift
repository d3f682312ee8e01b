/// One event of an unlock to count, without identifiers and without free text.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Telemetry: Hashable, Sendable {
    /// A prompt for this rung appeared.
    case promptShown(Rung)
    /// The name of the answer or of the failure's code, and the time since the first prompt.
    case sensorAnswered(String, after: Duration)
    /// The sensor saw too little for a verdict.
    case readPoorly(PoorReading)
    /// The number of mismatches on this rung so far.
    case retry(Int)
    /// The hint that offers another way was shown.
    case hintShown
    /// The flow moved on to another rung.
    case fellBack(from: Rung, to: Rung, Trigger)
    /// The name of the failure's code, which says who cancelled.
    case cancelled(String)
    /// The sensor was refused after too many mismatches.
    case lockedOut(Lockout)
    /// A key was found to be gone for good.
    case keyInvalidated(KeyLoss)
    /// The rung that succeeded, the time since the first prompt, and the number of prompts.
    case authenticated(Rung, after: Duration, attempts: Int)
    /// An earlier flow did not reach its end: the app was closed or killed.
    case abandoned(UnlockFlow.Phase, after: Duration)
}
