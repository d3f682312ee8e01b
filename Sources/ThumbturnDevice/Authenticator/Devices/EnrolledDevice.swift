public import ThumbturnCore
import ThumbturnMessages

/// A device of the account, as the server knows it.
public struct EnrolledDevice: Hashable, Sendable, Identifiable {
    /// One of a device's keys.
    public struct Key: Hashable, Sendable, Identifiable {
        /// The key's RFC 7638 thumbprint; the random handle of a PIN key.
        public let id: String
        /// What the key is for.
        public let kind: KeyKind
        /// False until a key that was registered without a proof of its own has signed once.
        public let isActive: Bool

        /// Makes a key, for a preview or for what an app's own back end tells.
        ///
        /// - Parameters:
        ///   - id: the key's RFC 7638 thumbprint; the random handle of a PIN key.
        ///   - kind: what the key is for.
        ///   - isActive: false until a key that was registered without a proof of its own has signed once.
        public init(id: String, kind: KeyKind, isActive: Bool = true) {
            (self.id, self.kind, self.isActive) = (id, kind, isActive)
        }
    }

    /// The device's id at the server.
    public let id: String
    /// The name that the person gave it, as one line of at most 140 characters: without control, format or invisible
    /// characters, which reverse or hide the text beside them.
    public let name: String
    /// Its keys.
    public let keys: [Key]
    /// When it was enrolled, by the server's clock.
    public let enrolledAt: UnixTime
    /// Whether it is this device.
    public let isCurrent: Bool
    /// Whether it is an app that signs in with a key of another library and does nothing else; `keys` does not list
    /// that key.
    public let onlySignsIn: Bool

    /// Makes a device, for a preview or for what an app's own back end tells. It gives access to nothing.
    ///
    /// - Parameters:
    ///   - id: the device's id at the server.
    ///   - name: shown as one line of at most 140 characters, without control, format or invisible characters.
    ///   - keys: its keys.
    ///   - enrolledAt: when it was enrolled.
    ///   - isCurrent: whether it is this device.
    ///   - onlySignsIn: whether it is an app that signs in with a key of another library and does nothing else.
    public init(
        id: String, name: String, keys: [Key], enrolledAt: UnixTime, isCurrent: Bool = false, onlySignsIn: Bool = false
    ) {
        (self.id, self.keys, self.enrolledAt, self.isCurrent, self.onlySignsIn) = (id, keys, enrolledAt, isCurrent, onlySignsIn)
        self.name = ShownText.line(from: name)
    }

    /// - Parameter isOwn: whether it is known to be this device, whatever the server says.
    init(_ record: DeviceRecord, isOwn: Bool = false) {
        id = record.id
        name = ShownText.line(from: record.name)
        keys = record.keys.map { Key(id: $0.kid, kind: $0.kind, isActive: $0.active) }
        enrolledAt = record.enrolledAt
        isCurrent = record.current || isOwn
        onlySignsIn = record.use == .plain
    }
}

extension EnrolledDevice: CustomStringConvertible {
    /// The kinds of its keys, without its id and the name that the person gave it.
    public var description: String {
        let kinds = onlySignsIn ? "an app that only signs in" : "keys: \(keys.map(\.kind.rawValue).joined(separator: ", "))"
        return "\(isCurrent ? "this device" : "device"), \(kinds)"
    }
}

extension EnrolledDevice.Key: CustomStringConvertible {
    /// The kind, and whether the key is active; without its id.
    public var description: String { isActive ? "\(kind) key" : "\(kind) key, not active yet" }
}
