/// Why the flow moved on to the next rung of the ladder.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Trigger: Hashable, Sendable {
    /// The time for this rung was over.
    case timeout
    /// The policy allows no further mismatch on this rung.
    case mismatches
    /// The operating system, or our own count, refuses the sensor.
    case lockedOut
    /// The rung's key is gone for good.
    case keyInvalidated
    /// The person chose the next rung.
    case choice
    /// The rung could not be asked; carries the name of the failure's code.
    case skipped(String)

    /// Whether the sensor was asked and did not match the person.
    var countsAsMiss: Bool {
        switch self {
        case .timeout, .mismatches, .lockedOut, .choice: true
        case .keyInvalidated, .skipped: false
        }
    }
}
