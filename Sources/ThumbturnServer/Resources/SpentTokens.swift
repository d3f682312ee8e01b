#if Server
import Foundation
import GRDB
public import ThumbturnCore

/// The port to the store of consumed single-use tokens.
public protocol SpentTokens: Sendable {
    /// Records the use of a token durably, in one transaction. All nodes of a resource server must share one store.
    ///
    /// - Parameters:
    ///   - id: identifies the token among all issuers.
    ///   - expiry: the token's expiry. The token is refused from then on, so its record may be deleted.
    ///   - now: the current time.
    /// - Returns: false if the use was recorded before.
    func spend(_ id: String, until expiry: UnixTime, at now: UnixTime) async throws -> Bool
}

/// A store of consumed single-use tokens in an SQLite file.
public final class SpentTokenFile: SpentTokens {
    private let queue: DatabaseQueue

    /// Opens the file, or creates it if it does not exist. Throws the errors of the database.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // A recorded use must survive a power failure: otherwise the token could be used twice.
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

    /// Records the use of a token, and deletes the records of expired tokens. False if the use was recorded before, or
    /// if the token was expired at the latest time of any call, so that a clock that is set back makes no token usable
    /// again.
    public func spend(_ id: String, until expiry: UnixTime, at now: UnixTime) async throws -> Bool {
        try await queue.write { db in
            try db.execute(sql: "DELETE FROM spent WHERE expires_at <= ?", arguments: [now.seconds])
            try db.execute(sql: "UPDATE purged SET until = max(until, ?)", arguments: [now.seconds])
            // A deleted record does not make its token usable again, even if the clock is set back.
            try db.execute(
                sql: "INSERT INTO spent SELECT ?1, ?2 FROM purged WHERE ?2 > until ON CONFLICT DO NOTHING",
                arguments: [id, expiry.seconds]
            )
            return db.changesCount == 1
        }
    }
}
#endif
