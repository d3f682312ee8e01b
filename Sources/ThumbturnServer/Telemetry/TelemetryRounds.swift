#if Server
import CoreMetrics
import Synchronization
import ThumbturnCore
import ThumbturnTelemetry

/// Counts rounds of batches in the store, each batch once.
final class TelemetryRounds: Sendable {
    private let store: SQLStore
    private let time: NodeTime
    private let metrics: ServerMetrics
    private let shares = TelemetryShares()
    /// The salt of today.
    private let salt = Mutex<(day: TelemetryDay, salt: TelemetrySalt)?>(nil)

    init(store: SQLStore, time: NodeTime, metrics: ServerMetrics) {
        self.store = store
        self.time = time
        self.metrics = metrics
    }

    /// Counts the batches that were not counted before, in one transaction. It throws where none of them was counted.
    func count(_ batches: [WaitingBatch]) async throws {
        // Another node may count one of them at the same moment, as its sender may have two connections. Then it is a
        // repetition here, and the rest is counted anew.
        while true {
            let counted = try await store.countedBatches(batches.map(\.id))
            var seen = counted
            let uncounted = batches.filter { seen.insert($0.id).inserted }
            guard !uncounted.isEmpty else { return metrics.count(.repeated, batches: batches.count) }
            let today = TelemetryDay(of: time.now)
            let tally = try await tally(uncounted, on: today)
            let new = tally.cells.map { context, sums in
                NewTelemetry(
                    TelemetryEntry(
                        cell: TelemetryCell(day: today.number, context: context), tally: sums.unlocks, devices: sums.devices),
                    isByKey: sums.isByKey)
            }
            guard let unreadable = try await store.add(new, of: uncounted.map(\.id)) else { continue }
            metrics.count(.counted, batches: uncounted.count)
            metrics.count(.repeated, batches: batches.count - uncounted.count)
            metrics.count(.other, tally.others)
            metrics.count(.counted, uncounted.reduce(0) { $0 + $1.unlocks.count } - tally.others)
            metrics.unreadableCells.increment(by: unreadable)
            return
        }
    }

    private func tally(_ batches: [WaitingBatch], on today: TelemetryDay) async throws -> TelemetryTally {
        let contexts = batches.reduce(into: Set<TelemetryContext>()) { $0.formUnion($1.contexts) }
        let known = try await store.knownCells(contexts, on: today)
        var tally = TelemetryTally(salt: try await salt(of: today), known: known)
        for batch in batches { tally.add(batch) { shares.take($0, on: today) } }
        return tally
    }

    /// The salt of today. That of another day is forgotten here as it is in the store.
    private func salt(of today: TelemetryDay) async throws -> TelemetrySalt {
        if let known = salt.withLock({ $0 }), known.day == today { return known.salt }
        let made = TelemetrySalt(bytes: try await store.telemetrySalt(of: today))
        salt.withLock { $0 = (today, made) }
        return made
    }
}
#endif
