import Synchronization

// What the adapter uses of Apple's module `os` for Instruments, with the declarations of Apple's documentation:
// developer.apple.com/documentation/os/ossignposter, …/ossignpostid and …/ossignpostintervalstate.

/// The message of a signpost. Source: …/signpostmetadata.
public typealias SignpostMetadata = OSLogMessage

/// The identifier of an interval. Source: …/ossignpostid, which conforms to `Comparable` and `Sendable`.
public struct OSSignpostID: Comparable, Sendable {
    let number: UInt64

    /// For intervals that never overlap. Source: …/ossignpostid/exclusive.
    public static let exclusive = OSSignpostID(number: 0xEEEE_B0B5_B2B2_EEEE)

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

/// An interval that has begun. Source: …/ossignpostintervalstate, a class that conforms to `Sendable`. It checks that an
/// interval is ended once, with its name, by a signposter of the same subsystem and category: otherwise a debug build ends.
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID
    let name: String
    let place: StandInLog.Place
    private let isOpen = Mutex(true)

    init(_ id: OSSignpostID, name: String, place: StandInLog.Place) {
        self.id = id
        self.name = name
        self.place = place
    }

    func end(_ name: String, _ place: StandInLog.Place) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        precondition(wasOpen, "an interval ends once")
        precondition(name == self.name && place == self.place, "an interval ends with its name, where it began")
    }
}

/// What marks intervals and moments. Source: …/ossignposter, which conforms to `Sendable`.
public struct OSSignposter: Sendable {
    private static let last = Atomic<UInt64>(0)
    private let place: StandInLog.Place

    /// Source: …/ossignposter/init(subsystem:category:).
    public init(subsystem: String, category: String) { place = StandInLog.Place(subsystem: subsystem, category: category) }

    /// Source: …/ossignposter/makesignpostid().
    public func makeSignpostID() -> OSSignpostID {
        OSSignpostID(number: Self.last.add(1, ordering: .relaxed).newValue)
    }

    /// Source: …/ossignposter/begininterval(_:id:_:).
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        StandInLog.write(.began(name.description, message.text), at: place)
        return OSSignpostIntervalState(id, name: name.description, place: place)
    }

    /// Source: …/ossignposter/endinterval(_:_:_:).
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        state.end(name.description, place)
        StandInLog.write(.ended(name.description, message.text), at: place)
    }

    /// Source: …/ossignposter/emitevent(_:id:_:).
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {
        StandInLog.write(.happened(name.description, message.text), at: place)
    }
}
