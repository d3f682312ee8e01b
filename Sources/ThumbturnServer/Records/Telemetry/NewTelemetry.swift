#if Server
package import ThumbturnCore
package import ThumbturnTelemetry

/// What is added to one cell.
package struct NewTelemetry: Sendable {
    package var entry: TelemetryEntry
    /// Whether a batch with a write key brought the cell; of no account for a cell that exists.
    package var isByKey: Bool

    package init(_ entry: TelemetryEntry, isByKey: Bool) {
        self.entry = entry
        self.isByKey = isByKey
    }
}

/// The cells that a day has.
package struct KnownCells: Hashable, Sendable {
    /// Those of the contexts that were asked for which have a cell.
    package var contexts: Set<TelemetryContext>
    /// The number of all cells of the day.
    package var count: Int
    /// The number of those that batches with write keys brought.
    package var countByKeys: Int
}
#endif
