/// Something that asks for the person anew: a step-up proves presence for one action (RFC 9470).
///
/// The maximum age says how old that proof may be when the same action is wanted again. No other proof counts, however fresh: an unlock
/// says that the person is there, not that they want this.
public struct StepUpAction: Hashable, Sendable {
    /// 1 to 64 of `a` to `z`, `0` to `9` and `-`. The claim `act` of the challenge.
    public let name: String
    /// 0 to 300 s, measured from when the proof's challenge was asked for. Zero wants a new prompt each time.
    public let maximumAge: Duration

    /// Nil for a name of another spelling, and for an age beyond the bounds.
    public init?(_ name: String, maximumAge: Duration) {
        guard Self.isName(name), (.zero ... .seconds(300)).contains(maximumAge) else { return nil }
        self.init(known: name, maximumAge)
    }

    private init(known name: String, _ maximumAge: Duration) {
        self.name = name
        self.maximumAge = maximumAge
    }

    /// Whether this is how an action may be called.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }
}

extension StepUpAction {
    /// A payment to somebody new: proved each time.
    public static let newRecipient = StepUpAction(known: "new-recipient", .zero)
    /// A payment to somebody who was paid before: 5 minutes.
    public static let existingRecipient = StepUpAction(known: "existing-recipient", .seconds(300))
    /// Showing a card's number: 2 minutes.
    public static let cardDetails = StepUpAction(known: "card-details", .seconds(120))
    /// Handing out statements: 5 minutes.
    public static let statementExport = StepUpAction(known: "statement-export", .seconds(300))

    /// The actions that are known without being told.
    public static let presets: [StepUpAction] = [.newRecipient, .existingRecipient, .cardDetails, .statementExport]

    /// The same for payments under regulation (SCA-RTS Art. 5): each one is proved, whoever is paid.
    public static let regulated: [StepUpAction] = [
        .newRecipient, StepUpAction(known: StepUpAction.existingRecipient.name, .zero), .cardDetails, .statementExport,
    ]
}
