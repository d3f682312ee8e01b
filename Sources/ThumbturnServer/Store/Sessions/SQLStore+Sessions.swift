#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension SQLStore {
    /// The session of this id with its device and account, even if it has ended.
    package func session(_ id: SessionID) async throws -> SessionView? {
        try await pool.read { try Self.session(id, in: $0) }
    }

    /// Ends the step-ups of a session key's device, and the session if it belongs to that device; or the visit of this
    /// key. With an unknown key nothing happens.
    package func end(_ session: SessionID, by jkt: String) async throws {
        try await writer.write { db, now in
            if try Self.endVisit(session, of: jkt, in: db, at: now) { return }
            let device = try db.one(
                Data.self, sql: "SELECT device_id FROM keys WHERE kid = ? AND kind = 'session'", arguments: [jkt])
            guard let device else { return }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ? AND device_id = ? AND ended_at IS NULL",
                arguments: [now.seconds, blob(session.bytes), device]
            )
            if db.changesCount == 1 {
                let id: DeviceID = identifier(device)
                try Self.audit(
                    AuditEvent(.signedOut, account: try Self.account(of: id, in: db), device: id, session: session), in: db,
                    at: now)
            }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE device_id = ? AND granted IS NOT NULL AND ended_at IS NULL",
                arguments: [now.seconds, device]
            )
        }
    }

    /// Ends the sessions of a device that were opened until now, including earlier in this transaction.
    static func endSessions(of device: Data, in db: Database) throws {
        try db.run(
            sql: "UPDATE devices SET sessions_over = (SELECT commits FROM node) WHERE id = ?", arguments: [device])
    }

    /// Ends the sessions of an account's devices, except those of one device.
    static func endSessions(ofAccount account: AccountID, except device: DeviceID?, in db: Database) throws {
        try db.run(
            sql: "UPDATE devices SET sessions_over = (SELECT commits FROM node) WHERE account_id = ? AND id IS DISTINCT FROM ?",
            arguments: [blob(account.bytes), device.map { blob($0.bytes) }]
        )
    }

    /// Ends the sessions that a device's keys of one kind opened, the former keys too: a key that changed itself left its
    /// sessions as they were.
    static func endSessions(openedBy kind: KeyKind, of device: Data, in db: Database) throws {
        try db.run(
            sql: """
                UPDATE keys SET sessions_over = (SELECT commits FROM node) WHERE kid IN (
                    SELECT kid FROM keys WHERE device_id = ?1 AND kind = ?2 AND retired_at IS NULL
                    UNION ALL SELECT kid FROM keys WHERE device_id = ?1 AND kind = ?2 AND retired_at IS NOT NULL)
                """,
            arguments: [device, kind.rawValue])
    }

    static func session(_ id: SessionID, in db: Database) throws -> SessionView? {
        try sessionOfKey(id, in: db) ?? visit(id, in: db)
    }

    private static func sessionOfKey(_ id: SessionID, in db: Database) throws -> SessionView? {
        let statement = """
            SELECT s.generation, s.auth_time, s.rotated_at, s.granted, k.kind, k.enrolled_by, k.protection, k.verification,
                s.ended_at IS NULL AND d.revoked_at IS NULL AND s.opened > max(d.sessions_over, k.sessions_over) AS live,
                d.id AS device_id, d.session_jkt, d.cools_off_until, a.id AS account_id, a.name,
                a.credential_generation, g.protection AS least_protection, g.verification AS least_verification
            FROM sessions s JOIN keys k ON k.kid = s.kid JOIN devices d ON d.id = s.device_id
                JOIN accounts a ON a.id = d.account_id LEFT JOIN account_groups g ON g.name = a.group_name
            WHERE s.id = ?
            """
        return try db.one(Row.self, sql: statement, arguments: [blob(id.bytes)]).flatMap { row -> SessionView? in
            guard let kind = KeyKind(rawValue: try row["kind"]), let origin = KeyOrigin(rawValue: try row["enrolled_by"]),
                let proven = try Assurance(row), let minimum = try Assurance(minimum: row)
            else { return nil }
            // A grant that cannot be read must not pass for none: its session would look like a sign-in's.
            let granted = try (row["granted"] as String?).map { try WireJSON.decode(ActionGrant.self, from: Array($0.utf8)) }
            var session = try SessionView(
                id: id, device: identifier(row["device_id"]), account: identifier(row["account_id"]),
                accountName: row["name"], opener: .key(kind, origin, proven: proven), sessionJKT: row["session_jkt"],
                generation: row["generation"], authTime: UnixTime(seconds: row["auth_time"]),
                rotatedAt: UnixTime(seconds: row["rotated_at"]), isLive: row["live"],
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), granted: granted,
                credentialGeneration: row["credential_generation"]
            )
            session.isLive = session.isLive && KeyStanding.assurance(of: kind, broughtBy: origin, proven: proven).meets(minimum)
            return session
        }
    }
}
#endif
