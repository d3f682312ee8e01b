public import ThumbturnCore

/// `POST /v1/devices`: registers all keys of a device in one request, under one challenge of purpose `enrol`.
public struct EnrolRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, name, keys
        case ifEnrolled = "if_enrolled"
    }

    /// The ticket of the first mile, as received.
    public var ticket: String
    /// How the person will recognise the device in a list, 1 to 64 characters.
    public var name: String
    /// The session key and at least one key that verifies the person; one of each kind at most.
    public var keys: [KeyRegistration]
    /// What to do where the session key is enrolled already; nil is `fail`.
    public var ifEnrolled: IfEnrolled?

    /// A request to enrol these keys.
    public init(ticket: String, name: String, keys: [KeyRegistration], ifEnrolled: IfEnrolled? = nil) {
        self.ticket = ticket
        self.name = name
        self.keys = keys
        self.ifEnrolled = ifEnrolled
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ticket = try container.decode(String.self, forKey: .ticket)
        name = try container.decode(String.self, forKey: .name)
        keys = try container.decode([Strict<KeyRegistration>].self, forKey: .keys).map(\.content)
        ifEnrolled = try container.decodeIfPresent(IfEnrolled.self, forKey: .ifEnrolled)
    }
}
