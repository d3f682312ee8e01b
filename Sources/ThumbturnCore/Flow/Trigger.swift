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
    /// The rung could not be asked, for the reason that the code names.
    case skipped(Failure.Code)

    /// Whether the sensor was asked and did not match the person.
    var countsAsMiss: Bool {
        switch self {
        case .timeout, .mismatches, .lockedOut, .choice: true
        case .keyInvalidated, .skipped: false
        }
    }
}

extension Trigger: CustomStringConvertible {
    /// The trigger in words, such as `skipped (notEnrolled)`.
    public var description: String {
        switch self {
        case .timeout: "timeout"
        case .mismatches: "mismatches"
        case .lockedOut: "locked out"
        case .keyInvalidated: "key gone for good"
        case .choice: "the person's choice"
        case .skipped(let code): "skipped (\(code))"
        }
    }
}
