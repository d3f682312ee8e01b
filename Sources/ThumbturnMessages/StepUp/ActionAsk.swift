public import ThumbturnCore

/// An action and its amount in one text: the claim `act` of a step-up's challenge, so that the person's key signs both.
///
///     card-details
///     new-recipient:EUR:125000
public struct ActionAsk: Hashable, Sendable {
    /// The action's name; see `StepUpAction`.
    public let name: String
    /// The amount, for an action with money.
    public let amount: Money?

    /// Nil for a name that `StepUpAction` does not allow.
    public init?(_ name: String, amount: Money? = nil) {
        guard StepUpAction.isName(name) else { return nil }
        self.name = name
        self.amount = amount
    }

    /// Reads exactly the form that `text` writes; nil for any other.
    public init?(text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self.init(parts[0])
        case 3:
            guard let minor = Int64(parts[2]), String(minor) == parts[2], let amount = Money(minor: minor, currency: parts[1])
            else { return nil }
            self.init(parts[0], amount: amount)
        default: return nil
        }
    }

    /// A name of 64 characters, a currency, 15 digits and two colons.
    private static let longestText = 64 + 3 + 15 + 2

    /// The name; with an amount also a colon, the currency, a colon and the minor units.
    public var text: String { amount.map { "\(name):\($0.currency):\($0.minor)" } ?? name }
}
