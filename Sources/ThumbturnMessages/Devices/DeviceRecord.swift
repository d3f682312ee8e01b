public import ThumbturnCore

/// A device as its owner sees it: the answer to an enrolment, and an element of `GET /v1/devices`.
public struct DeviceRecord: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, keys
        case enrolledAt = "enrolled_at"
        case current, use
    }

    /// One of a device's keys.
    public struct Key: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case kid, kind, active }

        /// The RFC 7638 thumbprint; the random handle of a PIN key.
        public var kid: String
        /// The kind of key.
        public var kind: KeyKind
        /// False until a key that was registered without a proof of its own has signed once.
        public var active: Bool

        /// A key as the server knows it.
        public init(kid: String, kind: KeyKind, active: Bool) {
            self.kid = kid
            self.kind = kind
            self.active = active
        }
    }

    /// The device's id at this server.
    public var id: String
    /// The name that the person gave it.
    public var name: String
    /// Its keys.
    public var keys: [Key]
    /// When it was enrolled, by the server's clock.
    public var enrolledAt: UnixTime
    /// Whether it is the device that asks.
    public var current: Bool
    /// The restriction of its use; nil where it may do everything.
    public var use: DeviceUse?

    /// A device as the server knows it.
    public init(id: String, name: String, keys: [Key], enrolledAt: UnixTime, current: Bool, use: DeviceUse? = nil) {
        self.id = id
        self.name = name
        self.keys = keys
        self.enrolledAt = enrolledAt
        self.current = current
        self.use = use
    }
}

/// The restriction of a device's use.
public enum DeviceUse: String, Hashable, Sendable, Codable, CaseIterable {
    /// An app that signs in with a key of another library, which the list of keys does not include, and does nothing
    /// else.
    case plain
}

/// `GET /v1/devices`.
public struct DeviceList: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case devices }

    /// The devices that are not revoked, oldest first.
    public var devices: [DeviceRecord]

    /// A list of devices.
    public init(devices: [DeviceRecord]) {
        self.devices = devices
    }
}
