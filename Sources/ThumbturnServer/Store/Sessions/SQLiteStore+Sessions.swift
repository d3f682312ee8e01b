#if Server
import Foundation
import GRDB
import ThumbturnCore

extension SQLiteStore {
    package func session(_ id: SessionID) async throws -> SessionView? {
        try await pool.read { try Self.session(id, in: $0) }
    }

    package func openSession(_ new: NewSession, spending spend: Spend) async throws -> Paid<SessionView> {
        let paid: Paid<SessionView> = try await writer.write { db, now in
            guard try Schema.spend(spend, in: db, at: now) else { return .refused }
            if new.also.isEmpty, let known = self.recentKeys[new.kid, in: self.writer.currentEpoch],
                let session = try Self.open(new, by: known, in: db, at: now)
            {
                return .done(session)
            }
            // The key was read before this transaction; the device may have been revoked since, and the last wrong PIN counted.
            let keys = try ([new.kid] + new.also).map { try Self.key($0, in: db) }
            guard let key = keys[0],
                keys.allSatisfy({ $0.map { !$0.isRevoked && !$0.isPaused(at: now) && $0.sessionJKT == new.sessionJKT } == true })
            else {
                return .refused
            }
            guard keys.allSatisfy({ $0?.isDisabled == false }) else { return .disabled }
            for case let key? in keys { try Self.signed(key, in: db, at: now) }
            try db.cachedStatement(
                sql: """
                    INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                    SELECT ?, ?, ?, 0, ?, ?, ?, ?, commits FROM node
                    """
            ).execute(
                arguments: [
                    blob(new.id.bytes), blob(key.device.bytes), new.kid, blob(new.tokenHash),
                    (new.authTime ?? now).seconds, now.seconds, new.granted,
                ]
            )
            return .done(
                SessionView(
                    id: new.id, device: key.device, account: key.account, accountName: key.accountName, kind: key.kind,
                    sessionJKT: key.sessionJKT, generation: 0, authTime: new.authTime ?? now, isLive: true,
                    coolsOffUntil: key.coolsOffUntil, keyOrigin: key.enrolledBy, granted: new.granted
                )
            )
        }
        // The remembered keys are out of date: another process may have counted a wrong signature.
        if case .done = paid { return paid }
        for kid in [new.kid] + new.also { recentKeys.forget(kid) }
        return paid
    }

    /// One statement for what nearly every sign-in is: nothing has changed since the key was remembered. Nil where anything has:
    /// then the slow way tells what. Every reason to refuse a key must be in its conditions; a pause has wrong signatures.
    private static func open(
        _ new: NewSession, by key: EnrolledKey, in db: Database, at now: UnixTime
    ) throws -> SessionView? {
        let authTime = new.authTime ?? now
        try db.cachedStatement(
            sql: """
                INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                SELECT ?, k.device_id, k.kid, 0, ?, ?, ?, ?, n.commits FROM keys k JOIN devices d ON d.id = k.device_id JOIN node n
                WHERE k.kid = ? AND k.retired_at IS NULL AND k.active_since IS NOT NULL AND k.wrong_in_a_row = 0
                    AND d.id = ? AND d.revoked_at IS NULL AND d.session_jkt = ? AND d.cools_off_until = ?
                """
        ).execute(
            arguments: [
                blob(new.id.bytes), blob(new.tokenHash), authTime.seconds, now.seconds, new.granted,
                key.kid, blob(key.device.bytes), new.sessionJKT, key.coolsOffUntil.seconds,
            ]
        )
        guard db.changesCount == 1 else { return nil }
        return SessionView(
            id: new.id, device: key.device, account: key.account, accountName: key.accountName, kind: key.kind,
            sessionJKT: new.sessionJKT, generation: 0, authTime: authTime, isLive: true, coolsOffUntil: key.coolsOffUntil,
            keyOrigin: key.enrolledBy, granted: new.granted
        )
    }

    package func end(_ session: SessionID, by jkt: String) async throws {
        try await writer.write { db, now in
            let device = try db.one(
                Data.self, sql: "SELECT device_id FROM keys WHERE kid = ? AND kind = 'session'", arguments: [jkt])
            guard let device else { return }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ? AND device_id = ? AND ended_at IS NULL",
                arguments: [now.seconds, blob(session.bytes), device]
            )
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE device_id = ? AND granted IS NOT NULL AND ended_at IS NULL",
                arguments: [now.seconds, device]
            )
        }
    }

    /// Ends the sessions of a device that were opened so far, in this very transaction too.
    static func endSessions(of device: Data, in db: Database) throws {
        try db.run(
            sql: "UPDATE devices SET sessions_over = (SELECT commits FROM node) WHERE id = ?", arguments: [device])
    }

    static func endSessions(openedBy kid: String, in db: Database) throws {
        try db.run(sql: "UPDATE keys SET sessions_over = (SELECT commits FROM node) WHERE kid = ?", arguments: [kid])
    }

    static func session(_ id: SessionID, in db: Database) throws -> SessionView? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT s.generation, s.auth_time, s.granted, k.kind, k.enrolled_by,
                    s.ended_at IS NULL AND d.revoked_at IS NULL AND s.opened > max(d.sessions_over, k.sessions_over) AS live,
                    d.id AS device_id, d.session_jkt, d.cools_off_until, a.id AS account_id, a.name
                FROM sessions s JOIN keys k ON k.kid = s.kid JOIN devices d ON d.id = s.device_id
                    JOIN accounts a ON a.id = d.account_id
                WHERE s.id = ?
                """
        )
        return try Row.fetchOne(statement, arguments: [blob(id.bytes)]).flatMap { row in
            guard let kind = KeyKind(rawValue: row["kind"]), let origin = KeyOrigin(rawValue: row["enrolled_by"]) else {
                return nil
            }
            return SessionView(
                id: id, device: identifier(row["device_id"]), account: identifier(row["account_id"]),
                accountName: row["name"], kind: kind, sessionJKT: row["session_jkt"],
                generation: row["generation"], authTime: UnixTime(seconds: row["auth_time"]), isLive: row["live"],
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), keyOrigin: origin,
                granted: row["granted"]
            )
        }
    }
}
#endif
