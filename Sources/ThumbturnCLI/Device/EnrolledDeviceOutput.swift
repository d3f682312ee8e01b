#if Tools
import Thumbturn
import ThumbturnCore
import ThumbturnDevice

/// A device that was enrolled, as `thumbturn device enrol --json` prints it: with the members that the server's list of
/// devices has.
struct EnrolledDeviceOutput: Encodable {
    struct Key: Encodable {
        let kid: String
        let kind: KeyKind
        let active: Bool
    }

    let id: String
    let name: String
    let keys: [Key]
    let enrolledAt: UnixTime
    let current: Bool

    enum CodingKeys: String, CodingKey {
        case id, name, keys, current
        case enrolledAt = "enrolled_at"
    }

    init(_ device: EnrolledDevice) {
        id = device.id
        name = device.name
        keys = device.keys.map { Key(kid: $0.id, kind: $0.kind, active: $0.isActive) }
        enrolledAt = device.enrolledAt
        current = device.isCurrent
    }
}
#endif
