#if Server
import ThumbturnCore

/// The tables of the store, and what each transaction does with them.
///
/// `Schema.tables` are those of SQLite, and `PostgresSchema.tables` those of PostgreSQL.
enum Schema {
    /// Refuses tables that this version cannot use: those from before the first release, which lack the first migration, and those that
    /// a newer version has changed. An empty database has no migration and is not refused.
    ///
    /// - Parameters:
    ///   - applied: the names of the migrations that the database has, except those that an older version may ignore.
    ///   - known: the names of this version's migrations, in their order.
    ///   - place: the path of the database, or words for it.
    static func refuse(_ applied: Set<String>, unless known: [String], at place: String) throws(SetupError) {
        guard applied.isEmpty || applied.contains(known[0]) else { throw .olderDatabase(place) }
        guard applied.isSubset(of: known) else { throw .newerDatabase(place) }
    }

    /// The state at the start of a transaction.
    struct Tick {
        var now: UnixTime
        /// The number of transactions so far, this one included.
        var commits: Int64
        var edition: SecretsEdition
        /// The end of the audit log.
        let audit = AuditEnd()
    }

    /// Counts this transaction, and moves the stored time forward, never back.
    ///
    /// - Parameter epoch: the epoch of the caller. In another epoch the stored time stays: it may be one that an operator
    ///   has set, and the caller's may be the wrong one.
    static func tick(_ db: Database, at now: UnixTime, in epoch: Int64) throws -> Tick {
        let statement = """
            UPDATE node SET high_water = CASE WHEN epoch = ?2 THEN max(high_water, ?1) ELSE high_water END,
                commits = commits + 1
            WHERE one = 1 RETURNING high_water, commits, epoch, secret_changes
            """
        let row = try db.value(Row.self, sql: statement, arguments: [now.seconds, epoch])
        return try Tick(
            now: UnixTime(seconds: row["high_water"]), commits: row["commits"],
            edition: SecretsEdition(epoch: row["epoch"], changes: row["secret_changes"]))
    }
}
#endif
