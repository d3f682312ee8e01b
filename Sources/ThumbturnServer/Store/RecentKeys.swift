#if Server
import Synchronization

/// Keys that were asked for a short while ago. Two generations, so that forgetting costs nothing: what is asked for again moves to the
/// younger one.
final class RecentKeys: Sendable {
    private let state = Mutex((young: [String: EnrolledKey](), old: [String: EnrolledKey]()))
    private static let size = 8192

    subscript(kid: String) -> EnrolledKey? {
        get {
            state.withLock { state in
                if let key = state.young[kid] { return key }
                guard let key = state.old[kid] else { return nil }
                Self.put(key, kid, in: &state)
                return key
            }
        }
        set {
            state.withLock { state in
                guard let newValue else { return }
                Self.put(newValue, kid, in: &state)
            }
        }
    }

    private static func put(
        _ key: EnrolledKey, _ kid: String, in state: inout (young: [String: EnrolledKey], old: [String: EnrolledKey])
    ) {
        if state.young.count >= size {
            state.old = state.young
            state.young = [:]
        }
        state.young[kid] = key
    }
}
#endif
