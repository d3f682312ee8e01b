/// Where a key lives, as `KeyInfo.getSecurityLevel()` says (before API 31 `isInsideSecureHardware()`). It is the system's word to
/// the app and proves nothing to a server, for which the protection of a key without evidence is `software`.
enum KeyPlace: Int64, CaseIterable, Sendable {
    case software = 0
    case trustedEnvironment = 1
    case strongBox = 2
    /// In secure hardware of a kind that the system does not name.
    case unknownSecure = -1
    case unknown = -2

    /// The place of a level. A level that is not listed proves no hardware.
    init(level: Int64) { self = KeyPlace(rawValue: level) ?? .unknown }

    var isInHardware: Bool {
        switch self {
        case .trustedEnvironment, .strongBox, .unknownSecure: true
        case .software, .unknown: false
        }
    }
}
