#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
@testable import ThumbturnServer

/// One writer serves all requests, so no statement may take longer because there are many accounts, sessions or approvals.
///
/// SQLite plans each statement of the store, and none scans a table that grows, also where a deleted row makes SQLite look for the
/// rows that refer to it.
@Suite struct StatementPlansTests {
    /// Tables that stay small. `node`, or `n` in a join, has one row.
    private static let small: Set = [
        "node", "n", "secrets", "clients", "retired_token_keys", "telemetry_keys", "telemetry_salts", "policy_versions",
        "CONSTANT",
    ]

    /// The statements that may scan a table, and why.
    private static let exempt = [
        // Once, after a restore.
        "UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL",
        "DELETE FROM visits",
        "UPDATE approvals SET state = 'expired' WHERE state IN ('open', 'approved')",
        "UPDATE accounts SET one_time_last = max(one_time_last, (SELECT epoch_began FROM node) / 30 + 1)",
        "DELETE FROM recovery_codes",
        // For the operator's verification, which reads all of the log.
        "SELECT number, signed FROM audit_checkpoints ORDER BY number",
        // Once, when an operator sets the time.
        "UPDATE throttles SET until = min(until, ?)",
        "UPDATE keys SET paused_until = min(paused_until, ?)",
        """
        UPDATE devices SET cools_off_until = min(cools_off_until, ?1), enrolled_at = min(enrolled_at, ?2), \
        revoked_at = min(revoked_at, ?2)
        """,
        "UPDATE keys SET retired_at = min(retired_at, ?)",
        "DELETE FROM approval_rates",
        "UPDATE accounts SET signatures_over = min(signatures_over, ?), quotas_over = min(quotas_over, ?)",
        "UPDATE approvals SET expires_at = min(expires_at, ?) WHERE state != 'redeemed'",
        "UPDATE notices SET at = min(at, ?1), due_at = min(due_at, ?1)",
        "UPDATE notices_to_nobody SET at = min(at, ?)",
        "DELETE FROM sessions WHERE auth_time > ?",
        "UPDATE accounts SET one_time_last = ? WHERE one_time_last > ?",
        // Once, when the master key is changed or a backup is restored.
        "SELECT id, one_time_secret FROM accounts WHERE one_time_secret IS NOT NULL",
        // Once a minute, by a reader: the time of the oldest batch that is still known.
        "SELECT seen_at FROM telemetry_batches ORDER BY seen_at DESC LIMIT 1 OFFSET ?",
        // For the counts of a measurement.
        "SELECT count(*) FROM spent",
    ]

    @Test func noneScansATableThatGrows() throws {
        let statements = try Self.statements()
        #expect(statements.count > 80, "the statements were not found")
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue)
        try queue.read { db in
            for sql in statements where !Self.exempt.contains(sql) {
                let plan = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                // A plan does not depend on the arguments.
                plan.setUncheckedArguments([])
                for step in try Row.fetchAll(plan).map({ $0["detail"] as String }) {
                    // To build an index of its own, SQLite reads the whole table.
                    #expect(!step.contains("AUTOMATIC"), "\(sql): \(step)")
                    guard step.hasPrefix("SCAN ") else { continue }
                    let table = step.split(separator: " ")[1]
                    #expect(Self.small.contains(String(table)), "\(sql): \(step)")
                }
            }
        }
        for sql in Self.exempt { #expect(statements.contains(sql), "an exempt statement that does not exist: \(sql)") }
    }

    /// Revoked devices stay, and an account may have many.
    @Test func livingDevicesAreFoundWithoutTheRevokedOnes() throws {
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue)
        let statements = try Self.statements().filter { $0.hasSuffix("FROM devices WHERE account_id = ? AND revoked_at IS NULL") }
        #expect(statements.count > 1, "the statements were not found")
        try queue.read { db in
            for sql in statements {
                let plan = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                plan.setUncheckedArguments([])
                let steps = try Row.fetchAll(plan).map { $0["detail"] as String }
                #expect(steps.contains { $0.contains("live_devices_of_account") }, "\(sql): \(steps)")
            }
        }
    }

    /// All statements of the store, on one line each.
    private static func statements() throws -> [String] {
        let folder = repository.appendingPathComponent("Sources/ThumbturnServer/Store")
        let literal = #/"""\n(?<lines>.*?)\n\s*"""|"(?<line>[^"\n]*)"/#.dotMatchesNewlines()
        let verb = #/(SELECT|INSERT|UPDATE|DELETE|WITH)\s/#
        var statements: [String] = []
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.lastPathComponent.hasPrefix("Schema+")
            // Those of PostgreSQL alone.
            && !file.path.contains("/PostgreSQL/")
        {
            for found in try String(contentsOf: file, encoding: .utf8).matches(of: literal) {
                let text = String(found.lines ?? found.line ?? "")
                let sql = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                // Where the code chooses between two comparisons, both have the same plan.
                if sql.prefixMatch(of: verb) != nil { statements.append(sql.replacing(#/\\\(\w+\)/#, with: "<")) }
            }
        }
        return statements
    }
}
#endif
