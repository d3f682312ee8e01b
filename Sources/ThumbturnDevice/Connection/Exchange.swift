import Synchronization
import ThumbturnCore

/// One request on its way through URLSession: what has arrived of its answer, and its one end.
final class Exchange: Sendable {
    typealias Outcome = Result<TransportResponse, Failure>

    private let state = Mutex(State())
    private let longestAnswer: Int

    private struct State {
        var head: (status: Int, headers: [String: String])?
        var body: [UInt8] = []
        var pieces = 0
        var outcome: Outcome?
        var waiting: CheckedContinuation<Outcome, Never>?
        var cancel: (@Sendable () -> Void)?
    }

    init(longestAnswer: Int) {
        self.longestAnswer = longestAnswer
    }

    /// Waits for the end. To be called once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiting = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Whether data goes on coming long after the end.
    var isFlooded: Bool { state.withLock { $0.outcome != nil && $0.pieces > 2 * Self.mostPieces } }

    /// Names what cancels the network's task; called at once where the exchange was stopped already.
    func onStop(_ cancel: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.outcome == nil { state.cancel = cancel }
            return state.outcome != nil
        }
        if hasEnded { cancel() }
    }

    /// Ends the exchange with a failure, and cancels the network's task.
    func stop(_ failure: Failure) {
        end(.failure(failure))?()
    }

    /// The head of an answer arrived. A later one replaces it: an answer with a status below 200 comes before the real
    /// one.
    func received(status: Int, headers: [String: String], length: Int64) {
        state.withLock { $0.head = (status, headers) }
        if length > Int64(longestAnswer) { stop(Failure(.unexpectedAnswer)) }
    }

    /// A piece of the body arrived, after decompression.
    func received(_ piece: some Collection<UInt8>) {
        let isTooMuch = state.withLock { state in
            state.pieces += 1
            guard state.outcome == nil else { return false }
            guard state.body.count + piece.count <= longestAnswer, state.pieces <= Self.mostPieces else { return true }
            state.body += piece
            return false
        }
        if isTooMuch { stop(Failure(.unexpectedAnswer)) }
    }

    /// The most pieces of a body: each costs memory and time whatever its size, and the network itself makes pieces of
    /// 1 KiB and more.
    private static let mostPieces = 8192

    /// The answer is complete.
    func completed() {
        let answer = state.withLock { state in state.head.map { ($0, state.body) } }
        guard let ((status, headers), body) = answer, status >= 200 else {
            _ = end(.failure(Failure(.unexpectedAnswer)))
            return
        }
        _ = end(.success(TransportResponse(status: status, headers: headers, body: body)))
    }

    /// The network failed.
    func failed(_ status: Failure.PlatformStatus) {
        _ = end(.failure(Failure(.unreachable, recovery: .retry, status: status)))
    }

    /// The first end counts. Returns what cancels the network's task, where this was the first.
    private func end(_ outcome: Outcome) -> (@Sendable () -> Void)? {
        let before: State? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            let before = state
            state = State(pieces: state.pieces, outcome: outcome)
            return before
        }
        before?.waiting?.resume(returning: outcome)
        return before?.cancel
    }
}
