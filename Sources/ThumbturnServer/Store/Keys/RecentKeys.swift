#if Server
import Synchronization

/// Keys that were asked for a short while ago. Two generations, so that forgetting costs nothing: what is asked for again moves to the
/// younger one. What was known in one epoch is not known in another: a restored database may say otherwise.
final class RecentKeys: Sendable {
    private struct State {
        var epoch: Int64 = 0
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]

        mutating func enter(_ epoch: Int64) {
            if epoch != self.epoch { self = State(epoch: epoch) }
        }

        mutating func put(_ entry: Entry) {
            if young.count >= RecentKeys.size {
                old = young
                young = [:]
            }
            young[entry.key.kid] = entry
        }
    }

    /// An object, because the places of a dictionary that are free take as much room as the others.
    private final class Entry: Sendable {
        let key: EnrolledKey
        init(_ key: EnrolledKey) { self.key = key }
    }

    private let state = Mutex(State())
    /// Of each generation: some 6 MB together, and as many devices as sign in within minutes on one node.
    private static let size = 8192

    subscript(kid: String, in epoch: Int64) -> EnrolledKey? {
        state.withLock { state in
            state.enter(epoch)
            if let entry = state.young[kid] { return entry.key }
            guard let entry = state.old[kid] else { return nil }
            state.put(entry)
            return entry.key
        }
    }

    /// - Parameter epoch: the one that was there before the key was read.
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
