#if Server
import GRDB

extension Schema {
    static func registerBounds(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("24 quotas of accounts") { db in
            // An account's devices are counted: those that live, and those of the last day. So are its retired keys.
            try db.execute(
                sql: """
                    DROP INDEX devices_of_account;
                    CREATE INDEX devices_of_account ON devices (account_id, enrolled_at);
                    CREATE INDEX live_devices_of_account ON devices (account_id) WHERE revoked_at IS NULL;
                    CREATE INDEX retired_keys_of_device ON keys (device_id, retired_at) WHERE retired_at IS NOT NULL;
                    """
            )
        }
        migrator.registerMigration("25 rates of approvals") { db in
            try db.execute(
                sql: """
                    -- The time in milliseconds at which a creator may make all its approvals at once again: for one account
                    -- or, with an empty id, for all together.
                    CREATE TABLE approval_rates (
                        creator TEXT NOT NULL,
                        account_id BLOB NOT NULL,
                        full_at INTEGER NOT NULL,
                        PRIMARY KEY (creator, account_id)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX approval_rates_by_time ON approval_rates (full_at);
                    CREATE INDEX approvals_of_creator ON approvals (creator, account_id, created_at) WHERE state != 'redeemed';
                    """
            )
        }
    }

    static func registerSecondAccounts(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("30 approvals by their second account") { db in
            // Ended approvals are counted for the account that is asked as the second one, too.
            try db.execute(
                sql: """
                    CREATE INDEX approvals_of_creator_and_second ON approvals (creator, second_id, created_at)
                        WHERE second_id IS NOT NULL AND state != 'redeemed';
                    """
            )
        }
    }

    static func registerShares(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("29 shares of the quotas") { db in
            try db.execute(
                sql: """
                    -- Whether another device vouched for this one.
                    ALTER TABLE devices ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX devices_of_account;
                    CREATE INDEX devices_of_account ON devices (account_id, enrolled_at, vouched);
                    -- Enrolments and changes of keys up to this time do not count: an operator gave them back.
                    ALTER TABLE accounts ADD COLUMN quotas_over INTEGER NOT NULL DEFAULT 0;
                    """
            )
        }
    }
}
#endif
