#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Visits: the sessions of full credentials, without an enrolled device.
///
/// They are in a table of their own, which refers to no device and no key. So nothing that reads devices or keys finds a
/// visit: it is in no list of devices, counts for no quota of theirs, cools nothing off and vouches for nothing.
extension SQLStore {
    /// Consumes a ticket and opens a visit. Nil if the ticket was consumed before, if it names no credentials, if its
    /// account is switched off or has changed its credentials since, or if the visit would be over already. The ticket
    /// is consumed in any case. The account's oldest visit ends if it has the most that it may have.
    package func openVisit(_ new: NewVisit, by ticket: Tickets.Right) async throws -> SessionView? {
        try await writer.write { db, now in
            guard try Schema.spend(ticket.spend, in: db, at: now), try Self.isCurrent(ticket, in: db),
                let credentials = ticket.credentials, let age = TokenTimes.age(of: credentials.verifiedAt, at: now),
                age < new.lifetime, try Assurance.withoutKey.meets(Self.minimum(of: ticket.account, in: db))
            else { return nil }
            try db.run(
                sql: """
                    INSERT INTO visits (id, account_id, jkt, amr, credential_generation, generation, token_hash, auth_time,
                        rotated_at, opened, freshness)
                    SELECT ?, ?, ?, ?, ?, 0, ?, ?, ?, commits, ? FROM node
                    """,
                arguments: [
                    blob(new.id.bytes), blob(ticket.account.bytes), new.jkt, credentials.methods.joined(separator: " "),
                    ticket.credentialGeneration, blob(new.tokenHash), credentials.verifiedAt.seconds, now.seconds,
                    ticket.freshness.rawValue,
                ])
            try Self.makeRoom(for: new.id, of: ticket.account, in: db)
            try Self.audit(
                AuditEvent(.signedIn, account: ticket.account, session: new.id, detail: "credentials"), in: db, at: now)
            try Self.note(.visit, of: ticket.account, nil, in: db, at: now)
            return try Self.visit(new.id, in: db)
        }
    }

    /// The least assurance that an account's group demands of what opens a session; the highest there is for an account
    /// that is gone.
    static func minimum(of account: AccountID, in db: Database) throws -> Assurance {
        let row = try db.one(
            Row.self,
            sql: """
                SELECT g.protection AS least_protection, g.verification AS least_verification FROM accounts a LEFT JOIN account_groups g ON g.name = a.group_name WHERE a.id = ?
                """,
            arguments: [blob(account.bytes)])
        return try row.flatMap { try Assurance(minimum: $0) } ?? .highest
    }

    /// Ends the oldest visits of an account that has too many. A new one is not refused: a person who signs in must get
    /// in.
    private static func makeRoom(for new: SessionID, of account: AccountID, in db: Database) throws {
        try db.run(
            sql: """
                DELETE FROM visits WHERE id IN (
                    SELECT id FROM visits WHERE account_id = ? AND id != ? ORDER BY opened DESC, id DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [blob(account.bytes), blob(new.bytes), Limits.visits - 1])
    }

    /// A visit lasts only while its account has the credentials that opened it: it ends with each change of the password
    /// or of the one-time codes, and when the account is switched off or its devices are revoked.
    static func visit(_ id: SessionID, in db: Database) throws -> SessionView? {
        let found = try db.one(
            Row.self,
            sql: """
                SELECT v.jkt, v.amr, v.freshness, v.generation, v.auth_time, v.rotated_at, a.id AS account_id, a.name,
                    a.credential_generation, a.credential_generation = v.credential_generation AS live, g.protection AS least_protection, g.verification AS least_verification
                FROM visits v JOIN accounts a ON a.id = v.account_id LEFT JOIN account_groups g ON g.name = a.group_name
                WHERE v.id = ?
                """,
            arguments: [blob(id.bytes)])
        return try found.map { row in
            try SessionView(
                id: id, device: DeviceID(unchecked: id.bytes), account: identifier(row["account_id"]),
                accountName: row["name"],
                opener: .credentials(
                    (row["amr"] as String).split(separator: " ").map(String.init),
                    // What a newer version has written is worth the least.
                    SignInFreshness(rawValue: row["freshness"]) ?? .stale),
                sessionJKT: row["jkt"], generation: row["generation"], authTime: UnixTime(seconds: row["auth_time"]),
                rotatedAt: UnixTime(seconds: row["rotated_at"]),
                isLive: row["live"] && Assurance(minimum: row).map(Assurance.withoutKey.meets) == true,
                coolsOffUntil: UnixTime(seconds: 0),
                credentialGeneration: row["credential_generation"])
        }
    }

    /// Ends a visit, if it is one of this session key. False if there is no such visit.
    static func endVisit(_ id: SessionID, of jkt: String, in db: Database, at now: UnixTime) throws -> Bool {
        guard let visit = try visit(id, in: db), visit.sessionJKT == jkt else { return false }
        try end(visit, in: db, at: now)
        if visit.isLive {
            try audit(AuditEvent(.signedOut, account: visit.account, session: id), in: db, at: now)
        }
        return true
    }

    /// Ends a session or a visit, whatever the reason.
    static func end(_ session: SessionView, in db: Database, at now: UnixTime) throws {
        let id = blob(session.id.bytes)
        if session.isVisit {
            try db.run(sql: "DELETE FROM visits WHERE id = ?", arguments: [id])
        } else {
            try db.run(sql: "UPDATE sessions SET ended_at = ? WHERE id = ?", arguments: [now.seconds, id])
        }
    }
}
#endif
