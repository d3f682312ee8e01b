#if Server
package import ThumbturnCore
package import ThumbturnTelemetry

/// The part of the store that keeps the counts of unlocks. It has no id of a person, a device or a session.
package protocol TelemetryStore: Sendable {
    /// Adds a write key by the hash of its text. False if the name is taken.
    func addTelemetryKey(_ name: String, hash: [UInt8]) async throws -> Bool
    /// Removes a write key. False if there is none of this name.
    func removeTelemetryKey(_ name: String) async throws -> Bool
    /// All write keys, sorted by name.
    func telemetryKeys() async throws -> [TelemetryKey]
    /// The write key whose text has this hash; nil if there is none.
    func telemetryKey(hash: [UInt8]) async throws -> TelemetryKey?

    /// The random value of a day, 32 bytes. It is made if there is none.
    func telemetrySalt(of day: TelemetryDay) async throws -> [UInt8]
    /// Which of these batches were counted before.
    func countedBatches(_ ids: [[UInt8]]) async throws -> Set<[UInt8]>
    /// Which of these contexts have a cell on a day, and how many cells the day has.
    func knownCells(_ contexts: Set<TelemetryContext>, on day: TelemetryDay) async throws -> KnownCells
    /// Adds to the cells, and marks these batches as counted, in one transaction.
    ///
    /// - Returns: how many of the cells hold sums that this version of the server cannot read, and stay as they are; nil if one of
    ///   the batches was counted in the meantime, and then nothing was changed.
    func add(_ entries: [NewTelemetry], of batches: [[UInt8]]) async throws -> Int?
    /// The cells of the days from `first` to `last`.
    func telemetry(from first: TelemetryDay, to last: TelemetryDay) async throws -> [TelemetryEntry]
    /// Deletes the cells before a day, if one is given, the salts of other days than `today`, and the marks of batches before a
    /// time; of those also the oldest beyond `mostBatches`.
    func purgeTelemetry(cellsBefore: TelemetryDay?, today: TelemetryDay, batchesBefore: UnixTime, mostBatches: Int) async throws
}

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
#endif
