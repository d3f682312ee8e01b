#if Server
import GRDB
import ThumbturnCore
import ThumbturnMessages

/// The tables and their migrations. A published migration is never changed.
enum Schema {
    /// The names of the migrations, in their order.
    static var names: [String] { migrator.migrations }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 spine") { db in
            try db.execute(
                sql: """
                    CREATE TABLE node (
                        one INTEGER PRIMARY KEY CHECK (one = 1),
                        -- The latest time that any node has seen, and the expiry up to which consumed ids were purged.
                        high_water INTEGER NOT NULL,
                        purged_until INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO node VALUES (1, 0, 0);

                    CREATE TABLE secrets (
                        id TEXT PRIMARY KEY,
                        use TEXT NOT NULL,
                        created_at INTEGER NOT NULL,
                        sealed BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE accounts (
                        id BLOB PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        password_hash TEXT NOT NULL,
                        created_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE devices (
                        id BLOB PRIMARY KEY,
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        name TEXT NOT NULL,
                        session_jkt TEXT NOT NULL,
                        enrolled_at INTEGER NOT NULL,
                        cools_off_until INTEGER NOT NULL,
                        revoked_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX devices_of_account ON devices (account_id);

                    -- A key belongs to one device for ever: revoking keeps the row, so that the key cannot be enrolled again.
                    CREATE TABLE keys (
                        kid TEXT PRIMARY KEY,
                        device_id BLOB NOT NULL REFERENCES devices (id),
                        kind TEXT NOT NULL,
                        x963 BLOB NOT NULL,
                        active_since INTEGER,
                        UNIQUE (device_id, kind)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE sessions (
                        id BLOB PRIMARY KEY,
                        device_id BLOB NOT NULL REFERENCES devices (id),
                        kid TEXT NOT NULL REFERENCES keys (kid),
                        generation INTEGER NOT NULL,
                        token_hash BLOB NOT NULL,
                        auth_time INTEGER NOT NULL,
                        rotated_at INTEGER NOT NULL,
                        ended_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX sessions_of_device ON sessions (device_id);

                    CREATE TABLE spent (
                        use INTEGER NOT NULL,
                        id BLOB NOT NULL,
                        expires_at INTEGER NOT NULL,
                        PRIMARY KEY (use, id)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX spent_by_expiry ON spent (expires_at);
                    """
            )
        }
        migrator.registerMigration("2 wrong PINs") { db in
            // The count is for PIN keys only. A right signature resets it to 0.
            try db.execute(sql: "ALTER TABLE keys ADD COLUMN wrong_in_a_row INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("3 changes of keys") { db in
            // Retired keys stay, so that none is enrolled again; a device has one live key of each kind. SQLite cannot
            // drop a constraint, so the table is replaced.
            try db.execute(
                sql: """
                    CREATE TABLE new_keys (
                        kid TEXT PRIMARY KEY,
                        device_id BLOB NOT NULL REFERENCES devices (id),
                        kind TEXT NOT NULL,
                        x963 BLOB NOT NULL,
                        active_since INTEGER,
                        wrong_in_a_row INTEGER NOT NULL DEFAULT 0,
                        enrolled_by TEXT NOT NULL DEFAULT 'credentials',
                        retired_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO new_keys (kid, device_id, kind, x963, active_since, wrong_in_a_row)
                        SELECT kid, device_id, kind, x963, active_since, wrong_in_a_row FROM keys;
                    DROP TABLE keys;
                    ALTER TABLE new_keys RENAME TO keys;
                    CREATE UNIQUE INDEX live_keys_of_device ON keys (device_id, kind) WHERE retired_at IS NULL;
                    """
            )
        }
        migrator.registerMigration("4 clients") { db in
            try db.execute(
                sql: """
                    -- Back ends: their scopes, with spaces between, and their public keys as a JWK set.
                    CREATE TABLE clients (
                        id TEXT PRIMARY KEY,
                        scope TEXT NOT NULL,
                        jwks TEXT NOT NULL,
                        created_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("5 approvals") { db in
            try db.execute(
                sql: """
                    CREATE TABLE approvals (
                        id BLOB PRIMARY KEY,
                        creator TEXT NOT NULL,
                        transaction_id TEXT NOT NULL,
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        second_id BLOB REFERENCES accounts (id),
                        -- Exactly the bytes that are signed, in base64url, and the demand, in JSON.
                        txn TEXT NOT NULL,
                        demand TEXT NOT NULL,
                        created_at INTEGER NOT NULL,
                        expires_at INTEGER NOT NULL,
                        state TEXT NOT NULL,
                        redeem_key TEXT,
                        receipt TEXT
                    ) STRICT, WITHOUT ROWID;
                    -- One live approval for each transaction: a new one with other contents replaces it.
                    CREATE UNIQUE INDEX live_approvals ON approvals (creator, transaction_id)
                        WHERE state IN ('open', 'approved', 'redeemed');
                    CREATE INDEX approvals_of_account ON approvals (account_id) WHERE state = 'open';
                    CREATE INDEX approvals_of_second ON approvals (second_id) WHERE state = 'open';

                    CREATE TABLE approval_proofs (
                        approval_id BLOB NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        kind TEXT NOT NULL,
                        kid TEXT NOT NULL REFERENCES keys (kid),
                        device_id BLOB NOT NULL REFERENCES devices (id),
                        -- Null for a PIN key: the holder of such a proof could try all PINs.
                        proof TEXT,
                        liveness TEXT,
                        at INTEGER NOT NULL,
                        PRIMARY KEY (approval_id, account_id, kind)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("6 actions") { db in
            // The action that a step-up's session was granted, in JSON; null after a sign-in.
            try db.execute(sql: "ALTER TABLE sessions ADD COLUMN granted TEXT")
        }
        migrator.registerMigration("7 notices and lost factors") { db in
            try db.execute(
                sql: """
                    -- Sealed like the server's own secrets; each step of the clock is accepted once.
                    ALTER TABLE accounts ADD COLUMN one_time_secret BLOB;
                    ALTER TABLE accounts ADD COLUMN one_time_last INTEGER NOT NULL DEFAULT 0;

                    CREATE TABLE recovery_codes (
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        hash BLOB NOT NULL,
                        used_at INTEGER,
                        PRIMARY KEY (account_id, hash)
                    ) STRICT, WITHOUT ROWID;

                    -- Written by the transaction of the event; delivered afterwards, while due_at is set.
                    CREATE TABLE notices (
                        id BLOB PRIMARY KEY,
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        device_id BLOB,
                        kind TEXT NOT NULL,
                        at INTEGER NOT NULL,
                        tries INTEGER NOT NULL DEFAULT 0,
                        due_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX notices_of_account ON notices (account_id, at);
                    CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
                    """
            )
        }
        migrator.registerMigration("8 throttling") { db in
            try db.execute(
                sql: """
                    -- For accounts and devices: the wrong attempts in a row, and the end of the pause. For addresses and for all
                    -- of them together: the time at which all attempts will be available again.
                    CREATE TABLE throttles (
                        scope INTEGER NOT NULL,
                        id BLOB NOT NULL,
                        wrong INTEGER NOT NULL,
                        until INTEGER NOT NULL,
                        PRIMARY KEY (scope, id)
                    ) STRICT, WITHOUT ROWID;
                    ALTER TABLE keys ADD COLUMN paused_until INTEGER NOT NULL DEFAULT 0;

                    -- The notices that names without an account would get, so that such a name does not cost less work.
                    CREATE TABLE notices_to_nobody (
                        id BLOB PRIMARY KEY,
                        place BLOB NOT NULL,
                        kind TEXT NOT NULL,
                        at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX notices_to_nobody_by_place ON notices_to_nobody (place, at);
                    """
            )
        }
        migrator.registerMigration("9 spent by time") { db in
            // Ids that are consumed at the same time expire at the same time and lie next to each other, so that a
            // batch touches few pages and a purge deletes a range. The expiry is part of the key, because the issuer of
            // an id signs both together.
            try db.execute(
                sql: """
                    CREATE TABLE new_spent (
                        expires_at INTEGER NOT NULL,
                        use INTEGER NOT NULL,
                        id BLOB NOT NULL,
                        PRIMARY KEY (expires_at, use, id)
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO new_spent (expires_at, use, id) SELECT expires_at, use, id FROM spent;
                    DROP TABLE spent;
                    ALTER TABLE new_spent RENAME TO spent;
                    """
            )
        }
        migrator.registerMigration("12 equal work") { db in
            // SQLite does not write a page that has not changed. A counter that always grows makes every attempt write
            // the same pages.
            try db.execute(
                sql: """
                    ALTER TABLE throttles ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX notices_to_nobody_by_place;
                    CREATE INDEX notices_to_nobody_by_kind ON notices_to_nobody (place, kind, at);
                    CREATE INDEX notices_by_kind ON notices (account_id, kind, at);
                    """
            )
        }
        registerPlainKeys(&migrator)
        registerOAuth(&migrator)
        registerPlainKeysByAccount(&migrator)
        registerSessionsInOrder(&migrator)
        registerAccountChanges(&migrator)
        registerTokenKeys(&migrator)
        registerBounds(&migrator)
        registerClientLimits(&migrator)
        registerAudit(&migrator)
        registerShares(&migrator)
        registerSecondAccounts(&migrator)
        registerVisits(&migrator)
        registerPlainFormats(&migrator)
        registerEvidence(&migrator)
        registerTelemetry(&migrator)
        registerPolicies(&migrator)
        registerFreshness(&migrator)
        return migrator
    }

    /// The state at the start of a transaction.
    struct Tick {
        var now: UnixTime
        /// The number of transactions so far, this one included.
        var commits: Int64
        var edition: SecretsEdition
        /// The end of the audit log.
        let audit = AuditEnd()
    }

    /// Counts this transaction, and moves the stored time forward, never back.
    ///
    /// - Parameter epoch: the epoch of the caller. In another epoch the stored time stays: it may be one that an operator
    ///   has set, and the caller's may be the wrong one.
    static func tick(_ db: Database, at now: UnixTime, in epoch: Int64) throws -> Tick {
        let statement = """
            UPDATE node SET high_water = CASE WHEN epoch = ?2 THEN max(high_water, ?1) ELSE high_water END,
                commits = commits + 1
            WHERE one = 1 RETURNING high_water, commits, epoch, secret_changes
            """
        let row = try db.value(Row.self, sql: statement, arguments: [now.seconds, epoch])
        return try Tick(
            now: UnixTime(seconds: row["high_water"]), commits: row["commits"],
            edition: SecretsEdition(epoch: row["epoch"], changes: row["secret_changes"]))
    }
}
#endif
