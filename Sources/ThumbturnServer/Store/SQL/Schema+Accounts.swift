#if Server
import GRDB

extension Schema {
    static func registerAccountChanges(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("20 accounts that are switched off") { db in
            try db.execute(
                sql: """
                    -- When the account was switched off; null while it is on.
                    ALTER TABLE accounts ADD COLUMN disabled_at INTEGER;
                    -- Grows whenever what was judged before becomes void. Tickets carry it.
                    ALTER TABLE accounts ADD COLUMN credential_generation INTEGER NOT NULL DEFAULT 0;
                    -- The account's signatures of approvals up to this time do not count.
                    ALTER TABLE accounts ADD COLUMN signatures_over INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
        migrator.registerMigration("21 names are counted alike") { db in
            // Names without an account shared slots of a scope of their own. They are counted as accounts are now.
            try db.execute(
                sql: """
                    DELETE FROM throttles WHERE scope = 2;
                    CREATE INDEX throttles_by_end ON throttles (scope, until);
                    """
            )
        }
    }
}
#endif
