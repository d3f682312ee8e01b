public import ThumbturnCore

/// `PATCH /v1/devices/{id}`: how the person calls a device from now on.
public struct DeviceRename: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case name }

    /// 1 to 64 characters, as at the enrolment.
    public var name: String

    /// A new name.
    public init(name: String) {
        self.name = name
    }
}
