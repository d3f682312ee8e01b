#if Server
import ThumbturnCore

/// The consumption of what authorises no transaction of its own, such as a client's assertion, or a challenge whose proof was wrong.
extension SQLStore {
    /// Consumes all of these. False if any of them had been consumed before.
    package func spend(_ spends: [Spend]) async throws -> Bool { try await spend(spends, recording: nil) }

    /// Consumes all of these. False if any of them had been consumed before.
    ///
    /// - Parameter event: the refusal after which they are consumed, for the audit log.
    package func spend(_ spends: [Spend], recording event: AuditEvent?) async throws -> Bool {
        try await writer.write { db, now in
            let isFresh = try Self.spendAll(spends, in: db, at: now)
            // The same request again has no further row, so that rows cost as much as challenges.
            if isFresh, let event { try Self.audit(event, in: db, at: now) }
            return isFresh
        }
    }

    static func spendAll(_ spends: [Spend], in db: Database, at now: UnixTime) throws -> Bool {
        // All of them are consumed, even if an earlier one was refused.
        try spends.map { try Schema.spend($0, in: db, at: now) }.allSatisfy { $0 }
    }
}

extension Schema {
    /// Consumes an id; no other statement does. False if the id was consumed before, has expired, or belongs to
    /// another epoch.
    ///
    /// It writes a row only if there is none yet. A row that was purged does not make its id usable again, because its
    /// expiry lies at or before `purged_until`.
    static func spend(_ spend: Spend, in db: Database, at now: UnixTime) throws -> Bool {
        try db.run(
            sql: """
                INSERT INTO spent (use, id, expires_at)
                SELECT ?1, ?2, ?3 FROM node WHERE one = 1 AND ?3 > purged_until AND ?3 > ?4 AND epoch = ?5
                ON CONFLICT DO NOTHING
                """, arguments: [spend.use.rawValue, blob(spend.id), spend.expiresAt.seconds, now.seconds, spend.epoch])
        return db.changesCount == 1
    }
}
#endif
