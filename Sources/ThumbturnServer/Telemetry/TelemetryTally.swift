#if Server
import ThumbturnCore
import ThumbturnTelemetry

/// What a round of batches adds to the cells of a day: the unlocks and the devices of each.
///
/// A label is what an app makes of it, and a write key can be read out of an app, so new cells are bounded: those of a day, those
/// of them that write keys begin, and those that one sender begins. The unlocks beyond a bound count in the cell `other`.
struct TelemetryTally: Sendable {
    /// The sums of one cell.
    struct Sums: Sendable {
        var unlocks = UnlockTally()
        var devices = DistinctDevices()
        /// Whether a batch with a write key brought the cell.
        let isByKey: Bool
    }

    private(set) var cells: [TelemetryContext: Sums] = [:]
    /// The unlocks that were counted in the cell `other`.
    private(set) var others = 0

    private let salt: TelemetrySalt
    private var known: KnownCells

    /// - Parameter known: the cells that the day has already.
    init(salt: TelemetrySalt, known: KnownCells) {
        self.salt = salt
        self.known = known
    }

    /// Adds the unlocks of a batch.
    ///
    /// - Parameter take: takes one of the new cells that a sender may begin; false if it has none left.
    mutating func add(_ batch: WaitingBatch, take: (BatchSender.Shareholder) -> Bool) {
        let hash = salt.hash(of: batch)
        var targets: [TelemetryContext: TelemetryContext] = [:]
        for context in batch.contexts {
            let target = mayCount(context, batch.sender, take) ? context : .other
            cells[target, default: Sums(isByKey: batch.sender.hasKey)].devices.add(hash)
            targets[context] = target
        }
        for report in batch.unlocks {
            guard let target = targets[report.context] else { preconditionFailure("a batch lists the contexts of its unlocks") }
            cells[target]?.unlocks.add(report)
            if target != report.context { others += 1 }
        }
    }

    /// Whether there is a cell for a context, or one may be begun for it.
    private mutating func mayCount(
        _ context: TelemetryContext, _ sender: BatchSender, _ take: (BatchSender.Shareholder) -> Bool
    ) -> Bool {
        if cells[context] != nil || known.contexts.contains(context) || context == .other { return true }
        guard known.count < Limits.telemetryCells, !sender.hasKey || known.countByKeys < Limits.telemetryCellsOfKeys,
            take(sender.shareholder)
        else { return false }
        known.count += 1
        if sender.hasKey { known.countByKeys += 1 }
        return true
    }
}

extension TelemetryContext {
    /// What the unlocks beyond the bounds are counted by.
    static let other = TelemetryContext(
        system: "other", model: "other", systemVersion: "other", appVersion: "other", policy: "other", arm: "other")
}
#endif
