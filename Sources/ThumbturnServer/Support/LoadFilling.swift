#if Server
import Foundation

/// Accounts for measurements of large databases: each has one device with a session key and a biometric key whose private halves do not
/// exist. Their names and ids are random, so that they lie everywhere in the indexes.
package enum LoadFilling {
    /// Adds accounts until there are as many as `count`. No server may run meanwhile.
    package static func fill(_ settings: ServerSettings, to count: Int) throws {
        if let address = settings.database {
            #if PostgreSQL
            let connection = try PostgresConnection(address.parameters)
            connection.limit = .seconds(7200)
            try connection.execute(PostgresSchema.searchPath)
            try add(Database(connection), to: count, bytes: "uuid_send(gen_random_uuid())", hex: { "encode(\($0), 'hex')" })
            // As the database does by itself after a while.
            try connection.execute("VACUUM ANALYZE")
            #endif
        } else {
            let pool = try SQLitePool(path: DataFolder.database(in: settings.dataFolder))
            try pool.write { db in
                // Without a large cache, each row would write pages that the next ones change again.
                try db.run(sql: "PRAGMA cache_size = -6000000")
                try add(db, to: count, bytes: "randomblob(16)", hex: { "lower(hex(\($0)))" })
            }
        }
    }

    private static func add(_ db: Database, to count: Int, bytes: String, hex: (String) -> String) throws {
        let missing = count - Int(try db.value(Int64.self, sql: "SELECT count(*) FROM accounts"))
        guard missing > 0 else { return }
        // As long as a thumbprint.
        let thumbprint = "substr(\(hex(bytes)) || \(hex(bytes)), 1, 43)"
        try db.run(
            sql: """
                INSERT INTO accounts (id, name, password_hash, created_at)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(missing))
                SELECT \(bytes), \(thumbprint), '', 0 FROM n
                """)
        try db.run(
            sql: """
                INSERT INTO devices (id, account_id, name, session_jkt, enrolled_at, cools_off_until)
                SELECT \(bytes), id, 'Filler', \(thumbprint), 0, 0 FROM accounts
                WHERE NOT EXISTS (SELECT 1 FROM devices WHERE account_id = accounts.id)
                """)
        for (kind, kid) in [("session", "session_jkt"), ("biometric", thumbprint)] {
            try db.run(
                sql: """
                    INSERT INTO keys (kid, device_id, kind, x963, active_since)
                    SELECT \(kid), id, '\(kind)', \(bytes), 0 FROM devices
                    WHERE NOT EXISTS (SELECT 1 FROM keys WHERE device_id = devices.id AND kind = '\(kind)' AND retired_at IS NULL)
                    """)
        }
    }
}
#endif
