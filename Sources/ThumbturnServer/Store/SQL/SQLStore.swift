#if Server
package import CoreMetrics
import Foundation
import GRDB
package import ThumbturnCore
import ThumbturnVerifier

/// The store in one SQLite file: WAL, `synchronous=FULL`, group commit. Several processes may share the file.
///
/// Its methods are in extensions, one for each part of the port.
package final class SQLStore: Store {
    /// A pool of connections to the file; in memory one connection.
    let pool: any DatabaseWriter
    let writer: GroupCommit
    let recentKeys = RecentKeys()
    let recentSessions = RecentSessions()
    let time: NodeTime
    /// The files beside the database that show whether it was restored; in memory there are none.
    let mark: CommitMark?
    package let wasRestored: Bool
    package let foundTime: UnixTime

    /// Opens the file, or creates it if it does not exist, and migrates its tables.
    package init(
        path: String, time: NodeTime, keepsAuditLog: Bool = true,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = Limits.readers
        let mark = try CommitMark(beside: path)
        self.mark = mark
        let pool = try DatabasePool(path: path, configuration: configuration)
        self.pool = pool
        guard try !pool.read(Schema.migrator.hasBeenSuperseded) else { throw SetupError.newerDatabase(path) }
        try Schema.migrator.migrate(pool)
        // GRDB opens WAL files with synchronous=NORMAL, which may lose acknowledged commits when the power fails.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try db.one(Int.self, sql: "PRAGMA synchronous")
        }
        guard mode == Self.full else { throw StoreError.notDurable }
        self.time = time
        foundTime = UnixTime(seconds: try pool.read { try $0.value(Int64.self, sql: "SELECT high_water FROM node") })
        try time.start(from: foundTime)
        wasRestored = try Schema.beginEpochIfRestored(pool, mark, at: time.now)
        let edition = try pool.read { try SQLStore.edition(in: $0) }
        let checkpoints = try Checkpoints(of: path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        writer = GroupCommit(
            pool: pool, time: time, mark: mark, checkpoints: checkpoints, edition: edition, keepsAuditLog: keepsAuditLog,
            times: .ofTransactions(metrics))
    }

    /// Opens a store in memory: the same tables and statements, without files. It is gone with its last reference.
    ///
    /// - Parameter image: what the store begins with; nil for an empty one.
    package init(inMemory image: StoreImage?, time: NodeTime, keepsAuditLog: Bool = true) throws {
        mark = nil
        wasRestored = false
        self.time = time
        let database = try StoreImage.copy(of: image)
        pool = database
        foundTime = UnixTime(seconds: try database.read { try $0.value(Int64.self, sql: "SELECT high_water FROM node") })
        try time.start(from: foundTime)
        writer = GroupCommit(
            pool: database, time: time, mark: nil, checkpoints: nil,
            edition: try database.read { try SQLStore.edition(in: $0) }, keepsAuditLog: keepsAuditLog)
    }

    /// The texts of queries of one column, for those that compare what two stores hold.
    package func texts(of queries: [String]) throws -> [String] {
        try pool.read { db in try queries.flatMap { try String.fetchAll(db, sql: $0) } }
    }

    /// What the store holds now.
    package func image() throws -> StoreImage { try StoreImage(of: pool) }

    /// SQLite's number for `synchronous=FULL`.
    private static let full = 2

    package func durability() throws -> (synchronous: Int?, journal: String?) {
        try pool.writeWithoutTransaction { db in
            (try db.one(Int.self, sql: "PRAGMA synchronous"), try db.one(String.self, sql: "PRAGMA journal_mode"))
        }
    }
}

func blob(_ bytes: [UInt8]) -> Data { Data(bytes) }

/// A message as text for a column.
func json(_ message: some Encodable) -> String { String(decoding: WireJSON.encode(message), as: UTF8.self) }

func identifier<Kind>(_ data: Data) -> Identifier<Kind> { Identifier(unchecked: Array(data)) }
#endif
