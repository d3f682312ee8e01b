/// What a system tells about the set of enrolled faces and fingers: an opaque value that changes with the set.
///
/// It is a hint. What counts is the key that dies with the set. The value differs between processes of one app, may be absent, and may
/// change when the system is upgraded, so it is kept with the system's major version.
public struct EnrolmentMark: Hashable, Sendable, Codable {
    /// Opaque bytes, for example the `stateHash` of Apple's domain state.
    public var state: [UInt8]
    /// The major version of the operating system that gave them.
    public var systemVersion: Int

    /// A mark as a system gave it.
    public init(state: [UInt8], systemVersion: Int) {
        self.state = state
        self.systemVersion = systemVersion
    }

    /// What a mark says beside the one that was kept.
    public enum Change: Hashable, Sendable {
        /// The set is the one that was there.
        case none
        /// The set may have changed: the system changed its major version, so nobody can tell. One stronger rung confirms the person.
        case afterUpgrade
        /// The set changed.
        case changed
        /// There is nothing to compare. This is no sign of anything.
        case unknown
    }

    /// What the mark now says beside the one that was kept; nil stands for a mark that a system did not give.
    public static func change(from kept: EnrolmentMark?, to now: EnrolmentMark?) -> Change {
        guard let kept, let now else { return .unknown }
        if kept.state == now.state { return .none }
        return kept.systemVersion == now.systemVersion ? .changed : .afterUpgrade
    }
}
