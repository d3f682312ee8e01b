#if Server
import Synchronization

/// Keys that were asked for a short while ago. Two generations, so that forgetting costs nothing: what is asked for again moves to the
/// younger one. What was known in one epoch is not known in another: a restored database may say otherwise.
final class RecentKeys: Sendable {
    private struct State {
        var epoch: Int64 = 0
        var young: [String: EnrolledKey] = [:]
        var old: [String: EnrolledKey] = [:]

        mutating func enter(_ epoch: Int64) {
            if epoch != self.epoch { self = State(epoch: epoch) }
        }

        mutating func put(_ key: EnrolledKey) {
            if young.count >= RecentKeys.size {
                old = young
                young = [:]
            }
            young[key.kid] = key
        }
    }

    private let state = Mutex(State())
    /// Of each generation: some 8 MB together, and as many devices as sign in within minutes on one node.
    private static let size = 8192

    subscript(kid: String, in epoch: Int64) -> EnrolledKey? {
        state.withLock { state in
            state.enter(epoch)
            if let key = state.young[kid] { return key }
            guard let key = state.old[kid] else { return nil }
            state.put(key)
            return key
        }
    }

    /// - Parameter epoch: the one that was there before the key was read.
    func remember(_ key: EnrolledKey, in epoch: Int64) {
        state.withLock { state in
            state.enter(epoch)
            state.put(key)
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
