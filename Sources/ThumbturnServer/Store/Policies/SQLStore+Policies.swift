#if Server

extension SQLStore {
    /// The latest version of each policy that had one.
    package func policyVersions() async throws -> [PolicyKind: Int64] {
        try await pool.read { try Self.policyVersions(in: $0) }
    }

    /// Raises the latest versions to these, where they are lower.
    package func raise(policyVersions versions: [PolicyKind: Int64]) async throws {
        try await writer.write { db, _ in try Self.raise(versions, in: db) }
    }

    static func policyVersions(in db: Database) throws -> [PolicyKind: Int64] {
        try db.all(Row.self, sql: "SELECT policy, version FROM policy_versions").reduce(into: [:]) { versions, row in
            guard let policy = PolicyKind(rawValue: try row["policy"]) else { return }
            versions[policy] = try row["version"]
        }
    }

    static func raise(_ versions: [PolicyKind: Int64], in db: Database) throws {
        for (policy, version) in versions {
            try db.run(
                sql: """
                    INSERT INTO policy_versions (policy, version) VALUES (?, ?)
                    ON CONFLICT (policy) DO UPDATE SET version = max(policy_versions.version, excluded.version)
                    """,
                arguments: [policy.rawValue, version])
        }
    }
}
#endif
