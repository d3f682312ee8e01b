#if Server
import GRDB

/// For a benchmark that compares them with its own.
extension SQLiteStore {
    /// The transactions that were committed since the file was opened.
    package var commits: Int { writer.commits.total }

    /// How many spent things there are.
    package func spentCount() async throws -> Int {
        try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM spent") ?? 0 }
    }
}
#endif
