#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func enrol(_ device: NewDevice, with key: NewPlainKey, spending spend: Spend) async throws -> Bool {
        try await writer.write { db, now in
            guard try Schema.spend(spend, in: db, at: now), try Self.support(for: device, in: db, at: now) != nil,
                try Self.plainKeys(of: device.account, in: db).count < Self.mostPlainKeys
            else { return false }
            try Self.forgetUnproven([key.kid], in: db)
            guard try Self.areUnknown([key.kid], in: db) else { return false }
            try Self.insert(device, in: db, at: now)
            try db.execute(
                sql: "INSERT INTO plain_keys (kid, device_id, spki) VALUES (?, ?, ?)",
                arguments: [key.kid, blob(device.id.bytes), blob(key.spki)]
            )
            try Self.note(.newDevice, of: device.account, device.id, in: db, at: now)
            return true
        }
    }

    package func plainKeys(of account: AccountID) async throws -> [EnrolledPlainKey] {
        try await pool.read { try Self.plainKeys(of: account, in: $0) }
    }

    package func spend(_ spend: Spend, on key: EnrolledPlainKey) async throws -> Bool {
        try await writer.write { db, now in
            guard try Schema.spend(spend, in: db, at: now) else { return false }
            // It was read before this transaction.
            let isLive = try db.cachedStatement(sql: "SELECT 1 FROM devices WHERE id = ? AND revoked_at IS NULL")
            return try Int.fetchOne(isLive, arguments: [blob(key.device.bytes)]) != nil
        }
    }

    package func hasPlainKey(_ device: DeviceID) async throws -> Bool {
        try await pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM plain_keys p JOIN devices d ON d.id = p.device_id
                    WHERE p.device_id = ? AND d.revoked_at IS NULL
                    """
            )
            return try Int.fetchOne(statement, arguments: [blob(device.bytes)]) != nil
        }
    }

    private static func plainKeys(of account: AccountID, in db: Database) throws -> [EnrolledPlainKey] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT p.spki, d.id FROM plain_keys p JOIN devices d ON d.id = p.device_id
                WHERE d.account_id = ? AND d.revoked_at IS NULL
                """
        )
        return try Row.fetchAll(statement, arguments: [blob(account.bytes)]).map { row in
            EnrolledPlainKey(spki: Array(row["spki"] as Data), device: identifier(row["id"]), account: account)
        }
    }

    /// An answer names no key, so each one costs a verification at each sign-in.
    static let mostPlainKeys = 8
}

extension Schema {
    static func registerPlainKeys(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("13 plain keys") { db in
            try db.execute(
                sql: """
                    -- Of plain clients: a device of theirs has one, and none in keys.
                    CREATE TABLE plain_keys (
                        kid TEXT PRIMARY KEY,
                        device_id BLOB NOT NULL UNIQUE REFERENCES devices (id),
                        spki BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
    }
}
#endif
