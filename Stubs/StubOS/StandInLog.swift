import Synchronization

/// What was written to the system's log. Tests read it, each with a subsystem of its own.
public enum StandInLog {
    public struct Place: Hashable, Sendable {
        public var subsystem: String
        public var category: String
    }

    public enum Entry: Hashable, Sendable {
        case debug(String)
        case notice(String)
        case began(String, String)
        case ended(String, String)
        case happened(String, String)
    }

    private static let entries = Mutex<[(place: Place, entry: Entry)]>([])

    static func write(_ entry: Entry, at place: Place) { entries.withLock { $0.append((place, entry)) } }

    /// The entries of a subsystem with their categories, in order.
    public static func entries(of subsystem: String) -> [(category: String, entry: Entry)] {
        entries.withLock { $0.filter { $0.place.subsystem == subsystem }.map { ($0.place.category, $0.entry) } }
    }
}
