#if Server
import Foundation
import GRDB
import ThumbturnCore

/// The transactions that end a ceremony.
extension SQLiteStore {
    /// Consumes the challenge and the ticket, judges the authorisation again with the current rows, and runs `work`
    /// with its keys, in one transaction. The challenge and the ticket are consumed for every outcome.
    func commit<Value: Sendable>(
        _ authorisation: Authorisation,
        _ work: @escaping @Sendable (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) async throws -> CommitOutcome<Value> {
        try await writer.write { db, now in
            guard try Self.spendAll(authorisation.spends, in: db, at: now) else { return .refused }
            return try Self.authorised(authorisation, in: db, at: now, work)
        }
    }

    private static func authorised<Value: Sendable>(
        _ authorisation: Authorisation, in db: Database, at now: UnixTime,
        _ work: (_ db: Database, _ keys: [EnrolledKey], _ now: UnixTime) throws -> CommitOutcome<Value>
    ) throws -> CommitOutcome<Value> {
        switch authorisation.judge(try authorisation.kids.map { try key($0, in: db) }, at: now) {
        case .refused: return .refused
        case .disabled: return .disabled
        case .done(let keys):
            for key in keys { try signed(key, in: db, at: now) }
            return try work(db, keys, now)
        }
    }

    package func countWrongSignature(of kid: String, spending spends: [Spend]) async throws -> Int? {
        defer { recentKeys.forget(kid) }
        return try await writer.write { db, now in
            guard try Self.spendAll(spends, in: db, at: now) else { return nil }
            // A key that is gone is refused with a right signature as well, so it gets the same answer.
            guard let key = try Self.key(kid, in: db), key.standing(at: now).state != .gone else { return nil }
            return try Self.countWrongSignature(key, in: db, at: now)
        }
    }

    // MARK: Sessions

    package func openSession(
        _ new: NewSession, by authorisation: Authorisation
    ) async throws -> CommitOutcome<SessionView> {
        let outcome: CommitOutcome<SessionView> = try await writer.write { db, now in
            guard try Self.spendAll(authorisation.spends, in: db, at: now) else { return .refused }
            if authorisation.kids.count == 1, let known = self.recentKeys[authorisation.kids[0], in: self.writer.currentEpoch],
                let session = try Self.open(new, by: known, authorisation, in: db, at: now)
            {
                return .done(session)
            }
            return try Self.authorised(authorisation, in: db, at: now) { db, keys, now in
                guard let key = keys.first else { return .refused }
                try db.cachedStatement(
                    sql: """
                        INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                        SELECT ?, ?, ?, 0, ?, ?, ?, ?, commits FROM node
                        """
                ).execute(
                    arguments: [
                        blob(new.id.bytes), blob(key.device.bytes), key.kid, blob(new.tokenHash),
                        (new.authTime ?? now).seconds, now.seconds, new.granted,
                    ]
                )
                return .done(SessionView(new, by: key, at: now))
            }
        }
        // The cached keys may be out of date: another process may have counted wrong signatures.
        if case .done = outcome { return outcome }
        for kid in authorisation.kids { recentKeys.forget(kid) }
        return outcome
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
        try db.cachedStatement(
            sql: """
                INSERT INTO sessions (id, device_id, kid, generation, token_hash, auth_time, rotated_at, granted, opened)
                SELECT ?, k.device_id, k.kid, 0, ?, ?, ?, ?, n.commits
                FROM keys k JOIN devices d ON d.id = k.device_id JOIN node n
                WHERE k.kid = ? AND k.retired_at IS NULL AND k.active_since IS NOT NULL
                    AND k.wrong_in_a_row = 0 AND k.paused_until = 0
                    AND d.id = ? AND d.revoked_at IS NULL AND d.session_jkt = ? AND d.cools_off_until = ?
                """
        ).execute(
            arguments: [
                blob(new.id.bytes), blob(new.tokenHash), session.authTime.seconds, now.seconds, new.granted,
                key.kid, blob(key.device.bytes), authorisation.jkt, key.coolsOffUntil.seconds,
            ]
        )
        return db.changesCount == 1 ? session : nil
    }

    // MARK: Keys

    package func change(_ change: NewKeys, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView> {
        try await commit(authorisation) { db, keys, now in
            let device = blob(change.device.bytes)
            let live = try db.one(
                String.self,
                sql: """
                    SELECT coalesce((SELECT kid FROM keys WHERE device_id = ?1 AND kind = ?2 AND retired_at IS NULL), '')
                    FROM devices WHERE id = ?1 AND revoked_at IS NULL
                    """,
                arguments: [device, change.kind.rawValue]
            )
            guard let live, live == change.old ?? "" else { return .refused }
            if let new = change.new, try !Self.areFree([new], in: db) { return .refused }
            if let old = change.old {
                try db.run(sql: "UPDATE keys SET retired_at = ? WHERE kid = ?", arguments: [now.seconds, old])
                if !keys.contains(where: { $0.kid == old }) { try Self.endSessions(openedBy: old, in: db) }
            }
            if let new = change.new {
                let origin = keys.first?.standing(at: now).originOfNewKeys ?? .credentials
                try Self.insert(new, of: device, enrolledBy: origin, in: db, at: now)
            }
            if keys.isEmpty {
                // Full credentials and no key authorised the new key, as in an enrolment.
                try Self.coolOff(change.device, until: now + change.coolOff, in: db)
            }
            try Self.note(.keysChanged, ofDevice: change.device, in: db, at: now)
            guard let changed = try Self.device(change.device, in: db) else { return .refused }
            return .done(changed)
        }
    }

    /// Records a right signature of a key: its count of wrong ones is reset, and the first signature makes it active.
    private static func signed(_ key: EnrolledKey, in db: Database, at now: UnixTime) throws {
        if key.wrongInARow > 0 {
            try db.run(sql: "UPDATE keys SET wrong_in_a_row = 0, paused_until = 0 WHERE kid = ?", arguments: [key.kid])
        }
        if !key.isActive {
            try db.cachedStatement(sql: "UPDATE keys SET active_since = ? WHERE kid = ? AND active_since IS NULL")
                .execute(arguments: [now.seconds, key.kid])
        }
    }
}

extension SessionView {
    /// A session that this key opens.
    fileprivate init(_ new: NewSession, by key: EnrolledKey, at now: UnixTime) {
        self.init(
            id: new.id, device: key.device, account: key.account, accountName: key.accountName, kind: key.kind,
            sessionJKT: key.sessionJKT, generation: 0, authTime: new.authTime ?? now, isLive: true,
            coolsOffUntil: key.coolsOffUntil, keyOrigin: key.enrolledBy, granted: new.granted
        )
    }
}
#endif
