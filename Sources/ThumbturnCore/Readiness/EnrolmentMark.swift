/// The system's opaque value for the set of enrolled faces and fingers, which changes with the set.
///
/// It is a hint; the hardware invalidates the key when the set changes. The value differs between processes of one app,
/// may be absent, and may change when the system is upgraded, so it is kept with the system's major version.
public struct EnrolmentMark: Hashable, Sendable, Codable {
    /// Opaque bytes, for example the `stateHash` of Apple's domain state.
    public var state: [UInt8]
    /// The major version of the operating system that reported them.
    public var systemVersion: Int

    /// Creates a mark from what a system reported.
    public init(state: [UInt8], systemVersion: Int) {
        self.state = state
        self.systemVersion = systemVersion
    }

    /// The difference between a mark and the one that was kept.
    public enum Change: Hashable, Sendable {
        /// The set is the same.
        case none
        /// The set may have changed: the system's major version did, so the marks cannot be compared. One stronger rung
        /// confirms the person.
        case afterUpgrade
        /// The set changed.
        case changed
        /// There is nothing to compare, which is not a sign of a change.
        case unknown
    }

    /// Compares the mark that was kept with the current one. Nil where the system reported none.
    package static func change(from kept: EnrolmentMark?, to now: EnrolmentMark?) -> Change {
        guard let kept, let now else { return .unknown }
        if kept.state == now.state { return .none }
        return kept.systemVersion == now.systemVersion ? .changed : .afterUpgrade
    }
}

extension EnrolmentMark: CustomStringConvertible {
    /// The system's version, without the opaque bytes.
    public var description: String { "mark of system version \(systemVersion)" }
}

extension EnrolmentMark.Change: CustomStringConvertible {
    /// The difference in words.
    public var description: String {
        switch self {
        case .none: "none"
        case .afterUpgrade: "after a system upgrade"
        case .changed: "changed"
        case .unknown: "unknown"
        }
    }
}
