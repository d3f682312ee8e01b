#if Server
import GRDB
import ThumbturnCore

/// The tables, and how they came to be. Migrations are never edited once they are published.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 spine") { db in
            try db.execute(
                sql: """
                    CREATE TABLE node (
                        one INTEGER PRIMARY KEY CHECK (one = 1),
                        -- The latest time that any node has seen, and up to when spent things were forgotten.
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

                    -- A key belongs to one device, for ever: revoking keeps the row, so it cannot be enrolled again.
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
            // Of PIN keys alone; a right signature sets it back to 0.
            try db.execute(sql: "ALTER TABLE keys ADD COLUMN wrong_in_a_row INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("3 changes of keys") { db in
            // Retired keys stay, so that none comes back; a device has one live key of each kind. SQLite drops no constraint, so the
            // table is made anew.
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
                    -- Back ends: what they may do, with spaces between, and their public keys as a JWK set.
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
                        -- Exactly the bytes that are signed, in base64url, and what has to answer, in JSON.
                        txn TEXT NOT NULL,
                        demand TEXT NOT NULL,
                        created_at INTEGER NOT NULL,
                        expires_at INTEGER NOT NULL,
                        state TEXT NOT NULL,
                        redeem_key TEXT,
                        receipt TEXT
                    ) STRICT, WITHOUT ROWID;
                    -- One live approval for a transaction: what is created anew with other contents takes the old one's place.
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
                        -- Of a PIN key null: whoever has one could try all PINs.
                        proof TEXT,
                        liveness TEXT,
                        at INTEGER NOT NULL,
                        PRIMARY KEY (approval_id, account_id, kind)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("6 actions") { db in
            // What a step-up's session was granted, in JSON; null after a sign-in.
            try db.execute(sql: "ALTER TABLE sessions ADD COLUMN granted TEXT")
        }
        migrator.registerMigration("7 notices and lost factors") { db in
            try db.execute(
                sql: """
                    -- Sealed like the server's own secrets; each step of the clock is good for one sign-in.
                    ALTER TABLE accounts ADD COLUMN one_time_secret BLOB;
                    ALTER TABLE accounts ADD COLUMN one_time_last INTEGER NOT NULL DEFAULT 0;

                    CREATE TABLE recovery_codes (
                        account_id BLOB NOT NULL REFERENCES accounts (id),
                        hash BLOB NOT NULL,
                        used_at INTEGER,
                        PRIMARY KEY (account_id, hash)
                    ) STRICT, WITHOUT ROWID;

                    -- Written by the transaction of what happened; handed on afterwards, while due_at is set.
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
                    -- Of accounts and devices the wrong attempts in a row, and until when they pause; of addresses, and of all together,
                    -- when all tries will have come back.
                    CREATE TABLE throttles (
                        scope INTEGER NOT NULL,
                        id BLOB NOT NULL,
                        wrong INTEGER NOT NULL,
                        until INTEGER NOT NULL,
                        PRIMARY KEY (scope, id)
                    ) STRICT, WITHOUT ROWID;
                    ALTER TABLE keys ADD COLUMN paused_until INTEGER NOT NULL DEFAULT 0;

                    -- What would be a notice if the name had an account: so that it is not cheaper to have none.
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
            // What is spent together expires together and lies together: each batch touches a few pages, and forgetting is a range.
            // An expiry belongs to its id, since whoever made the one signed the other with it.
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
            // SQLite writes no page that would stay as it is. A count that always goes on makes every attempt write the same pages.
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
        return migrator
    }

    /// What a transaction begins with.
    struct Tick {
        var now: UnixTime
        /// How many transactions there were, with this one.
        var commits: Int64
        var epoch: Int64
    }

    /// Moves the stored time forward, never back, and counts this transaction.
    static func tick(_ db: Database, at now: UnixTime) throws -> Tick {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE node SET high_water = max(high_water, ?), commits = commits + 1 WHERE one = 1
                RETURNING high_water, commits, epoch
                """
        )
        guard let row = try Row.fetchOne(statement, arguments: [now.seconds]) else {
            preconditionFailure("the node's row is made with the tables")
        }
        return Tick(now: UnixTime(seconds: row["high_water"]), commits: row["commits"], epoch: row["epoch"])
    }
}
#endif
