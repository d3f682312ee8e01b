#if Server
import Foundation
import GRDB
public import ThumbturnCore

/// The port to the memory of tokens that were good for one use.
public protocol SpentTokens: Sendable {
    /// Notes a token's use, durably, in one transaction; false if it was noted before. All nodes of a resource server share one memory.
    ///
    /// - Parameters:
    ///   - id: names the token among all issuers.
    ///   - expiry: from then on the token is refused anyway, and may be forgotten.
    func spend(_ id: String, until expiry: UnixTime, at now: UnixTime) async throws -> Bool
}

/// The memory in an SQLite file of the resource server's own.
public final class SpentTokenFile: SpentTokens {
    private let queue: DatabaseQueue

    /// Opens the file, making it where it does not exist.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // Acknowledged is on disk: a use that the power takes back would be a second use.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS spent (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                    CREATE INDEX IF NOT EXISTS spent_by_expiry ON spent (expires_at);
                    CREATE TABLE IF NOT EXISTS purged (one INTEGER PRIMARY KEY CHECK (one = 1), until INTEGER NOT NULL) STRICT;
                    INSERT INTO purged VALUES (1, 0) ON CONFLICT DO NOTHING;
                    """
            )
        }
    }

    public func spend(_ id: String, until expiry: UnixTime, at now: UnixTime) async throws -> Bool {
        try await queue.write { db in
            try db.execute(sql: "DELETE FROM spent WHERE expires_at <= ?", arguments: [now.seconds])
            try db.execute(sql: "UPDATE purged SET until = max(until, ?)", arguments: [now.seconds])
            // What was forgotten never comes back, wherever the clock goes.
            try db.execute(
                sql: "INSERT INTO spent SELECT ?1, ?2 FROM purged WHERE ?2 > until ON CONFLICT DO NOTHING",
                arguments: [id, expiry.seconds]
            )
            return db.changesCount == 1
        }
    }
}
#endif
