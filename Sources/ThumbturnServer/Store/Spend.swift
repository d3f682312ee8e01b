#if Server
import GRDB
package import ThumbturnCore

/// Something that may be used once. The use is part of the key, so that one kind is never taken for another, and so is the expiry:
/// it must come from whoever made the id, under the same signature, so that no id ever comes with two. It is spent in the epoch in which
/// it was checked, or not at all: what an old epoch's secrets vouch for is good for nothing in the next.
package struct Spend: Hashable, Sendable {
    package enum Use: Int, Sendable {
        case challenge = 1
        case ticket = 2
        case assertion = 3
        case idToken = 4
        case plainChallenge = 5
    }

    package var use: Use
    package var id: [UInt8]
    package var expiresAt: UnixTime
    package var epoch: Int64

    package init(_ use: Use, id: [UInt8], expiresAt: UnixTime, epoch: Int64) {
        self.use = use
        self.id = id
        self.expiresAt = expiresAt
        self.epoch = epoch
    }
}

/// The part of the store that spends what may be used once.
package protocol SpendStore: Sendable {
    /// Spends a challenge or ticket that paid for nothing, because its proof was wrong. False if it was spent before.
    func spend(_ spends: [Spend]) async throws -> Bool
}

extension SQLiteStore {
    package func spend(_ spends: [Spend]) async throws -> Bool {
        try await writer.write { db, now in try Self.spendAll(spends, in: db, at: now) }
    }

    static func spendAll(_ spends: [Spend], in db: Database, at now: UnixTime) throws -> Bool {
        // Each is spent, also when another one was spent before.
        try spends.map { try Schema.spend($0, in: db, at: now) }.allSatisfy { $0 }
    }
}

extension Schema {
    /// The one statement that lets a thing be used once: it writes a row only if there was none and the thing is alive. A row
    /// that was purged cannot come back to life, because then its expiry lies at or before `purged_until`; what was checked in another
    /// epoch is alive in none.
    static func spend(_ spend: Spend, in db: Database, at now: UnixTime) throws -> Bool {
        try db.cachedStatement(
            sql: """
                INSERT INTO spent (use, id, expires_at)
                SELECT ?1, ?2, ?3 FROM node WHERE one = 1 AND ?3 > purged_until AND ?3 > ?4 AND epoch = ?5
                ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [spend.use.rawValue, blob(spend.id), spend.expiresAt.seconds, now.seconds, spend.epoch])
        return db.changesCount == 1
    }
}
#endif
