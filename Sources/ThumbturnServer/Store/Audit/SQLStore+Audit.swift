#if Server
import Foundation
package import ThumbturnCore

/// What the store keeps of the audit log.
///
/// The transaction of an event writes its row, so no row is lost and none tells of what did not happen. Rows are only
/// ever added; `purgeAudit` deletes the oldest ones.
extension SQLStore {
    /// Writes a row for an event that has no transaction of its own.
    package func record(_ event: AuditEvent) async throws {
        try await writer.write { db, now in try Self.audit(event, in: db, at: now) }
    }

    /// The state of the log.
    package func auditState() async throws -> AuditState {
        try await pool.read { try Self.auditState(in: $0) }
    }

    /// The state of the log and all its checkpoints at one moment, so that none of them is newer than the state.
    package func auditStateAndCheckpoints() async throws -> (AuditState, [AuditVerification.StoredCheckpoint]) {
        try await pool.read { (try Self.auditState(in: $0), try Self.checkpoints(in: $0)) }
    }

    /// The rows after this number in the order of their numbers, at most `limit`.
    package func auditRows(after number: Int64, limit: Int) async throws -> [AuditRow] {
        try await pool.read { db in
            try db.all(
                Row.self, sql: "SELECT number, at, event, hash FROM audit WHERE number > ? ORDER BY number LIMIT ?",
                arguments: [number, limit]
            ).map { row in
                try AuditRow(
                    number: row["number"], at: UnixTime(seconds: row["at"]), event: row["event"],
                    hash: Array(row["hash"] as Data? ?? Data()))
            }
        }
    }

    /// Writes a checkpoint over the last row, if there are rows after the last checkpoint.
    ///
    /// - Parameter sign: signs the end of the log. It runs inside the transaction.
    /// - Returns: whether a checkpoint was written.
    package func addCheckpoint(
        _ sign: @escaping @Sendable (_ log: [UInt8], AuditVerification.Head, UnixTime) throws -> String
    ) async throws -> Bool {
        try await writer.write { db, now in
            // Rows of this transaction have no hash yet, and the next checkpoint covers them.
            let state = try Self.auditState(in: db)
            guard state.head.number > state.checkpoint.number else { return false }
            try db.run(
                sql: "INSERT INTO audit_checkpoints (number, at, signed) VALUES (?, ?, ?)",
                arguments: [state.head.number, now.seconds, try sign(state.log, state.head, now)])
            return true
        }
    }

    /// All checkpoints in the order of their rows.
    package func checkpoints() async throws -> [AuditVerification.StoredCheckpoint] {
        try await pool.read { try Self.checkpoints(in: $0) }
    }

    /// Deletes the oldest rows that a checkpoint from before this time covers, and the checkpoints before that one. The
    /// rest can still be verified.
    ///
    /// One call deletes some ten thousand rows in one transaction; call it again until nothing was deleted.
    ///
    /// - Returns: whether rows were deleted.
    @discardableResult
    package func purgeAudit(before: UnixTime) async throws -> Bool {
        try await writer.write { db, now in
            let first = try db.one(Int64.self, sql: "SELECT min(number) FROM audit")
            // Some ten thousand rows at a time, so that no request waits long for a large deletion.
            let last = try db.one(
                Int64.self,
                sql: """
                    SELECT coalesce(
                        (SELECT min(number) FROM audit_checkpoints WHERE at < ?1 AND number >= ?2 + 10000),
                        (SELECT max(number) FROM audit_checkpoints WHERE at < ?1))
                    """,
                arguments: [before.seconds, first])
            guard let first, let last, first <= last else { return false }
            try db.run(sql: "DELETE FROM audit WHERE number <= ?", arguments: [last])
            try db.run(sql: "DELETE FROM audit_checkpoints WHERE number < ?", arguments: [last])
            try Self.audit(AuditEvent(.purged, count: Int(last)), in: db, at: now)
            return true
        }
    }

    // MARK: Inside a transaction

    /// Writes the row of an event in the event's own transaction.
    static func audit(_ event: AuditEvent, in db: Database, at now: UnixTime) throws {
        let origin = AuditOrigin.current
        var event = event
        event.from = origin.network?.text
        if let end = origin.end { return try end.append(json(event), in: db, at: now) }
        let end = AuditEnd()
        try end.append(json(event), in: db, at: now)
        try end.save(in: db)
    }

    private static func checkpoints(in db: Database) throws -> [AuditVerification.StoredCheckpoint] {
        try db.all(Row.self, sql: "SELECT number, signed FROM audit_checkpoints ORDER BY number")
            .map { try .init(number: $0["number"], signed: $0["signed"]) }
    }

    private static func auditState(in db: Database) throws -> AuditState {
        let row = try db.value(
            Row.self,
            sql: """
                SELECT audit_log, audit_number, audit_hash, (SELECT min(number) FROM audit) AS first,
                    (SELECT max(number) FROM audit_checkpoints) AS signed,
                    (SELECT at FROM audit_checkpoints WHERE number = (SELECT max(number) FROM audit_checkpoints)) AS signed_at
                FROM node WHERE one = 1
                """
        )
        return try AuditState(
            log: Array(row["audit_log"] as Data),
            head: .init(number: row["audit_number"], hash: Array(row["audit_hash"] as Data)), first: row["first"],
            checkpointNumber: row["signed"] ?? 0, checkpointAt: UnixTime(seconds: row["signed_at"] ?? 0)
        )
    }
}
#endif
