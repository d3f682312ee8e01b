/// What the server does with an enrolment by a session key that is enrolled already.
public enum IfEnrolled: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is refused.
    case fail
    /// The device keeps its id and has the keys of this request from now on. The same request again changes nothing, so that a lost
    /// answer can be asked for again with a new ticket.
    case replace
}

/// `PATCH /v1/devices/{id}`: how the person calls a device from now on.
public struct DeviceRename: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case name }

    /// 1 to 64 characters, as at the enrolment.
    public var name: String

    /// A new name.
    public init(name: String) {
        self.name = name
    }
}

/// `POST /v1/tickets`: an enrolled device lets another one in, in the place of the account's password.
public struct VouchRequest: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case jkt }

    /// The thumbprint of the new device's session key: the ticket is good for that key alone.
    public var jkt: String

    /// A request to let in the device of this session key.
    public init(jkt: String) {
        self.jkt = jkt
    }
}
