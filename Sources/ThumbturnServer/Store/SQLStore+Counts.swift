#if Server

/// Counts for a benchmark, which compares them with its own.
extension SQLStore {
    /// The number of transactions committed since the store was opened.
    package var commits: Int { writer.commits.total }

    /// The number of consumed challenges, tickets and tokens that are stored.
    package func spentCount() async throws -> Int {
        try await pool.read { try $0.value(Int.self, sql: "SELECT count(*) FROM spent") }
    }
}
#endif
