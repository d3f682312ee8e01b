#if Server
package import ThumbturnCore

extension SQLStore {
    /// Sets the latest time that was seen, to an earlier or a later one, and begins an epoch. The keys of access tokens
    /// end at once: they have signed tokens of the wrong time.
    ///
    /// - Parameters:
    ///   - keys: all keys of access tokens.
    ///   - coolOff: the longest cool-off of a device.
    package func setTime(to time: UnixTime, retiring keys: [RetiredKey], coolOff: Duration) async throws {
        try await writer.write { db, _ in
            for key in keys { try Self.retire(key, in: db, at: time) }
            let before = try db.one(Int.self, sql: "SELECT high_water FROM node")
            try Schema.setTime(db, to: time, coolOff: coolOff)
            try Self.audit(AuditEvent(.timeSet, count: before), in: db, at: time)
        }
    }
}

extension Schema {
    /// Sets the latest time that was seen, and begins an epoch, so that nothing that was dated by the former time is
    /// accepted.
    ///
    /// A row that the former time dated later than it should be is brought forward to the longest wait from now on:
    /// otherwise an account would be paused, or a device would cool off, until that time comes.
    static func setTime(_ db: Database, to time: UnixTime, coolOff: Duration) throws {
        try db.run(sql: "UPDATE node SET high_water = ?1, purged_until = ?1", arguments: [time.seconds])
        try beginEpoch(db, at: time, lackingUntil: nil)
        let pause = (time + ThrottleLimits.standard.longestWait).seconds
        // These say when all attempts are available again, which a pause from now on would overstate.
        try db.run(sql: "DELETE FROM throttles WHERE scope IN (4, 5)")
        try db.run(sql: "UPDATE throttles SET until = min(until, ?)", arguments: [pause])
        try db.run(sql: "UPDATE keys SET paused_until = min(paused_until, ?)", arguments: [pause])
        try db.run(
            sql: """
                UPDATE devices SET cools_off_until = min(cools_off_until, ?1), enrolled_at = min(enrolled_at, ?2),
                    revoked_at = min(revoked_at, ?2)
                """,
            arguments: [(time + coolOff).seconds, time.seconds])
        try db.run(sql: "UPDATE keys SET retired_at = min(retired_at, ?)", arguments: [time.seconds])
        try db.run(sql: "DELETE FROM approval_rates")
        try db.run(
            sql: "UPDATE accounts SET signatures_over = min(signatures_over, ?), quotas_over = min(quotas_over, ?)",
            arguments: [time.seconds - 1, time.seconds])
        try db.run(sql: "UPDATE clients SET created_at = min(created_at, ?)", arguments: [time.seconds])
        try db.run(
            sql: "UPDATE approvals SET expires_at = min(expires_at, ?) WHERE state != 'redeemed'", arguments: [time.seconds])
        try db.run(sql: "UPDATE notices SET at = min(at, ?1), due_at = min(due_at, ?1)", arguments: [time.seconds])
        try db.run(sql: "UPDATE notices_to_nobody SET at = min(at, ?)", arguments: [time.seconds])
        try db.run(sql: "DELETE FROM sessions WHERE auth_time > ?", arguments: [time.seconds])
        // A one-time code of this or the next half minute may have been used. Where the former time was little ahead, the code that was
        // used then stays used: if it is the new time that is wrong, the code comes again.
        try db.run(
            sql: "UPDATE accounts SET one_time_last = ? WHERE one_time_last > ?",
            arguments: [time.seconds / 30 + 1, (time + NodeTime.largestStep).seconds / 30 + 1])
    }
}
#endif
