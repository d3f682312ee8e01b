#if Server
package import ThumbturnCore

extension SQLStore {
    /// Deletes expired rows: consumed ids (up to an expiry that is recorded), old notices and throttles, and sessions
    /// that began before a time.
    package func purge(sessionsBefore: UnixTime) async throws {
        // The time is that of each transaction: an operator may set it back between two of them, and what is used then must stay.
        // A node that remembers a proof at this moment sees the former purged_until, and would not see that the proof's row goes.
        // What others have signed outlives an epoch: it is remembered longer, for an operator who sets the time back a little too far.
        try await deleteInPortions(
            """
            DELETE FROM spent WHERE (expires_at, use, id) IN (
                SELECT expires_at, use, id FROM spent
                WHERE expires_at <= (SELECT high_water FROM node)
                    AND (use != ? OR expires_at <= (SELECT purged_until FROM node))
                    AND (use NOT IN (?, ?) OR expires_at + ? <= (SELECT high_water FROM node)) LIMIT ?)
            """, Spend.Use.dpopProof.rawValue, Spend.Use.assertion.rawValue, Spend.Use.idToken.rawValue,
            NodeTime.largestStep.components.seconds)
        // The ids begin with the time, so that SQLite does not visit the other rows.
        let (first, last) = (blob(SessionID.first(after: sessionsBefore).bytes), sessionsBefore.seconds)
        try await deleteInPortions(
            "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE id < ? AND auth_time <= ? LIMIT ?)", first, last)
        try await deleteInPortions(
            "DELETE FROM visits WHERE id IN (SELECT id FROM visits WHERE id < ? AND auth_time <= ? LIMIT ?)", first, last)
        try await writer.write { db, now in
            try Self.forgetNotices(in: db, at: now)
            try Self.forgetThrottles(in: db, at: now)
            // What was deleted expired before, so that nothing was accepted meanwhile that a row would have refused.
            try db.run(sql: "UPDATE node SET purged_until = max(purged_until, ?)", arguments: [now.seconds])
        }
    }

    /// Rows that one transaction deletes, so that no request waits long for a large deletion, and none takes longer than it may.
    private static let portion = 10_000

    /// Runs a statement that deletes at most as many rows as its last argument says, until there are no more.
    func deleteInPortions(_ sql: String, _ arguments: any SQLConvertible...) async throws {
        let values = StatementArguments((arguments + [Self.portion]).map(\.sqlValue))
        while try await writer.write({ db, _ in
            try db.run(sql: sql, arguments: values)
            return db.changesCount
        }) == Self.portion {}
    }
}
#endif
