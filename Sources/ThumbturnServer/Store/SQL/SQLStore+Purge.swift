#if Server
package import ThumbturnCore

extension SQLStore {
    package func purge(sessionsBefore: UnixTime) async throws {
        try await writer.write { db, now in
            // A node that remembers a proof at this moment sees the former purged_until, and would not see that the proof's row goes.
            try db.run(
                sql: "DELETE FROM spent WHERE expires_at <= ?1 AND (use != ?2 OR expires_at <= (SELECT purged_until FROM node))",
                arguments: [now.seconds, Spend.Use.dpopProof.rawValue])
            // The ids begin with the time, so that SQLite does not visit the other rows.
            try db.run(
                sql: "DELETE FROM sessions WHERE id < ? AND auth_time <= ?",
                arguments: [blob(SessionID.first(after: sessionsBefore).bytes), sessionsBefore.seconds]
            )
            try db.run(
                sql: "DELETE FROM visits WHERE id < ? AND auth_time <= ?",
                arguments: [blob(SessionID.first(after: sessionsBefore).bytes), sessionsBefore.seconds]
            )
            try Self.forgetNotices(in: db, at: now)
            try Self.forgetThrottles(in: db, at: now)
            try db.run(sql: "UPDATE node SET purged_until = max(purged_until, ?)", arguments: [now.seconds])
        }
    }
}
#endif
