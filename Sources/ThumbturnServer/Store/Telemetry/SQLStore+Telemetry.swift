#if Server
import Foundation
package import ThumbturnCore
import ThumbturnMessages
package import ThumbturnTelemetry
import ThumbturnVerifier

/// What the store keeps of the counts of unlocks. It has no id of a person, a device or a session.
extension SQLStore {
    /// The random value of a day, 32 bytes. It is made if there is none.
    package func telemetrySalt(of day: TelemetryDay) async throws -> [UInt8] {
        try await writer.write { db, _ in
            try db.run(
                sql: "INSERT INTO telemetry_salts (day, salt) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [day.number, blob(RandomBytes.sixteen() + RandomBytes.sixteen())])
            return Array(
                try db.value(Data.self, sql: "SELECT salt FROM telemetry_salts WHERE day = ?", arguments: [day.number]))
        }
    }

    /// Which of these batches were counted before.
    package func countedBatches(_ ids: [[UInt8]]) async throws -> Set<[UInt8]> {
        try await pool.read { db in
            Set(
                try ids.filter { id in
                    try db.one(Int.self, sql: "SELECT 1 FROM telemetry_batches WHERE id = ?", arguments: [blob(id)]) != nil
                })
        }
    }

    /// Which of these contexts have a cell on a day, and how many cells the day has.
    package func knownCells(_ contexts: Set<TelemetryContext>, on day: TelemetryDay) async throws -> KnownCells {
        try await pool.read { db in
            let existing = try contexts.filter { context in
                try db.one(
                    Int.self, sql: "SELECT 1 FROM telemetry_cells WHERE day = ? AND context = ?",
                    arguments: [day.number, json(context)]) != nil
            }
            let row = try db.value(
                Row.self,
                sql: "SELECT count(*) AS cells, count(*) FILTER (WHERE by_key = 1) AS by_keys FROM telemetry_cells WHERE day = ?",
                arguments: [day.number])
            return try KnownCells(contexts: existing, count: row["cells"], countByKeys: row["by_keys"])
        }
    }

    /// Adds to the cells, and marks these batches as counted, in one transaction.
    ///
    /// - Returns: how many of the cells hold sums that this version of the server cannot read, and stay as they are; nil if one of
    ///   the batches was counted in the meantime, and then nothing was changed.
    package func add(_ entries: [NewTelemetry], of batches: [[UInt8]]) async throws -> Int? {
        do {
            return try await writer.write { db, now in
                for id in batches {
                    try db.run(
                        sql: "INSERT INTO telemetry_batches (id, seen_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                        arguments: [blob(id), now.seconds])
                    guard db.changesCount == 1 else { throw CountedMeanwhile() }
                }
                return try entries.filter { try !Self.merge($0, in: db) }.count
            }
        } catch is CountedMeanwhile {
            return nil
        }
    }

    /// Ends the transaction of batches of which another node has counted one.
    private struct CountedMeanwhile: Error {}

    /// - Returns: false if the cell's sums cannot be read.
    private static func merge(_ new: NewTelemetry, in db: Database) throws -> Bool {
        var entry = new.entry
        let context = json(entry.cell.context)
        let row = try db.one(
            Row.self, sql: "SELECT tally, devices FROM telemetry_cells WHERE day = ? AND context = ?",
            arguments: [entry.cell.day, context])
        if let row {
            // A newer version of the server may have written a cell that this one cannot read. It stays as it is, and the
            // other cells of the round are counted.
            guard let stored = try? Self.sums(in: row) else { return false }
            entry.tally.merge(stored.tally)
            entry.devices.merge(stored.devices)
        }
        try db.run(
            sql: """
                INSERT INTO telemetry_cells (day, context, by_key, tally, devices) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (day, context) DO UPDATE SET tally = ?4, devices = ?5
                """,
            arguments: [entry.cell.day, context, new.isByKey, blob(entry.tally.bytes), blob(entry.devices.bytes)])
        return true
    }

    private static func sums(in row: Row) throws -> (tally: UnlockTally, devices: DistinctDevices) {
        (
            try UnlockTally(bytes: Array(row["tally"] as Data)), try DistinctDevices(bytes: Array(row["devices"] as Data))
        )
    }

    /// The cells of the days from `first` to `last`.
    package func telemetry(from first: TelemetryDay, to last: TelemetryDay) async throws -> [TelemetryEntry] {
        try await pool.read { db in
            try db.all(
                Row.self,
                sql: """
                    SELECT day, context, tally, devices FROM telemetry_cells WHERE day BETWEEN ? AND ? ORDER BY day, context
                    """,
                arguments: [first.number, last.number]
            ).map { row in
                let text: String = try row["context"]
                do {
                    let context = try StrictJSON.decodeIgnoringUnknown(TelemetryContext.self, from: Array(text.utf8))
                    let sums = try Self.sums(in: row)
                    return try TelemetryEntry(
                        cell: TelemetryCell(day: row["day"], context: context), tally: sums.tally, devices: sums.devices)
                } catch {
                    throw SetupError.telemetryUnreadable
                }
            }
        }
    }

    /// Deletes the cells before a day, if one is given, the salts of other days than `today`, and the marks of batches before a
    /// time; of those also the oldest beyond `mostBatches`.
    package func purgeTelemetry(
        cellsBefore: TelemetryDay?, today: TelemetryDay, batchesBefore: UnixTime, mostBatches: Int
    ) async throws {
        // Counted by a reader, because it reads as many entries of an index as there may be batches.
        let excess = try await pool.read { db in
            try db.one(
                Int64.self, sql: "SELECT seen_at FROM telemetry_batches ORDER BY seen_at DESC LIMIT 1 OFFSET ?",
                arguments: [mostBatches])
        }
        let until = max(batchesBefore.seconds, excess ?? .min)
        if let cellsBefore {
            try await deleteInPortions(
                """
                DELETE FROM telemetry_cells
                WHERE (day, context) IN (SELECT day, context FROM telemetry_cells WHERE day < ? LIMIT ?)
                """, cellsBefore.number)
        }
        try await deleteInPortions(
            """
            DELETE FROM telemetry_batches
            WHERE id IN (SELECT id FROM telemetry_batches WHERE seen_at <= ? LIMIT ?)
            """, until)
        try await writer.write { db, _ in
            // Overwritten first: SQLite leaves the bytes of a deleted row in its page.
            try db.run(
                sql: "UPDATE telemetry_salts SET salt = zeroblob(32) WHERE day != ?", arguments: [today.number])
            try db.run(sql: "DELETE FROM telemetry_salts WHERE day != ?", arguments: [today.number])
        }
    }

    // MARK: Write keys

    /// Adds a write key by the hash of its text. False if the name is taken.
    package func addTelemetryKey(_ name: String, hash: [UInt8]) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: "INSERT INTO telemetry_keys (name, hash, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [name, blob(hash), now.seconds])
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.telemetryKeyAdded, detail: name), in: db, at: now)
            return true
        }
    }

    /// Removes a write key. False if there is none of this name.
    package func removeTelemetryKey(_ name: String) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(sql: "DELETE FROM telemetry_keys WHERE name = ?", arguments: [name])
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.telemetryKeyRemoved, detail: name), in: db, at: now)
            return true
        }
    }

    /// All write keys, sorted by name.
    package func telemetryKeys() async throws -> [TelemetryKey] {
        try await pool.read { db in
            try db.all(Row.self, sql: "SELECT name, created_at FROM telemetry_keys ORDER BY name").map(Self.telemetryKey)
        }
    }

    /// The write key whose text has this hash; nil if there is none.
    package func telemetryKey(hash: [UInt8]) async throws -> TelemetryKey? {
        try await pool.read { db in
            try db.one(
                Row.self, sql: "SELECT name, created_at FROM telemetry_keys WHERE hash = ?", arguments: [blob(hash)]
            ).map(Self.telemetryKey)
        }
    }

    private static func telemetryKey(_ row: Row) throws -> TelemetryKey {
        try TelemetryKey(name: row["name"], createdAt: UnixTime(seconds: row["created_at"]))
    }
}
#endif
