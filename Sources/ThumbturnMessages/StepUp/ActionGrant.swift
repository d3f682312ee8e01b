public import ThumbturnCore

/// The action that a token's person proved presence for: the one element of the claim `authorization_details` (RFC 9396
/// section 9.1).
///
/// Not the claim `act`: in a token that is the actor of a delegation (RFC 8693 section 4.1), and a resource server that
/// knows the standard would take an action for a delegation.
public struct ActionGrant: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case type, action, currency
        case minor = "amount_minor"
        case keys, shown, once, unlock
    }

    /// The member `type`.
    public static let type = "urn:thumbturn:action"
    /// The lifetime of a token for one use.
    public static let lifeOfOneUse = Duration.seconds(120)

    /// Always `urn:thumbturn:action`.
    public let type: String
    /// The action's name.
    public let action: String
    /// The currency of the amount, for an action with money: three letters (ISO 4217).
    public let currency: String?
    /// The amount in whole minor units.
    public let minor: Int64?
    /// The kinds of the keys that signed: this action or, where the rule takes one, the unlock.
    public let keys: [KeyKind]
    /// The further proofs beside the keys' signatures.
    public let shown: [FurtherProof]
    /// Whether the token is for one use.
    public let once: Bool
    /// True where an unlock stood in for a signature; absent elsewhere.
    public let unlock: Bool?

    /// The grant of an action.
    public init(_ ask: ActionAsk, keys: [KeyKind], shown: [FurtherProof], once: Bool, byUnlock: Bool = false) {
        type = Self.type
        action = ask.name
        currency = ask.amount?.currency
        minor = ask.amount?.minor
        self.keys = keys
        self.shown = shown
        self.once = once
        unlock = byUnlock ? true : nil
    }

    /// Whether it covers an action and its amount: the same action with the same amount, or with a smaller one where
    /// the token is for several uses.
    public func covers(_ ask: ActionAsk) -> Bool {
        guard type == Self.type, action == ask.name else { return false }
        guard let amount = ask.amount else { return true }
        guard let minor, currency == amount.currency else { return false }
        return once ? minor == amount.minor : amount.minor <= minor
    }
}
