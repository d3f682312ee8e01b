#if Server
import Synchronization

/// Keys that were asked for a short while ago. Two generations, so that forgetting costs nothing: what is asked for again moves to the
/// younger one.
final class RecentKeys: Sendable {
    private let state = Mutex((young: [String: EnrolledKey](), old: [String: EnrolledKey]()))
    /// Of each generation: some 8 MB together, and as many devices as sign in within minutes on one node.
    private static let size = 8192

    subscript(kid: String) -> EnrolledKey? {
        state.withLock { state in
            if let key = state.young[kid] { return key }
            guard let key = state.old[kid] else { return nil }
            Self.put(key, in: &state)
            return key
        }
    }

    func remember(_ key: EnrolledKey) {
        state.withLock { Self.put(key, in: &$0) }
    }

    func forget(_ kid: String) {
        state.withLock { state in
            state.young[kid] = nil
            state.old[kid] = nil
        }
    }

    private static func put(
        _ key: EnrolledKey, in state: inout (young: [String: EnrolledKey], old: [String: EnrolledKey])
    ) {
        if state.young.count >= size {
            state.old = state.young
            state.young = [:]
        }
        state.young[key.kid] = key
    }
}
#endif
