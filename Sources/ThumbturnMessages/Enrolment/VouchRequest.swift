public import ThumbturnCore

/// `POST /v1/tickets`: an enrolled device lets another one in, in the place of the account's password.
public struct VouchRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case jkt }

    /// The thumbprint of the new device's session key: the ticket is good for that key alone.
    public var jkt: String

    /// A request to let in the device of this session key.
    public init(jkt: String) {
        self.jkt = jkt
    }
}
