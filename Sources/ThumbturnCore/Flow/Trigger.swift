/// Why the flow moved on to the next rung of the ladder.
public enum Trigger: Hashable, Sendable {
    case timeout
    case mismatches
    case lockedOut
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
