/// What a sensor tells while one of its prompts is under way.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PromptNews: Hashable, Sendable {
    /// The person can answer now: the sheet is up, or the reader waits for a finger. Told once for a prompt.
    case appeared
    /// A reading that gave no verdict: the prompt stays, and the sensor asks again by itself.
    case readPoorly(PoorReading)
    /// A mismatch after which the prompt stays, and the sensor asks again by itself: Android's prompt does so. Where a mismatch
    /// ends the prompt, it is the prompt's answer.
    case mismatched
}

extension PromptNews: CustomStringConvertible {
    /// For example `poor reading: tooShort`.
    public var description: String {
        switch self {
        case .appeared: "appeared"
        case .readPoorly(let reading): "poor reading: \(reading)"
        case .mismatched: "mismatched"
        }
    }
}
