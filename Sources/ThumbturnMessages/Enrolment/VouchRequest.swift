public import ThumbturnCore

/// `POST /v1/tickets`: an enrolled device authorises the enrolment of another one, in the place of the account's
/// password.
public struct VouchRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case jkt }

    /// The thumbprint of the new device's session key, the only key that can use the ticket.
    public var jkt: String

    /// A request to authorise the device of this session key.
    public init(jkt: String) {
        self.jkt = jkt
    }
}
