public import ThumbturnCore

/// `PATCH /v1/devices/{id}`: gives a device a new name.
public struct DeviceRename: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case name }

    /// 1 to 64 characters, as in an enrolment.
    public var name: String

    /// A new name.
    public init(name: String) {
        self.name = name
    }
}
