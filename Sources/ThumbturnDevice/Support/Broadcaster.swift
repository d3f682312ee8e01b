import Synchronization

/// Sends values to every listener. Where the broadcaster began with a value, a new listener first receives the latest
/// one.
///
/// A listener that has ended is forgotten at the next value, and not by a handler of its end: that would wait for the lock under
/// which values are sent, while its task is locked by its cancellation, and the sender would wait for that task.
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
            state.listeners = state.listeners.filter { $0.value.takes(value) }
        }
    }

    package func stream() -> AsyncStream<Value> {
        let (stream, listener) = AsyncStream.makeStream(of: Value.self)
        state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            if let latest = state.latest { listener.yield(latest) }
        }
        return stream
    }
}

extension AsyncStream.Continuation where Element: Sendable {
    /// Sends a value; false if no listener is left.
    package func takes(_ value: Element) -> Bool {
        if case .terminated = yield(value) { false } else { true }
    }
}
