/// An action that demands a fresh proof of presence, a step-up (RFC 9470).
///
/// The maximum age is how old that proof may be when the same action is requested again. No other proof counts, however
/// fresh, unless the action takes an unlock: an unlock proves that the person is there, and not that they want this action.
public struct StepUpAction: Hashable, Sendable {
    /// The name in the challenge's claim `act`: 1 to 64 of `a` to `z`, `0` to `9` and `-`.
    public let name: String
    /// The maximum age of the proof: 0 to 300 s since its challenge was requested. Zero demands a new prompt each time.
    public let maximumAge: Duration
    /// Whether an unlock within the maximum age stands in for the proof, without a prompt. It does only where the rule of the
    /// server's step-up table takes one too (its member `unlock`), and has no effect with a maximum age of zero:
    ///
    ///     var export = StepUpAction.statementExport
    ///     export.takesUnlock = true
    public var takesUnlock = false

    /// Creates an action; nil for a name of another spelling, and for an age out of bounds.
    public init?(_ name: String, maximumAge: Duration, takesUnlock: Bool = false) {
        guard Self.isName(name), (.zero ... .seconds(300)).contains(maximumAge) else { return nil }
        self.init(known: name, maximumAge)
        self.takesUnlock = takesUnlock
    }

    /// An action whose name and maximum age are known to be valid.
    init(known name: String, _ maximumAge: Duration) {
        self.name = name
        self.maximumAge = maximumAge
    }

    /// Whether a text is a valid name of an action.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }
}

extension StepUpAction: CustomStringConvertible {
    /// For example `card-details, a proof of at most 120.0 seconds`.
    public var description: String {
        maximumAge == .zero ? "\(name), a proof each time" : "\(name), a proof of at most \(maximumAge)"
    }
}
