import Dispatch
import Synchronization

/// The first of several answers. Later answers are ignored.
final class FirstAnswer: Sendable {
    private struct State {
        var answer: Bool?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    func give(_ answer: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: answer)
    }

    /// The answer, or false if none came in time. Only one task may wait.
    func value(within limit: Duration) async -> Bool {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.inSeconds) { self.give(false) }
        return await withCheckedContinuation { waiter in
            let answer = state.withLock { state in
                if state.answer == nil { state.waiter = waiter }
                return state.answer
            }
            if let answer { waiter.resume(returning: answer) }
        }
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
