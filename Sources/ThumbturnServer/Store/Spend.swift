#if Server
import GRDB
package import ThumbturnCore

/// The consumption of something that is good only once: a challenge, a ticket, an assertion, an ID token.
///
/// Use, id and expiry are its identity. The use keeps one kind from being taken for another. The expiry has to come from the
/// issuer of the id, under the same signature, so that no id ever comes with two. It is consumed in the epoch in which it was
/// verified, or not at all: what the secrets of an earlier epoch made is refused in the next one.
package struct Spend: Hashable, Sendable {
    /// The kinds of things that are good only once. The raw values are stored.
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

/// The part of the store that consumes challenges and tickets which authorised nothing, because their proof was wrong.
package protocol SpendStore: Sendable {
    /// Consumes all of these. False if any of them had been consumed before.
    func spend(_ spends: [Spend]) async throws -> Bool
}

extension SQLiteStore {
    package func spend(_ spends: [Spend]) async throws -> Bool {
        try await writer.write { db, now in try Self.spendAll(spends, in: db, at: now) }
    }

    static func spendAll(_ spends: [Spend], in db: Database, at now: UnixTime) throws -> Bool {
        // Each one is consumed, also where an earlier one of the list was refused.
        try spends.map { try Schema.spend($0, in: db, at: now) }.allSatisfy { $0 }
    }
}

extension Schema {
    /// The one statement by which anything is consumed. False if it was consumed before, has expired, or belongs to another
    /// epoch.
    ///
    /// It writes a row only if there is none yet. A row that was purged does not make its id usable again, because its expiry
    /// lies at or before `purged_until`.
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
