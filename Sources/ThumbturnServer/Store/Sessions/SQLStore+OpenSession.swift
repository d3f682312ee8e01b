#if Server
import Foundation
package import ThumbturnCore
package import ThumbturnMessages

extension SQLStore {
    /// Opens a session if the authorisation still holds.
    package func openSession(
        _ new: NewSession, by authorisation: Authorisation
    ) async throws -> CommitOutcome<SessionView> {
        // A step-up's surplus is found by an index, in the transaction.
        let surplus = new.granted == nil ? recentSessions.surplus(of: authorisation.jkt) : []
        let outcome: CommitOutcome<SessionView> = try await writer.write { db, now in
            guard try Self.spendAll(authorisation.spends, in: db, at: now) else {
                return try Self.refuse(authorisation, .replayed, in: db, at: now)
            }
            if authorisation.kids.count == 1, let known = self.recentKeys[authorisation.kids[0], in: self.writer.currentEpoch],
                let session = try Self.open(new, by: known, authorisation, in: db, at: now)
            {
                try Self.audit(new, by: known, in: db, at: now)
                try Self.endSurplus(surplus, beside: session, in: db)
                return .done(session)
            }
            return try Self.authorised(authorisation, in: db, at: now) { db, keys, now in
                guard let key = keys.first else { return .refused }
                try db.run(
                    sql: """
                        INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                        SELECT ?, ?, ?, 0, ?, ?, ?, ?, commits FROM node
                        """,
                    arguments: [
                        blob(new.id.bytes), blob(key.device.bytes), key.kid, blob(new.tokenHash),
                        (new.authTime ?? now).seconds, now.seconds, new.granted.map(json),
                    ])
                let session = SessionView(new, by: key, at: now)
                try Self.audit(new, by: key, in: db, at: now)
                try Self.endSurplus(surplus, beside: session, in: db)
                return .done(session)
            }
        }
        // The cached keys may be out of date: another process may have counted wrong signatures.
        if case .done = outcome {
            if new.granted == nil { recentSessions.opened(new.id, by: authorisation.jkt, ending: surplus) }
            return outcome
        }
        for kid in authorisation.kids { recentKeys.forget(kid) }
        return outcome
    }

    /// Opens a step-up beside a live session of this session key, with the grant that a judgement of the session gives
    /// inside the transaction; nil where it gives none. Its time of verification is the session's.
    package func openStepUp(
        _ id: SessionID, byUnlock unlock: SessionID, of jkt: String,
        judge: @escaping @Sendable (SessionView, UnixTime) -> ActionGrant?
    ) async throws -> SessionView? {
        try await writer.write { db, now in
            guard let session = try Self.session(unlock, in: db), session.isLive, !session.isVisit, session.sessionJKT == jkt,
                let kid = try db.one(String.self, sql: "SELECT kid FROM sessions WHERE id = ?", arguments: [blob(unlock.bytes)]),
                // The session stays live after wrong signatures of its key.
                let key = try Self.key(kid, in: db), key.standing(at: now).state == .active, let granted = judge(session, now)
            else { return nil }
            try db.run(
                sql: """
                    INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                    SELECT ?, ?, ?, 0, ?, ?, ?, ?, n.commits FROM node n
                    """,
                arguments: [
                    blob(id.bytes), blob(key.device.bytes), kid, Data(), session.authTime.seconds, now.seconds, json(granted),
                ])
            guard let opened = try Self.session(id, in: db) else { return nil }
            try Self.audit(
                AuditEvent(
                    .steppedUp, account: opened.account, device: opened.device, key: opened.standing(at: now)?.kind, session: id,
                    action: granted.action, detail: "unlock"),
                in: db, at: now)
            try Self.endSurplus([], beside: opened, in: db)
            return opened
        }
    }

    private static func audit(_ new: NewSession, by key: EnrolledKey, in db: Database, at now: UnixTime) throws {
        let kind: AuditEvent.Kind = new.granted == nil ? .signedIn : .steppedUp
        try audit(AuditEvent(kind, by: key, session: new.id, action: new.granted?.action), in: db, at: now)
    }

    /// Deletes the oldest sessions of a device that has too many. The oldest one ends, and the new one is not refused: a
    /// device uses only its newest session, and a person who signs in must get in.
    private static func endSurplus(_ surplus: [SessionID], beside session: SessionView, in db: Database) throws {
        for id in surplus { try db.run(sql: "DELETE FROM sessions WHERE id = ?", arguments: [blob(id.bytes)]) }
        guard session.granted != nil else { return }
        try db.run(
            sql: """
                DELETE FROM sessions WHERE id IN (
                    SELECT id FROM sessions WHERE device_id = ? AND granted IS NOT NULL
                    ORDER BY opened DESC, id DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [blob(session.device.bytes), Limits.stepUps])
    }

    /// Opens a session in one statement, for the usual case that nothing has changed since the key was cached. Nil if
    /// anything has changed; the caller then reads the rows and judges them.
    ///
    /// The cached key is judged by the same function as a row. The conditions of the statement hold exactly if the row
    /// would be judged the same: each column that `KeyStanding` depends on has the cached value. (Only active keys
    /// without wrong signatures are cached; the kind and the origin of an active key never change.)
    private static func open(
        _ new: NewSession, by key: EnrolledKey, _ authorisation: Authorisation, in db: Database, at now: UnixTime
    ) throws -> SessionView? {
        guard case .done = authorisation.judge([key], at: now) else { return nil }
        let session = SessionView(new, by: key, at: now)
        try db.run(
            sql: """
                INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                SELECT ?, k.device_id, k.kid, 0, ?, ?, ?, ?, n.commits
                FROM keys k JOIN devices d ON d.id = k.device_id JOIN accounts a ON a.id = d.account_id
                    JOIN account_groups g ON g.name = a.group_name CROSS JOIN node n
                WHERE k.kid = ? AND k.retired_at IS NULL AND k.active_since IS NOT NULL
                    AND k.wrong_in_a_row = 0 AND k.paused_until = 0 AND k.protection = ? AND k.verification = ?
                    AND d.id = ? AND d.revoked_at IS NULL AND d.session_jkt = ? AND d.cools_off_until = ?
                    AND a.disabled_at IS NULL AND g.protection = ? AND g.verification = ?
                """,
            arguments: [
                blob(new.id.bytes), blob(new.tokenHash), session.authTime.seconds, now.seconds, new.granted.map(json),
                key.kid, key.proven.protection.rawValue, key.proven.verification.rawValue, blob(key.device.bytes),
                authorisation.jkt, key.coolsOffUntil.seconds, key.minimum.protection.rawValue,
                key.minimum.verification.rawValue,
            ])
        return db.changesCount == 1 ? session : nil
    }
}

extension SessionView {
    /// A session that this key opens.
    fileprivate init(_ new: NewSession, by key: EnrolledKey, at now: UnixTime) {
        self.init(
            id: new.id, device: key.device, account: key.account, accountName: key.accountName,
            opener: .key(key.kind, key.enrolledBy, proven: key.proven), sessionJKT: key.sessionJKT, generation: 0,
            authTime: new.authTime ?? now,
            rotatedAt: now, isLive: true, coolsOffUntil: key.coolsOffUntil, granted: new.granted
        )
    }
}
#endif
