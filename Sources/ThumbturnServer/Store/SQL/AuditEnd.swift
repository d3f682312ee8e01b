#if Server
import Foundation
import ThumbturnCore

/// The end of the audit log's chain, for the time of one transaction, which writes rows after it. Only the writer's queue
/// uses it.
final class AuditEnd: @unchecked Sendable {
    /// The chain after the last row; nil until the first row of the transaction is written.
    private(set) var head: Head?

    struct Head {
        let log: [UInt8]
        var number: Int64
        var hash: [UInt8]
    }

    /// Writes a row, linked to the one before it.
    func append(_ event: String, in db: Database, at now: UnixTime) throws {
        var head = try head ?? Self.read(db)
        head.number += 1
        head.hash = AuditChain.hash(log: head.log, previous: head.hash, number: head.number, at: now, event: event)
        try db.run(
            sql: "INSERT INTO audit (number, at, event, hash) VALUES (?, ?, ?, ?)",
            arguments: [head.number, now.seconds, event, blob(head.hash)])
        self.head = head
    }

    /// Goes back to an earlier end, after the rows since then were rolled back.
    func rollBack(to earlier: Head?) { head = earlier }

    /// Stores the end. Every transaction that has written rows ends with it.
    func save(in db: Database) throws {
        guard let head else { return }
        try db.run(
            sql: "UPDATE node SET audit_number = ?, audit_hash = ? WHERE one = 1", arguments: [head.number, blob(head.hash)])
    }

    /// A row that was written past the server keeps its number, and no hash covers it.
    private static func read(_ db: Database) throws -> Head {
        let node = try db.value(
            Row.self,
            sql: """
                SELECT audit_log, audit_hash, max(audit_number, coalesce((SELECT max(number) FROM audit), 0)) AS number
                FROM node WHERE one = 1
                """)
        return try Head(log: Array(node["audit_log"] as Data), number: node["number"], hash: Array(node["audit_hash"] as Data))
    }
}
#endif
