public import ThumbturnCore

/// The answer: the right to enrol one device, once, with the session key that asked.
public struct EnrolmentTicket: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket
        case expiresIn = "expires_in"
    }

    /// Opaque to the device.
    public var ticket: String
    /// Seconds from now.
    public var expiresIn: Int64

    /// A ticket and its lifetime.
    public init(ticket: String, expiresIn: Int64) {
        self.ticket = ticket
        self.expiresIn = expiresIn
    }
}
