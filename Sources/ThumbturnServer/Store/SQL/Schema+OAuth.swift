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
            // The number of the last commit, and the identity of the file beside the database; see CommitMark.
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
                    -- The people of a provider: their subject there, and their account here.
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

    static func registerClientLimits(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("26 limits of back ends") { db in
            // A back end that was registered before has no limits, and its tokens are bound to a key from now on.
            try db.execute(
                sql: """
                    ALTER TABLE clients ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
                    ALTER TABLE clients ADD COLUMN allows_bearer INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
    }

    static func registerSessionsInOrder(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("18 sessions in order") { db in
            // A session has the number of the commit that opened it, so that one number ends all sessions of a device.
            // With an index instead, every sign-in would have to write one more page.
            try db.execute(
                sql: """
                    DROP INDEX sessions_of_device;
                    ALTER TABLE sessions ADD COLUMN opened INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE devices ADD COLUMN sessions_over INTEGER NOT NULL DEFAULT -1;
                    CREATE INDEX step_ups_of_device ON sessions (device_id) WHERE granted IS NOT NULL;
                    """
            )
        }
        migrator.registerMigration("19 nothing looks through a table") { db in
            // The sessions of a key end as those of a device do.
            try db.execute(
                sql: """
                    ALTER TABLE keys ADD COLUMN sessions_over INTEGER NOT NULL DEFAULT -1;
                    CREATE INDEX approvals_by_end ON approvals (expires_at) WHERE state != 'redeemed';
                    CREATE INDEX notices_by_time ON notices (at);
                    CREATE INDEX notices_to_nobody_by_time ON notices_to_nobody (at);
                    """
            )
        }
    }
}
#endif
