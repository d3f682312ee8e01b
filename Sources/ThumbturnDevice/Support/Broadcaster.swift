import Synchronization

/// Sends values to every listener. Where the broadcaster began with a value, a new listener first receives the latest
/// one.
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
        // Under the lock, so that all listeners receive the values in the same order.
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
