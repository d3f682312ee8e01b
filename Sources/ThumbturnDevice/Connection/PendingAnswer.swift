import Synchronization
package import ThumbturnCore

/// The answer to one request on its way through the network: what has arrived of it, and its one outcome.
///
/// This is the only place that judges an answer's size. A transport that reads piece by piece hands it each piece, and is
/// stopped at the first one too many; `BoundedTransport` hands it the whole answer of any transport.
package final class PendingAnswer: Sendable {
    private typealias Outcome = Result<TransportResponse, Failure>

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

    private init(longestAnswer: Int) {
        self.longestAnswer = longestAnswer
    }

    /// Waits for the one outcome: the whole answer, a failure, or the cancellation of the caller. There is no limit of time.
    ///
    /// - Parameters:
    ///   - request: the request, for the size that its answer may have.
    ///   - start: sends the request, and names what cancels that (`onStop`).
    package static func wait(
        for request: TransportRequest, start: (PendingAnswer) -> Void
    ) async throws(Failure) -> TransportResponse {
        let answer = PendingAnswer(longestAnswer: request.longestAnswer)
        let outcome = await withTaskCancellationHandler {
            start(answer)
            return await answer.outcome()
        } onCancel: {
            answer.stop(Failure(.cancelledByApp))
        }
        return try outcome.get()
    }

    /// Waits for the end. To be called once.
    private func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiting = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Whether there is an outcome: the answer is complete, or was stopped.
    package var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Whether data goes on coming long after the end.
    package var isFlooded: Bool { state.withLock { $0.outcome != nil && $0.pieces > 2 * Self.mostPieces } }

    /// Names what cancels the network's task; called at once if the answer was stopped already.
    package func onStop(_ cancel: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.outcome == nil { state.cancel = cancel }
            return state.outcome != nil
        }
        if hasEnded { cancel() }
    }

    /// Gives up the answer with a failure, and cancels the network's task.
    package func stop(_ failure: Failure) {
        end(.failure(failure))?()
    }

    /// The head of an answer arrived. A later one replaces it: an answer with a status below 200 comes before the real
    /// one.
    ///
    /// - Parameter length: the length of the body as the head announces it; negative if it does not.
    package func received(status: Int, headers: [String: String], length: Int64) {
        guard length <= Int64(longestAnswer), Self.allows(headers) else { return stop(Failure(.unexpectedAnswer)) }
        state.withLock { $0.head = (status, headers) }
    }

    private static func allows(_ headers: [String: String]) -> Bool {
        headers.count <= TransportResponse.mostHeaders
            && headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= TransportResponse.longestHeaders
    }

    /// A piece of the body arrived, after decompression.
    package func received(_ piece: some Collection<UInt8>) {
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

    /// The whole answer arrived at once, because a transport had already read it.
    func received(_ whole: TransportResponse) {
        received(status: whole.status, headers: whole.headers, length: Int64(whole.body.count))
        state.withLock { state in
            if state.outcome == nil { state.body = whole.body }
        }
        completed()
    }

    /// The answer is complete.
    ///
    /// - Parameter release: gives the connection to the next request. It is called before the caller has the answer, and
    ///   only where this is the end that counts: a connection whose answer was stopped is about to be closed.
    package func completed(release: () -> Void = {}) {
        let answer = state.withLock { state in state.head.map { ($0, state.body) } }
        guard let ((status, headers), body) = answer, status >= 200 else { return stop(Failure(.unexpectedAnswer)) }
        _ = end(.success(TransportResponse(status: status, headers: headers, body: body)), release: release)
    }

    /// The network failed.
    package func failed(_ status: Failure.PlatformStatus) {
        _ = end(.failure(Failure(.unreachable, recovery: .retry, status: status)))
    }

    /// The first end counts. Returns what cancels the network's task, where this was the first.
    private func end(_ outcome: Outcome, release: () -> Void = {}) -> (@Sendable () -> Void)? {
        let before: State? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            let before = state
            state = State(pieces: state.pieces, outcome: outcome)
            return before
        }
        guard let before else { return nil }
        release()
        before.waiting?.resume(returning: outcome)
        return before.cancel
    }
}
