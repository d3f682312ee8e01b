import Synchronization

/// Tells everybody who listens. Whoever begins to listen hears the latest value first, where the relay began with one.
package final class Broadcaster<Value: Sendable>: Sendable {
    private let state: Mutex<State>

    private struct State {
        var latest: Value?
        var lastListener = 0
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    package init(_ first: Value? = nil) {
        state = Mutex(State(latest: first))
    }

    package func send(_ value: Value) {
        // Under the lock, so that all of them hear the same order.
        state.withLock { state in
            if state.latest != nil { state.latest = value }
            state.listeners.values.forEach { $0.yield(value) }
        }
    }

    package func stream() -> AsyncStream<Value> {
        let (stream, listener) = AsyncStream.makeStream(of: Value.self)
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            if let latest = state.latest { listener.yield(latest) }
            return state.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}
