#if Server
import GRDB

extension Schema {
    static func registerPolicies(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("36 versions of policies") { db in
            try db.execute(
                sql: """
                    -- The latest version of each policy that a node has used.
                    CREATE TABLE policy_versions (
                        policy TEXT PRIMARY KEY,
                        version INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
    }
}
#endif
