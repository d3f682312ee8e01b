public import ThumbturnCore

/// The answer: the right to enrol one device, once, with the session key that asked.
public struct EnrolmentTicket: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, account
        case expiresIn = "expires_in"
    }

    /// Opaque to the device.
    public var ticket: String
    /// The id of the account in which the device is enrolled: the claim `sub` of its tokens. Nil from a server that does
    /// not tell it.
    public var account: String?
    /// Seconds from now.
    public var expiresIn: Int64

    /// A ticket, its account and its lifetime.
    public init(ticket: String, account: String? = nil, expiresIn: Int64) {
        self.ticket = ticket
        self.account = account
        self.expiresIn = expiresIn
    }
}
