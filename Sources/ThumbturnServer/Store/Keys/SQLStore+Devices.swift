#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

extension SQLStore {
    /// The devices of an account that are not revoked, oldest first.
    package func devices(of account: AccountID) async throws -> [DeviceView] {
        try await pool.read { db in
            let ids = try db.all(
                Data.self, sql: "SELECT id FROM devices WHERE account_id = ? AND revoked_at IS NULL ORDER BY enrolled_at, id",
                arguments: [blob(account.bytes)]
            )
            return try ids.compactMap { try Self.device(identifier($0), in: db) }
        }
    }

    /// The device of a session key with its keys; nil if there is none, or if it is revoked.
    package func device(withSessionKey jkt: String) async throws -> JudgedDevice? {
        try await pool.read { db in
            guard let session = try Self.key(jkt, in: db), session.kind == .session, !session.isRevoked,
                let row = try db.one(
                    Row.self, sql: "SELECT account_id, cools_off_until FROM devices WHERE id = ?",
                    arguments: [blob(session.device.bytes)]
                )
            else { return nil }
            let kids = try db.all(
                String.self, sql: "SELECT kid FROM keys WHERE device_id = ? AND retired_at IS NULL ORDER BY kind",
                arguments: [blob(session.device.bytes)]
            )
            return try JudgedDevice(
                id: session.device, account: identifier(row["account_id"]),
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), keys: kids.compactMap { try Self.key($0, in: db) }
            )
        }
    }

    /// Renames a device of the session's account. Nil if there is no such device, the session is no longer live, or
    /// `DeviceChangeRules` do not allow it.
    package func rename(_ device: DeviceID, to name: String, by session: SessionID) async throws -> DeviceView? {
        try await writer.write { db, now in
            guard let caller = try Self.session(session, in: db), caller.isLive,
                DeviceChangeRules.mayChange(device, by: caller, at: now)
            else { return nil }
            try db.run(
                sql: "UPDATE devices SET name = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL",
                arguments: [name, blob(device.bytes), blob(caller.account.bytes)]
            )
            guard db.changesCount == 1 else { return nil }
            try Self.audit(
                AuditEvent(.deviceRenamed, account: caller.account, device: device, session: session), in: db, at: now)
            return try Self.device(device, in: db)
        }
    }

    /// Revokes a device of the session's account and ends the device's sessions. False if there is no such device, the
    /// session is no longer live, or `DeviceChangeRules` do not allow it.
    package func revoke(_ device: DeviceID, by session: SessionID) async throws -> Bool {
        try await writer.write { db, now in
            // The session was judged before this transaction; its own device may have been revoked, or begun to cool
            // off, since, and the target may have got keys of a stronger kind.
            guard let caller = try Self.session(session, in: db), caller.isLive,
                DeviceChangeRules.mayChange(device, by: caller, at: now)
            else { return false }
            if device != caller.device {
                guard let target = try Self.device(device, in: db), let standing = caller.standing(at: now),
                    DeviceChangeRules.mayRemove(target, by: standing.factor)
                else { return false }
            }
            return try Self.revoke(device, of: caller.account, by: session.text, in: db, at: now)
        }
    }

    /// Revokes the device of a session key and ends its sessions. False if there is no such device.
    package func revoke(deviceWithSessionKey jkt: String) async throws -> Bool {
        try await writer.write { db, now in
            guard let key = try Self.key(jkt, in: db), key.kind == .session,
                let account = try Self.account(of: key.device, in: db)
            else { return false }
            return try Self.revoke(key.device, of: account, by: "its session key", in: db, at: now)
        }
    }

    /// Revokes a device for the operator. False if the account has no device of this id.
    package func revoke(_ device: DeviceID, of account: AccountID) async throws -> Bool {
        try await writer.write { db, now in
            try Self.revoke(device, of: account, by: "operator", in: db, at: now)
        }
    }

    static func account(of device: DeviceID, in db: Database) throws -> AccountID? {
        try db.one(Data.self, sql: "SELECT account_id FROM devices WHERE id = ?", arguments: [blob(device.bytes)])
            .map { identifier($0) }
    }

    static func revoke(
        _ device: DeviceID, of account: AccountID, by revoker: String, in db: Database, at now: UnixTime
    ) throws -> Bool {
        try db.run(
            sql: "UPDATE devices SET revoked_at = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL",
            arguments: [now.seconds, blob(device.bytes), blob(account.bytes)]
        )
        guard db.changesCount == 1 else { return false }
        try hidePlainKey(of: device, in: db)
        try deleteEvidence(of: device, in: db)
        try audit(AuditEvent(.deviceRevoked, account: account, device: device, detail: revoker), in: db, at: now)
        try note(.deviceRevoked, of: account, device, in: db, at: now)
        return true
    }

    static func device(_ id: DeviceID, in db: Database) throws -> DeviceView? {
        let found = try db.one(
            Row.self,
            sql: """
                SELECT name, enrolled_at, EXISTS (SELECT 1 FROM plain_keys WHERE device_id = ?1) AS plain
                FROM devices WHERE id = ?1
                """,
            arguments: [blob(id.bytes)]
        )
        return try found.map { row in
            let keys = try db.all(
                Row.self,
                sql: """
                    SELECT kid, kind, active_since IS NOT NULL AS active FROM keys
                    WHERE device_id = ? AND retired_at IS NULL ORDER BY kind
                    """,
                arguments: [blob(id.bytes)]
            )
            return try DeviceView(
                id: id, name: row["name"], enrolledAt: UnixTime(seconds: row["enrolled_at"]),
                keys: keys.compactMap { key in
                    try KeyKind(rawValue: key["kind"]).map {
                        try DeviceRecord.Key(kid: key["kid"], kind: $0, active: key["active"])
                    }
                },
                isPlain: row["plain"]
            )
        }
    }
}
#endif
