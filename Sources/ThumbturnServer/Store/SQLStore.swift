#if Server
package import CoreMetrics
package import ThumbturnCore

/// The store in an SQL database: a file of SQLite, one in memory, or PostgreSQL. The statements are the same, and so are the rules.
///
/// One transaction writes at a time, with the requests of one node that have gathered (`GroupCommit`). Several processes
/// may share the database.
///
/// Every method is one transaction, which is durable when the method returns. A challenge or a ticket is consumed in the same
/// transaction as the change that it authorises, so no failure separates the two. The methods are in extensions, one for each subject.
package final class SQLStore: Sendable {
    let pool: any SQLPool
    let writer: GroupCommit
    let recentKeys = RecentKeys()
    let recentSessions = RecentSessions()
    let time: NodeTime
    /// Whether a new epoch began when this store was opened, because the database had replaced a newer one or had been
    /// copied.
    package let wasRestored: Bool
    /// The latest time that the database had seen when this store was opened.
    package let foundTime: UnixTime

    /// Opens a file of SQLite with WAL and `synchronous=FULL`, or creates it if it does not exist, and migrates its tables.
    package convenience init(
        path: String, time: NodeTime, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        let pool = try SQLitePool(path: path)
        try self.init(pool, time: time, metrics: metrics) {
            guard let mark = pool.mark else { return false }
            return try Schema.beginEpochIfRestored(pool, mark, time)
        }
    }

    /// Connects to PostgreSQL, and makes or migrates the tables there.
    ///
    /// - Throws: `SetupError.noPostgreSQL` if this program was built without the trait PostgreSQL, `SetupError.databaseUnreachable`, and
    ///   `SetupError.weakDatabase`.
    package convenience init(
        _ address: PostgresAddress, time: NodeTime, for use: DataUse = .serving,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        #if PostgreSQL
        do {
            let pool = try PostgresPool(address, time: time, for: use)
            try self.init(pool, time: time, metrics: metrics) { try pool.open() }
        } catch let error as SQLError {
            throw SetupError.databaseUnreachable(error.debugDescription)
        }
        #else
        throw SetupError.noPostgreSQL
        #endif
    }

    /// Opens a store in memory: the same tables and statements, without files. It is gone with its last reference.
    ///
    /// - Parameter image: what the store begins with; nil for an empty one.
    package convenience init(inMemory image: StoreImage?, time: NodeTime) throws {
        try self.init(SQLitePool(inMemory: image), time: time)
    }

    /// - Parameter beginEpoch: begins an epoch if the database was restored or copied, and says whether it was.
    init(
        _ pool: any SQLPool, time: NodeTime, metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        beginEpoch: () throws -> Bool = { false }
    ) throws {
        self.pool = pool
        self.time = time
        foundTime = UnixTime(seconds: try pool.read { try $0.value(Int64.self, sql: "SELECT high_water FROM node") })
        try time.start(from: foundTime)
        wasRestored = try beginEpoch()
        writer = GroupCommit(
            pool: pool, time: time, edition: try pool.read { try SQLStore.edition(in: $0) },
            times: .ofTransactions(metrics))
    }

    /// The texts of queries of one column, for those that compare what two stores hold.
    package func texts(of queries: [String]) throws -> [String] {
        try pool.read { db in try queries.flatMap { try db.all(String.self, sql: $0) } }
    }

    /// What the store holds now.
    package func image() throws -> StoreImage { try StoreImage(of: pool) }

    /// The proofs of DPoP that several nodes share; nil where the database has one node.
    package var sharedProofs: (any SharedProofs)? { pool as? any SharedProofs }

    /// What makes a commit durable, read back from the database.
    package func durability() throws -> Durability { try pool.durability() }
}
#endif
