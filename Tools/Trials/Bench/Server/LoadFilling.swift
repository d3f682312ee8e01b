#if Tools
import Foundation
import GRDB

/// Accounts for measurements of large databases: each has one device with a session key and a biometric key whose private halves do not
/// exist. Their names and ids are random, so that they lie everywhere in the indexes.
enum LoadFilling {
    /// Adds accounts until there are as many as `count`. No server may run meanwhile.
    static func fill(_ place: BenchPlace, to count: Int) throws {
        if let address = place.address {
            let bytes = "uuid_send(gen_random_uuid())"
            // As the database does by itself after a while.
            try run(statements(count, bytes: bytes, hex: "encode(\(bytes), 'hex')") + ["VACUUM ANALYZE"], at: address)
        } else {
            try DatabaseQueue(path: place.folder.appendingPathComponent("thumbturn.sqlite").path).write { db in
                // Without a large cache, each row would write pages that the next ones change again.
                try db.execute(sql: "PRAGMA cache_size = -6000000")
                for statement in statements(count, bytes: "randomblob(16)", hex: "lower(hex(randomblob(16)))") {
                    try db.execute(sql: statement)
                }
            }
        }
    }

    private static func statements(_ count: Int, bytes: String, hex: String) -> [String] {
        // As long as a thumbprint.
        let thumbprint = "substr(\(hex) || \(hex), 1, 43)"
        let keys = [("session", "session_jkt"), ("biometric", thumbprint)].map { kind, kid in
            """
            INSERT INTO keys (kid, device_id, kind, x963, active_since)
            SELECT \(kid), id, '\(kind)', \(bytes), 0 FROM devices
            WHERE NOT EXISTS (SELECT 1 FROM keys WHERE device_id = devices.id AND kind = '\(kind)' AND retired_at IS NULL)
            """
        }
        return [
            """
            INSERT INTO accounts (id, name, password_hash, created_at)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            SELECT \(bytes), \(thumbprint), '', 0 FROM n LIMIT \(count) - (SELECT count(*) FROM accounts)
            """,
            """
            INSERT INTO devices (id, account_id, name, session_jkt, enrolled_at, cools_off_until)
            SELECT \(bytes), id, 'Filler', \(thumbprint), 0, 0 FROM accounts
            WHERE NOT EXISTS (SELECT 1 FROM devices WHERE account_id = accounts.id)
            """,
        ] + keys
    }

    /// Runs each statement in a transaction of its own, in PostgreSQL.
    private static func run(_ statements: [String], at address: String) throws {
        let psql = Process()
        psql.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        psql.arguments =
            ["psql", address, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"] + statements.flatMap { ["--command", $0] }
        psql.environment = ProcessInfo.processInfo.environment.merging(["PGOPTIONS": "-c search_path=thumbturn,pg_catalog"]) {
            $1
        }
        try psql.run()
        psql.waitUntilExit()
        guard psql.terminationStatus == 0 else {
            throw BenchError("psql could not fill the database; Debian's package postgresql-client has it.")
        }
    }
}
#endif
