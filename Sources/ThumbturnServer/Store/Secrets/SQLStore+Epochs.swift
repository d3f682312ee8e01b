#if Server
import Foundation
package import ThumbturnCore

/// What the store keeps of its epoch.
///
/// A restored database does not know which ids were consumed after its backup was made. So a new epoch begins, in which
/// no challenge, ticket or token of the earlier one is accepted.
extension SQLStore {
    /// Begins an epoch: deletes the secrets of challenges, tickets and refresh tokens, and ends all sessions and
    /// unfinished approvals.
    package func beginEpoch() async throws {
        try await writer.write { [time] db, now in try Schema.beginEpoch(db, at: now, lackingUntil: time.civil) }
    }

    /// The number of the current epoch and the time when it began. Both are 0 for the first epoch.
    package func epoch() async throws -> (number: Int64, began: UnixTime) {
        try await pool.read { db in
            let node = try db.value(Row.self, sql: "SELECT epoch, epoch_began FROM node")
            return (try node["epoch"], UnixTime(seconds: try node["epoch_began"]))
        }
    }

    /// Writes a copy of the whole database to a file.
    package func backUp(to path: String) async throws {
        try pool.backUp(to: path)
    }

    /// Replaces the whole database by such a copy, and begins an epoch. Keys of access tokens that were retired or
    /// revoked since the copy was made stay so, and the newer keys verify until their last tokens expire.
    ///
    /// A copy from days of a wrong clock may have seen a time that is still to come. Then its time is set to the clock's
    /// in the same transaction, as `setTime` does it. The keys of access tokens of former epochs have to be retired
    /// afterwards.
    ///
    /// - Parameters:
    ///   - coolOff: the longest cool-off of a device.
    ///   - sealing: opens every sealed value of the copy and seals it for this database. If it throws, nothing has changed.
    ///   - own: opens what this database has sealed, under the key that `sealing` seals with. If it throws, nothing has changed.
    @discardableResult
    package func restore(
        from path: String, coolOff: Duration, sealing: @escaping Sealing, own: Sealing = { sealed, _ in sealed }
    ) async throws -> RestoredTime {
        // The new epoch begins in a copy, which then replaces the whole database in one transaction. So no running
        // server ever sees the backup's epoch, and the secrets that the server holds are refused.
        try await replace(by: { try Self.draft(of: path, sealing: sealing) }, coolOff: coolOff, own)
    }

    /// The same with a backup in memory, which was sealed with this server's master key.
    package func restore(from image: StoreImage, coolOff: Duration) async throws {
        _ = try await replace(by: { try SQLitePool(inMemory: image) }, coolOff: coolOff) { sealed, _ in sealed }
    }

    /// - Parameter makeDraft: runs again if a key of access tokens was revoked meanwhile, which the draft would not know.
    private func replace(
        by makeDraft: () throws -> SQLitePool, coolOff: Duration, _ own: Sealing
    ) async throws -> RestoredTime {
        for _ in 0..<Limits.transactionTries {
            let draft = try makeDraft()
            let (keys, edition) = try await pool.read { (try KeptTokenKeys(in: $0), try Self.edition(in: $0)) }
            // Another command may have changed the master key while the backup was opened.
            try keys.open(own)
            let restored = try await settle(draft, keeping: keys, coolOff: coolOff)
            do {
                try pool.replace(by: draft) { db in
                    guard try Self.edition(in: db) == edition else { throw StoreError.anotherEpoch }
                }
                return restored
            } catch StoreError.anotherEpoch {
                continue
            }
        }
        throw StoreError.anotherEpoch
    }

    private func settle(_ draft: SQLitePool, keeping keys: KeptTokenKeys, coolOff: Duration) async throws -> RestoredTime {
        let (now, clock, place) = (time.now, time.civil, pool.place)
        let commits = try await pool.read { try $0.value(Int64.self, sql: "SELECT commits FROM node") }
        return try draft.write { db in
            try keys.merge(into: db)
            let restored = try Self.settleTime(of: db, clock: clock, now: now, coolOff: coolOff)
            try Schema.beginEpoch(db, at: now, after: commits + Schema.commitsOfRunningServers, lackingUntil: clock)
            try db.run(sql: "UPDATE node SET place = ?", arguments: [place])
            return restored
        }
    }

    /// Sets the time of a backup to the clock's if it is too far ahead of it.
    ///
    /// - Parameter now: the time of the server whose database is replaced. It is ahead of the clock where that database
    ///   has seen a later time.
    private static func settleTime(
        of db: Database, clock: UnixTime, now: UnixTime, coolOff: Duration
    ) throws -> RestoredTime {
        let found = UnixTime(seconds: try db.value(Int64.self, sql: "SELECT high_water FROM node"))
        guard found - clock > NodeTime.largestStep else { return .kept }
        guard now - clock <= NodeTime.largestStep else { return .ahead(found) }
        try Schema.setTime(db, to: clock, coolOff: coolOff)
        try audit(AuditEvent(.timeSet, count: Int(found.seconds)), in: db, at: clock)
        return .set(from: found, to: clock)
    }

    /// A backup in memory, with the tables of this version.
    ///
    /// - Parameter sealing: opens every sealed value, and seals it again.
    /// - Throws: `SetupError.noBackup`, or `SetupError.backupMasterKey` if `sealing` throws `SetupError.masterKeyWrong`.
    static func draft(of path: String, sealing: Sealing) throws -> SQLitePool {
        let draft = try SQLitePool(copyOf: path)
        do {
            try draft.write { try Schema.sealAgain($0, sealing) }
        } catch SetupError.masterKeyWrong {
            throw SetupError.backupMasterKey(path)
        }
        return draft
    }
}

/// What a database knows of keys of access tokens that an older copy of it does not.
private struct KeptTokenKeys: Sendable {
    private let live: [SealedSecret]
    private let retired: [Retired]

    private struct Retired: Sendable {
        var kid: String
        var secret: String
        var x963: Data
        var retiredAt: Int64
        var revokedAt: Int64?
    }

    init(in db: Database) throws {
        live = try db.all(
            Row.self, sql: "SELECT id, use, created_at, sealed, signs_in FROM secrets WHERE use = 'token'"
        ).compactMap(SQLStore.secret)
        retired = try db.all(
            Row.self, sql: "SELECT kid, secret, x963, retired_at, revoked_at FROM retired_token_keys"
        ).map {
            try Retired(
                kid: $0["kid"], secret: $0["secret"], x963: $0["x963"], retiredAt: $0["retired_at"],
                revokedAt: $0["revoked_at"])
        }
    }

    /// Throws what `sealing` throws for a live key.
    func open(_ sealing: Sealing) throws {
        for key in live { _ = try sealing(key.sealed, SealLabel.secret(key.id, use: key.use.rawValue)) }
    }

    /// Adds these keys to an older copy of their database. The live ones verify and do not sign, because the copy begins
    /// another epoch, and the retired ones have no private half there either.
    func merge(into db: Database) throws {
        for key in live {
            try db.run(
                sql: """
                    INSERT INTO secrets (id, use, created_at, sealed) VALUES (?, 'token', ?, ?) ON CONFLICT DO NOTHING
                    """,
                arguments: [key.id, key.createdAt.seconds, blob(key.sealed)])
        }
        for key in retired {
            try db.run(
                sql: """
                    INSERT INTO retired_token_keys (kid, secret, x963, retired_at, revoked_at) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (kid) DO UPDATE SET revoked_at = coalesce(retired_token_keys.revoked_at, excluded.revoked_at)
                    """,
                arguments: [key.kid, key.secret, key.x963, key.retiredAt, key.revokedAt])
        }
        try db.run(sql: "DELETE FROM secrets WHERE id IN (SELECT secret FROM retired_token_keys)")
    }
}

extension Schema {
    /// More commits than running servers make until they notice a new epoch, so that the number of none of theirs is ahead of its
    /// commits.
    static let commitsOfRunningServers: Int64 = 1 << 32

    /// Begins an epoch if this database has replaced a newer one or its folder is a copy, and writes the mark.
    ///
    /// If the process ends before this is done, the next process decides the same, because the signs of a restored
    /// database remain until the epoch is committed.
    static func beginEpochIfRestored(_ pool: SQLitePool, _ mark: CommitMark, _ time: NodeTime) throws -> Bool {
        let (isRestored, commits) = try pool.write { db in
            let node = try db.value(Row.self, sql: "SELECT commits, place FROM node")
            let (commits, place, found) = (try node["commits"] as Int64, try node["place"] as String, mark.read())
            // A new database has no place to compare.
            let isRestored = !place.isEmpty && (place != mark.place || (found ?? .max) > commits)
            if place != mark.place { try db.run(sql: "UPDATE node SET place = ?", arguments: [mark.place]) }
            if isRestored {
                try beginEpoch(db, at: time.now, after: found ?? 0, lackingUntil: time.civil)
            } else if found == nil {
                try mark.make(commits)
            }
            return (isRestored, try db.value(Int64.self, sql: "SELECT commits FROM node"))
        }
        if isRestored { try mark.make(commits) }
        return isRestored
    }

    /// Ends everything that belongs to the current epoch. DPoP nonces are not stored; they become invalid with the
    /// process.
    ///
    /// Keys of access tokens sign in their own epoch only, so the next reading of the secrets makes a new one.
    ///
    /// - Parameters:
    ///   - commits: the highest known number of a commit. Later commits get higher numbers.
    ///   - clock: the machine's clock where the database may be an older one, which does not know what was used until then: a command's
    ///     own time is that of the database. Nil where it lacks nothing.
    static func beginEpoch(_ db: Database, at now: UnixTime, after commits: Int64 = 0, lackingUntil clock: UnixTime?) throws {
        try db.mayTakeLong()
        try db.run(
            sql: """
                UPDATE node SET epoch = ?1, commits = max(commits, ?2) + 1, high_water = max(high_water, ?3),
                    epoch_began = max(max(high_water, ?3), ?4), purged_until = max(max(purged_until, high_water), ?3)
                """,
            // Random, so that the epoch of a backup is never equal to a later one.
            arguments: [Int64.random(in: 1...Int64.max), commits, now.seconds, max(now, clock ?? now).seconds]
        )
        try SQLStore.audit(
            AuditEvent(.epochBegan, detail: try db.one(Int64.self, sql: "SELECT epoch FROM node").map { String($0) }), in: db,
            at: now)
        try db.run(sql: "DELETE FROM secrets WHERE use IN ('challenge', 'refresh')")
        try db.run(sql: "UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL", arguments: [now.seconds])
        try db.run(sql: "DELETE FROM visits")
        try db.run(sql: "UPDATE approvals SET state = 'expired' WHERE state IN ('open', 'approved')")
        guard clock != nil else { return }
        // The database does not know which recovery codes and one-time codes were used since. A one-time code is at
        // most one step ahead of the clock.
        try db.run(sql: "DELETE FROM recovery_codes")
        try db.run(sql: "UPDATE accounts SET one_time_last = max(one_time_last, (SELECT epoch_began FROM node) / 30 + 1)")
    }
}
#endif
