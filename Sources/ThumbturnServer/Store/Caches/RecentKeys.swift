#if Server
import Synchronization

/// A cache of recently read keys.
///
/// Its two generations together take about 6 MB and hold the devices that sign in on one node within minutes. There are
/// two so that eviction takes no time: a key that is read again moves to the younger one. The cache is emptied when the
/// epoch changes, because a restored database may hold other rows.
final class RecentKeys: Sendable {
    private struct State {
        var epoch: Int64 = 0
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]

        mutating func enter(_ epoch: Int64) {
            if epoch != self.epoch { self = State(epoch: epoch) }
        }

        mutating func put(_ entry: Entry) {
            if young.count >= Limits.recentKeys {
                old = young
                young = [:]
            }
            young[entry.key.kid] = entry
        }
    }

    /// A class, because the free slots of a dictionary take as much memory as the used ones.
    private final class Entry: Sendable {
        let key: EnrolledKey
        init(_ key: EnrolledKey) { self.key = key }
    }

    private let state = Mutex(State())

    subscript(kid: String, in epoch: Int64) -> EnrolledKey? {
        state.withLock { state in
            state.enter(epoch)
            if let entry = state.young[kid] { return entry.key }
            guard let entry = state.old[kid] else { return nil }
            state.put(entry)
            return entry.key
        }
    }

    /// Adds a key.
    ///
    /// - Parameter epoch: the epoch that was current before the key was read.
    func remember(_ key: EnrolledKey, in epoch: Int64) {
        state.withLock { state in
            state.enter(epoch)
            state.put(Entry(key))
        }
    }

    func forget(_ kid: String) {
        state.withLock { state in
            state.young[kid] = nil
            state.old[kid] = nil
        }
    }
}
#endif
