public import ThumbturnCore

/// The answer: the right to enrol one device, once, with the session key that asked.
public struct EnrolmentTicket: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, account
        case isFresh = "fresh"
        case expiresIn = "expires_in"
    }

    /// Opaque to the device.
    public var ticket: String
    /// The id of the account in which the device is enrolled: the claim `sub` of its tokens. Nil from a server that does
    /// not tell it.
    public var account: String?
    /// Whether the person was verified for this sign-in, or the operator accepts that they were not. Otherwise a session that a
    /// provider keeps in the browser may have answered, and the device lifts nothing that a stronger rung lifts. Nil counts as
    /// false.
    public var isFresh: Bool?
    /// Seconds from now.
    public var expiresIn: Int64

    /// A ticket, its account, its freshness and its lifetime.
    public init(ticket: String, account: String? = nil, isFresh: Bool? = nil, expiresIn: Int64) {
        self.ticket = ticket
        self.account = account
        self.isFresh = isFresh
        self.expiresIn = expiresIn
    }
}
