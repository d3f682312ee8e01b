import Synchronization

/// Lets one task through at a time, in the order of their coming. Waiting suspends and blocks no thread.
package final class SerialGate: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    package init() {}

    /// Waits for its turn. Who has entered must leave.
    package func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next one in.
    package func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
