#if Server
import Foundation
package import ThumbturnCore

extension SQLStore {
    /// Adds a secret that is at least one second newer than all others for this use.
    package func addSecret(
        for use: SecretUse, _ make: @escaping @Sendable (UnixTime) throws -> SealedSecret
    ) async throws {
        try await writer.write { db, now in
            let newest = try db.one(
                Int64.self, sql: "SELECT max(created_at) FROM secrets WHERE use = ?", arguments: [use.rawValue])
            let time = newest.map { max(now, UnixTime(seconds: $0 + 1)) } ?? now
            let made = try make(time)
            _ = try Self.insert(made, in: db)
            if use == .token { try Self.audit(AuditEvent(.tokenKeyMade, detail: made.id), in: db, at: now) }
        }
    }

    /// Deletes secrets and keeps the public keys that belonged to them.
    package func retire(_ keys: [RetiredKey]) async throws {
        try await writer.write { db, now in
            for key in keys { try Self.retire(key, in: db, at: now) }
        }
    }

    static func retire(_ key: RetiredKey, in db: Database, at now: UnixTime) throws {
        try db.run(sql: "DELETE FROM secrets WHERE id = ?", arguments: [key.secret])
        try db.run(
            sql: """
                INSERT INTO retired_token_keys (kid, secret, x963, retired_at) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """,
            arguments: [key.kid, key.secret, blob(key.x963), now.seconds]
        )
        try audit(AuditEvent(.tokenKeyRetired, detail: key.kid), in: db, at: now)
    }

    /// Revokes a key: deletes its private half, and records when it was revoked. Running servers read the keys again
    /// before they write or judge a token.
    ///
    /// - Parameters:
    ///   - live: the key, if its private half is still kept.
    ///   - endsSigning: whether no other key that is there signs any more, so that a new one is made.
    /// - Returns: false if there is no such key.
    package func revoke(_ kid: String, live: RetiredKey?, endsSigning: Bool) async throws -> Bool {
        try await writer.write { db, now in
            if let live { try Self.retire(live, in: db, at: now) }
            try db.run(
                sql: "UPDATE retired_token_keys SET revoked_at = coalesce(revoked_at, ?) WHERE kid = ?",
                arguments: [now.seconds, kid])
            guard db.changesCount == 1 else { return false }
            // The keys beside it wait for their turn or have had it. The next reading makes one that signs at once.
            if endsSigning { try db.run(sql: "UPDATE secrets SET signs_in = NULL WHERE use = 'token'") }
            try Schema.countSecretChange(db)
            try Self.audit(AuditEvent(.tokenKeyRevoked, detail: kid), in: db, at: now)
            return true
        }
    }

    /// The public keys that were kept, newest first.
    package func retiredKeys() async throws -> [RetiredKey] {
        try await pool.read { db in
            try db.all(
                Row.self,
                sql: "SELECT kid, secret, x963, revoked_at FROM retired_token_keys ORDER BY retired_at DESC, kid"
            ).map {
                try RetiredKey(
                    secret: $0["secret"], kid: $0["kid"], x963: Array($0["x963"] as Data),
                    isRevoked: ($0["revoked_at"] as Int64?) != nil)
            }
        }
    }

    /// Stores a secret. A key of access tokens may sign in the current epoch.
    ///
    /// - Returns: the secret as it is stored.
    static func insert(_ secret: SealedSecret, in db: Database) throws -> SealedSecret {
        var stored = secret
        stored.signsIn = secret.use == .token ? try edition(in: db).epoch : nil
        try db.run(
            sql: "INSERT INTO secrets (id, use, created_at, sealed, signs_in) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                stored.id, stored.use.rawValue, stored.createdAt.seconds, blob(stored.sealed), stored.signsIn,
            ]
        )
        return stored
    }
}
#endif
