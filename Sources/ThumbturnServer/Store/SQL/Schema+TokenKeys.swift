#if Server
import GRDB

extension Schema {
    static func registerTokenKeys(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("22 token keys of an epoch") { db in
            // The epoch in which a key of access tokens may sign; null for a secret of another use and for a key that
            // never signs again. A restored database has another epoch than its keys.
            //
            // secret_changes counts an operator's changes of the secrets, so that running servers read them again.
            try db.execute(
                sql: """
                    ALTER TABLE secrets ADD COLUMN signs_in INTEGER;
                    UPDATE secrets SET signs_in = (SELECT epoch FROM node) WHERE use = 'token';
                    ALTER TABLE node ADD COLUMN secret_changes INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
        migrator.registerMigration("23 revoked token keys") { db in
            try db.execute(sql: "ALTER TABLE retired_token_keys ADD COLUMN revoked_at INTEGER")
        }
    }
}
#endif
