#if Server
import GRDB

extension Schema {
    static func registerOAuth(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("14 retired token keys") { db in
            try db.execute(
                sql: """
                    CREATE TABLE retired_token_keys (
                        kid TEXT PRIMARY KEY,
                        secret TEXT NOT NULL,
                        x963 BLOB NOT NULL,
                        retired_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("15 epochs") { db in
            // The number of the last commit, and which file lies beside the database; see CommitMark.
            try db.execute(
                sql: """
                    ALTER TABLE node ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE node ADD COLUMN epoch_began INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE node ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE node ADD COLUMN place TEXT NOT NULL DEFAULT '';
                    """
            )
        }
        migrator.registerMigration("16 identities") { db in
            try db.execute(
                sql: """
                    -- The people of a provider: its name for them, and their account here.
                    CREATE TABLE identities (
                        issuer TEXT NOT NULL,
                        subject TEXT NOT NULL,
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        PRIMARY KEY (issuer, subject)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
    }
}
#endif
