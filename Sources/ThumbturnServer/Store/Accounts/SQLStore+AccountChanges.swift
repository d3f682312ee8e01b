#if Server
import Foundation
package import ThumbturnCore

/// Changes of a whole account: its password, and whether it is on. Each is one transaction with its notice.
extension SQLStore {
    /// Replaces the hash of an account's password for the operator. In the same transaction all sessions of the account
    /// end, its count of wrong sign-ins begins anew, and tickets and sign-ins that were judged before become void.
    package func setPassword(_ hash: String, of account: AccountID) async throws {
        try await writer.write { db, now in
            try Self.setPassword(hash, of: account, keepingSessionsOf: nil, in: db, at: now)
            try Self.giveBackQuotas(of: account, in: db, at: now)
        }
    }

    /// Replaces the hash of the password of a session's account, as above, and ends this session. The other sessions of
    /// its device continue. False if the session is no longer live, if its device cools off, or if the password was
    /// changed since the session was read.
    package func setPassword(_ hash: String, by session: SessionView) async throws -> Bool {
        try await writer.write { db, now in
            // The session was judged before this transaction, and hashing a password takes long.
            guard let caller = try Self.session(session.id, in: db), caller.isLive,
                caller.standing(at: now)?.coolsOff == false,
                caller.credentialGeneration == session.credentialGeneration
            else { return false }
            try Self.setPassword(hash, of: caller.account, keepingSessionsOf: caller.device, in: db, at: now)
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ?", arguments: [now.seconds, blob(session.id.bytes)])
            return true
        }
    }

    /// Switches an account off: its keys are refused, its sessions end, and tickets, sign-ins and signatures of
    /// approvals from before are void, even after it is switched on again. False if it was off already.
    package func disable(_ account: AccountID) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: "UPDATE accounts SET disabled_at = ?1, signatures_over = ?1 WHERE id = ?2 AND disabled_at IS NULL",
                arguments: [now.seconds, blob(account.bytes)]
            )
            guard db.changesCount == 1 else { return false }
            try Self.voidCredentials(of: account, in: db)
            try Self.giveBackQuotas(of: account, in: db, at: now)
            try Self.endSessions(ofAccount: account, except: nil, in: db)
            try Self.audit(AuditEvent(.accountDisabled, account: account), in: db, at: now)
            try Self.note(.accountDisabled, of: account, nil, in: db, at: now)
            return true
        }
    }

    /// Switches an account on again. Its devices and its password are as before. False if it was on already.
    package func enable(_ account: AccountID) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: "UPDATE accounts SET disabled_at = NULL WHERE id = ? AND disabled_at IS NOT NULL",
                arguments: [blob(account.bytes)]
            )
            guard db.changesCount == 1 else { return false }
            try Self.audit(AuditEvent(.accountEnabled, account: account), in: db, at: now)
            try Self.note(.accountEnabled, of: account, nil, in: db, at: now)
            return true
        }
    }

    /// Revokes all devices of an account, which ends its sessions, and makes its tickets void.
    ///
    /// - Returns: the number of devices.
    package func revokeDevices(of account: AccountID) async throws -> Int {
        try await writer.write { db, now in
            try Self.voidCredentials(of: account, in: db)
            try Self.giveBackQuotas(of: account, in: db, at: now)
            let devices = try db.all(
                Data.self, sql: "SELECT id FROM devices WHERE account_id = ? AND revoked_at IS NULL",
                arguments: [blob(account.bytes)]
            )
            for device in devices { _ = try Self.revoke(identifier(device), of: account, by: "operator", in: db, at: now) }
            try Self.audit(AuditEvent(.accountEnded, account: account, count: devices.count), in: db, at: now)
            return devices.count
        }
    }

    /// The state of an account; nil if there is none of this id.
    package func state(of account: AccountID) async throws -> AccountState? {
        let now = time.now
        return try await pool.read { db in
            let found = try db.one(
                Row.self,
                sql: """
                    SELECT created_at, disabled_at, one_time_secret IS NOT NULL AS asks,
                        (SELECT count(*) FROM recovery_codes WHERE account_id = ?1 AND used_at IS NULL) AS codes
                    FROM accounts WHERE id = ?1
                    """,
                arguments: [blob(account.bytes)]
            )
            return try found.map { row in
                let (wrong, until) = try Self.row(.account(account), in: db)
                return try AccountState(
                    createdAt: UnixTime(seconds: row["created_at"]),
                    disabledAt: (row["disabled_at"] as Int64?).map { UnixTime(seconds: $0) }, hasOneTimeCodes: row["asks"],
                    recoveryCodes: row["codes"], wrongSignIns: wrong,
                    pausedUntil: until > now.seconds ? UnixTime(seconds: until) : nil
                )
            }
        }
    }

    /// The accounts whose names come after a name, in the order of their names, with the time at which they were
    /// switched off; nil for those that are on.
    package func accounts(after name: String, atMost count: Int) async throws -> [(name: String, disabledAt: UnixTime?)] {
        try await pool.read { db in
            try db.all(
                Row.self, sql: "SELECT name, disabled_at FROM accounts WHERE name > ? ORDER BY name LIMIT ?",
                arguments: [name, count]
            ).map { (try $0["name"], try ($0["disabled_at"] as Int64?).map { UnixTime(seconds: $0) }) }
        }
    }

    /// Whether a ticket's account is on, and its credentials have not changed since the ticket was issued.
    static func isCurrent(_ ticket: Tickets.Right, in db: Database) throws -> Bool {
        try db.one(
            Int.self, sql: "SELECT 1 FROM accounts WHERE id = ? AND credential_generation = ? AND disabled_at IS NULL",
            arguments: [blob(ticket.account.bytes), ticket.credentialGeneration]
        ) == 1
    }

    // MARK: Inside a transaction

    /// - Parameter device: the device that made the change, whose sessions continue; nil if the operator made it.
    private static func setPassword(
        _ hash: String, of account: AccountID, keepingSessionsOf device: DeviceID?, in db: Database, at now: UnixTime
    ) throws {
        try db.run(sql: "UPDATE accounts SET password_hash = ? WHERE id = ?", arguments: [hash, blob(account.bytes)])
        try voidCredentials(of: account, in: db)
        try endSessions(ofAccount: account, except: device, in: db)
        // The count was of attempts at the former password.
        try forget(.account(account), in: db)
        try audit(AuditEvent(.passwordChanged, account: account, device: device), in: db, at: now)
        try note(.passwordChanged, of: account, device, in: db, at: now)
    }

    /// Makes tickets, and sign-ins that were judged before this transaction, void.
    static func voidCredentials(of account: AccountID, in db: Database) throws {
        try db.run(
            sql: "UPDATE accounts SET credential_generation = credential_generation + 1 WHERE id = ?",
            arguments: [blob(account.bytes)]
        )
    }
}
#endif
