#if Server
import Synchronization
import ThumbturnCore

/// Gathers batches and has rounds of them counted, each round in one transaction.
///
/// A batch is answered when the transaction that counts it has been committed, so a crash loses none that was answered with
/// 202, and a sender without an answer may send again. The round has no task of its own: the first request that waits leads
/// it, and hands the lead to the next one that still waits. So a server that stops, which finishes its open requests, leaves
/// nothing behind in memory.
///
/// A round takes time of the only writer of the database. The next one begins `spacing` after its end, and a round touches few
/// cells, so that sign-ins get in between.
final class TelemetryIntake: Sendable {
    /// What became of a batch.
    enum Outcome: Hashable {
        /// It was counted, now or when it came first.
        case counted
        /// There is no room for it: the most unlocks wait already.
        case full
    }

    /// Counts the batches of a round. It throws where none of them was counted.
    typealias Count = @Sendable ([WaitingBatch]) async throws -> Void

    private struct State {
        var waiting: [Entry] = []
        var unlocks = 0
        /// The unlocks that came with write keys.
        var unlocksByKeys = 0
        var isLed = false
        var earliest: ContinuousClock.Instant?
    }

    private struct Entry {
        let batch: WaitingBatch
        let number: Int
        let resume: CheckedContinuation<Turn, any Error>
    }

    /// What a waiting request does next.
    private enum Turn {
        case done
        /// It leads the next round, in which it is itself.
        case lead
    }

    private let state = Mutex(State())
    private let numbers = Atomic(0)
    private let spacing: Duration
    private let count: Count

    init(spacing: Duration = Limits.telemetrySpacing, count: @escaping Count) {
        self.spacing = spacing
        self.count = count
    }

    /// The unlocks that wait, for the operator.
    var waitingUnlocks: Int { state.withLock { $0.unlocks } }

    /// Has a batch counted, and returns when it is stored.
    func submit(_ batch: WaitingBatch) async throws -> Outcome {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        guard reserve(batch) else { return .full }
        let turn = try await withCheckedThrowingContinuation { (resume: CheckedContinuation<Turn, any Error>) in
            let leads = state.withLock { state in
                state.waiting.append(Entry(batch: batch, number: number, resume: resume))
                defer { state.isLed = true }
                return !state.isLed
            }
            if leads { resume.resume(returning: .lead) }
        }
        if turn == .lead { try await lead(number) }
        return .counted
    }

    /// Takes room for a batch. Write keys, which strangers can have, take no more than half of it.
    private func reserve(_ batch: WaitingBatch) -> Bool {
        state.withLock { state in
            let most = Limits.telemetryWaiting
            guard state.unlocks + batch.unlocks.count <= most,
                !batch.sender.hasKey || state.unlocksByKeys + batch.unlocks.count <= most / 2
            else { return false }
            state.unlocks += batch.unlocks.count
            if batch.sender.hasKey { state.unlocksByKeys += batch.unlocks.count }
            return true
        }
    }

    /// Leads one round: waits until it is due, counts it and answers its other batches. Then the next one that waits leads.
    private func lead(_ own: Int) async throws {
        // A leader whose task was cancelled does not wait.
        if let due = state.withLock({ $0.earliest }) { try? await Task.sleep(until: due, clock: .continuous) }
        let round = takeRound(of: own)
        let result: Result<Void, any Error>
        do {
            // In a task of its own: the end of the leader's request is not that of the others' batches.
            result = .success(try await Task { [count] in try await count(round.map(\.batch)) }.value)
        } catch {
            result = .failure(error)
        }
        for entry in round where entry.number != own { entry.resume.resume(with: result.map { Turn.done }) }
        let next = state.withLock { state in
            for batch in round.map(\.batch) {
                state.unlocks -= batch.unlocks.count
                if batch.sender.hasKey { state.unlocksByKeys -= batch.unlocks.count }
            }
            state.isLed = !state.waiting.isEmpty
            // A round that took long is not followed at once by another one.
            state.earliest = .now + spacing
            return state.waiting.first
        }
        next?.resume.resume(returning: .lead)
        try result.get()
    }

    /// The leader's batch, which is the first that waits, and as many of the next ones as fit into a round.
    private func takeRound(of own: Int) -> [Entry] {
        state.withLock { state in
            state.earliest = .now + spacing
            var (contexts, unlocks, size) = (Set<TelemetryContext>(), 0, 0)
            for entry in state.waiting {
                contexts.formUnion(entry.batch.contexts)
                unlocks += entry.batch.unlocks.count
                guard size == 0 || (contexts.count <= Limits.telemetryRoundCells && unlocks <= Limits.telemetryRoundUnlocks)
                else { break }
                size += 1
            }
            let round = Array(state.waiting.prefix(size))
            state.waiting.removeFirst(size)
            precondition(round.first?.number == own, "the leader is the first that waits")
            return round
        }
    }
}
#endif
