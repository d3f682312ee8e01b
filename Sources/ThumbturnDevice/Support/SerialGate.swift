import Synchronization
import ThumbturnCore

/// Lets one task through at a time, in the order of arrival. Waiting suspends the task and blocks no thread.
package final class SerialGate: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    package init() {}

    /// Waits for the caller's turn. A caller that has entered must leave.
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

    /// Lets the next waiting task through.
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

    /// Runs the body while no other task is inside.
    func serialised<Result>(_ body: () async throws(Failure) -> Result) async throws(Failure) -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }
}

/// A gate for each name, made when it is first asked for.
package final class SerialGates: Sendable {
    private let gates = Mutex<[String: SerialGate]>([:])

    package init() {}

    package subscript(name: String) -> SerialGate {
        gates.withLock { gates in
            if let gate = gates[name] { return gate }
            let gate = SerialGate()
            gates[name] = gate
            return gate
        }
    }
}
