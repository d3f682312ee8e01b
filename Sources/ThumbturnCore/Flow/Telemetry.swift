/// One event of an unlock to count, without identifiers and without free text.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Telemetry: Hashable, Sendable {
    case promptShown(Rung)
    /// The name of the answer or of the failure's code, and the time since the first prompt.
    case sensorAnswered(String, after: Duration)
    case readPoorly(PoorReading)
    /// The number of mismatches on this rung so far.
    case retry(Int)
    case hintShown
    case fellBack(from: Rung, to: Rung, Trigger)
    /// The name of the failure's code, which says who cancelled.
    case cancelled(String)
    case lockedOut(Lockout)
    case keyInvalidated(KeyLoss)
    case authenticated(Rung, after: Duration, attempts: Int)
    /// An earlier flow did not reach its end: the app was closed or killed.
    case abandoned(UnlockFlow.Phase, after: Duration)
}
