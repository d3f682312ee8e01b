#if Server
import Foundation
import GRDB
package import ThumbturnCore

extension SQLiteStore {
    package func addSecret(
        for use: SecretUse, _ make: @escaping @Sendable (UnixTime) throws -> SealedSecret
    ) async throws {
        try await writer.write { db, now in
            let newest = try db.one(
                Int64.self, sql: "SELECT max(created_at) FROM secrets WHERE use = ?", arguments: [use.rawValue])
            let time = newest.map { max(now, UnixTime(seconds: $0 + 1)) } ?? now
            try Self.insert(try make(time), in: db)
        }
    }

    package func retire(_ keys: [RetiredKey]) async throws {
        try await writer.write { db, now in
            for key in keys {
                try db.run(sql: "DELETE FROM secrets WHERE id = ?", arguments: [key.secret])
                try db.run(
                    sql: """
                        INSERT INTO retired_token_keys (kid, secret, x963, retired_at) VALUES (?, ?, ?, ?)
                        ON CONFLICT DO NOTHING
                        """,
                    arguments: [key.kid, key.secret, blob(key.x963), now.seconds]
                )
            }
        }
    }

    package func retiredKeys() async throws -> [RetiredKey] {
        try await pool.read { db in
            try db.all(
                Row.self, sql: "SELECT kid, secret, x963 FROM retired_token_keys ORDER BY retired_at DESC, kid"
            ).map { RetiredKey(secret: $0["secret"], kid: $0["kid"], x963: Array($0["x963"] as Data)) }
        }
    }

    static func insert(_ secret: SealedSecret, in db: Database) throws {
        try db.run(
            sql: "INSERT INTO secrets (id, use, created_at, sealed) VALUES (?, ?, ?, ?)",
            arguments: [secret.id, secret.use.rawValue, secret.createdAt.seconds, blob(secret.sealed)]
        )
    }
}
#endif
