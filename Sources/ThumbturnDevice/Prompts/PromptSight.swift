import Synchronization

/// Tells everybody who listens whether a prompt of the system is up.
final class PromptSight: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isUp = false
        var lastListener = 0
        var listeners: [Int: AsyncStream<Bool>.Continuation] = [:]
    }

    func set(_ isUp: Bool) {
        let listeners = state.withLock { state in
            state.isUp = isUp
            return Array(state.listeners.values)
        }
        listeners.forEach { $0.yield(isUp) }
    }

    func stream() -> AsyncStream<Bool> {
        let (stream, listener) = AsyncStream.makeStream(of: Bool.self)
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            // Under the lock, so that it comes before any change.
            listener.yield(state.isUp)
            return state.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}
