#if Server

extension Schema {
    /// The tables of the first version, for SQLite. Each stands after those that it refers to.
    ///
    /// `PostgresSchema.tables` are the same for PostgreSQL. Neither changes once it is published: a later version adds a
    /// migration to `Schema.migrator` and a step of the same name to `PostgresSchema.steps`.
    static let tables = """
        -- ## Node and secrets

        -- One row, which every transaction writes.
        CREATE TABLE node (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            -- The latest time that any node has seen, and the expiry up to which consumed ids were purged.
            high_water INTEGER NOT NULL,
            purged_until INTEGER NOT NULL,
            -- The present epoch, and when it began.
            epoch INTEGER NOT NULL DEFAULT 0,
            epoch_began INTEGER NOT NULL DEFAULT 0,
            -- The number of the last commit, and the identity of the file beside the database; see CommitMark. PostgreSQL has its
            -- own identity there; see PostgresSchema.place.
            commits INTEGER NOT NULL DEFAULT 0,
            place TEXT NOT NULL DEFAULT '',
            -- Counts an operator's changes of the secrets, so that running servers read them again.
            secret_changes INTEGER NOT NULL DEFAULT 0,
            -- The id of the audit log, and its last row.
            audit_log BLOB NOT NULL DEFAULT x'',
            audit_number INTEGER NOT NULL DEFAULT 0,
            audit_hash BLOB NOT NULL DEFAULT x''
        ) STRICT;
        INSERT INTO node (one, high_water, purged_until, audit_log) VALUES (1, 0, 0, randomblob(16));

        CREATE TABLE secrets (
            id TEXT PRIMARY KEY,
            use TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            -- The epoch in which a key of access tokens may sign; null for a secret of another use and for a key that never signs
            -- again. A restored database has another epoch than its keys.
            signs_in INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE retired_token_keys (
            kid TEXT PRIMARY KEY,
            secret TEXT NOT NULL,
            x963 BLOB NOT NULL,
            retired_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT, WITHOUT ROWID;

        -- ## Accounts

        CREATE TABLE accounts (
            id BLOB PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            password_hash TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            -- Sealed like the server's own secrets; each step of the clock is accepted once.
            one_time_secret BLOB,
            one_time_last INTEGER NOT NULL DEFAULT 0,
            -- When the account was switched off; null while it is on.
            disabled_at INTEGER,
            -- Grows whenever what was judged before becomes void. Tickets carry it.
            credential_generation INTEGER NOT NULL DEFAULT 0,
            -- The account's signatures of approvals up to this time do not count.
            signatures_over INTEGER NOT NULL DEFAULT 0,
            -- Enrolments and changes of keys up to this time do not count: an operator gave them back.
            quotas_over INTEGER NOT NULL DEFAULT 0,
            -- The group of an account, of which a policy may demand more.
            group_name TEXT NOT NULL DEFAULT ''
        ) STRICT, WITHOUT ROWID;

        -- The least assurance that a policy demands of the keys of a group's accounts. Accounts without a group have the group
        -- ''.
        CREATE TABLE account_groups (
            name TEXT PRIMARY KEY,
            protection TEXT NOT NULL,
            verification TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO account_groups (name, protection, verification) VALUES ('', 'none', 'none');

        -- The people of a provider: their subject there, and their account here.
        CREATE TABLE identities (
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            account_id BLOB NOT NULL REFERENCES accounts (id),
            PRIMARY KEY (issuer, subject)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE recovery_codes (
            account_id BLOB NOT NULL REFERENCES accounts (id),
            hash BLOB NOT NULL,
            used_at INTEGER,
            PRIMARY KEY (account_id, hash)
        ) STRICT, WITHOUT ROWID;

        -- ## Devices and keys

        CREATE TABLE devices (
            id BLOB PRIMARY KEY,
            account_id BLOB NOT NULL REFERENCES accounts (id),
            name TEXT NOT NULL,
            session_jkt TEXT NOT NULL,
            enrolled_at INTEGER NOT NULL,
            cools_off_until INTEGER NOT NULL,
            revoked_at INTEGER,
            -- The sessions of the device that a commit up to this number opened are over.
            sessions_over INTEGER NOT NULL DEFAULT -1,
            -- Whether another device vouched for this one.
            vouched INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        -- An account's devices are counted: those of the last day, and those that live. Of two indexes that serve a statement
        -- equally well SQLite takes the later one, so the one without revoked devices comes last.
        CREATE INDEX devices_of_account ON devices (account_id, enrolled_at, vouched);
        CREATE INDEX live_devices_of_account ON devices (account_id) WHERE revoked_at IS NULL;

        -- A key belongs to one device forever: revoking and retiring keep the row, so that the key cannot be enrolled again.
        CREATE TABLE keys (
            kid TEXT PRIMARY KEY,
            device_id BLOB NOT NULL REFERENCES devices (id),
            kind TEXT NOT NULL,
            x963 BLOB NOT NULL,
            active_since INTEGER,
            -- The count is for PIN keys only. A right signature resets it to 0.
            wrong_in_a_row INTEGER NOT NULL DEFAULT 0,
            enrolled_by TEXT NOT NULL DEFAULT 'credentials',
            retired_at INTEGER,
            paused_until INTEGER NOT NULL DEFAULT 0,
            -- The sessions of the key end as those of a device do.
            sessions_over INTEGER NOT NULL DEFAULT -1,
            -- How far the key's evidence carries now, and that evidence.
            protection TEXT NOT NULL DEFAULT 'software',
            verification TEXT NOT NULL DEFAULT 'none',
            evidence_id BLOB
        ) STRICT, WITHOUT ROWID;
        -- A device has one live key of each kind. Its retired keys are counted.
        CREATE UNIQUE INDEX live_keys_of_device ON keys (device_id, kind) WHERE retired_at IS NULL;
        CREATE INDEX retired_keys_of_device ON keys (device_id, retired_at) WHERE retired_at IS NOT NULL;
        CREATE INDEX keys_of_evidence ON keys (evidence_id) WHERE evidence_id IS NOT NULL;

        -- The keys of plain clients: each of their devices has one here, and none in keys.
        CREATE TABLE plain_keys (
            kid TEXT PRIMARY KEY,
            device_id BLOB NOT NULL UNIQUE REFERENCES devices (id),
            spki BLOB NOT NULL,
            -- Null once the device is revoked.
            account_id BLOB REFERENCES accounts (id),
            format TEXT NOT NULL DEFAULT 'plain-v1'
        ) STRICT, WITHOUT ROWID;
        -- The length of a key tells its kind.
        CREATE INDEX plain_keys_by_account ON plain_keys (length(spki), account_id);

        -- ## Sessions and visits

        CREATE TABLE sessions (
            id BLOB PRIMARY KEY,
            device_id BLOB NOT NULL REFERENCES devices (id),
            kid TEXT NOT NULL REFERENCES keys (kid),
            generation INTEGER NOT NULL,
            token_hash BLOB NOT NULL,
            auth_time INTEGER NOT NULL,
            rotated_at INTEGER NOT NULL,
            ended_at INTEGER,
            -- The action that a step-up's session was granted, in JSON; null after a sign-in.
            granted TEXT,
            -- The number of the commit that opened the session, so that one number ends all sessions of a device. With an index
            -- instead, every sign-in would have to write one more page.
            opened INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX step_ups_of_device ON sessions (device_id) WHERE granted IS NOT NULL;

        -- Sessions of full credentials without an enrolled device. A visit that ends is deleted, and visits are void once the
        -- account's credentials have changed.
        CREATE TABLE visits (
            id BLOB PRIMARY KEY,
            account_id BLOB NOT NULL REFERENCES accounts (id),
            jkt TEXT NOT NULL,
            -- How the person was verified: a list with spaces between.
            amr TEXT NOT NULL,
            credential_generation INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            token_hash BLOB NOT NULL,
            auth_time INTEGER NOT NULL,
            rotated_at INTEGER NOT NULL,
            opened INTEGER NOT NULL,
            freshness TEXT NOT NULL DEFAULT 'stale'
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX visits_of_account ON visits (account_id, opened);

        -- ## Consumed ids

        -- Ids that are consumed at the same time expire at the same time and lie next to each other, so that a batch touches few
        -- pages and a purge deletes a range. The expiry is part of the key, because the issuer of an id signs both together.
        CREATE TABLE spent (
            expires_at INTEGER NOT NULL,
            use INTEGER NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (expires_at, use, id)
        ) STRICT, WITHOUT ROWID;

        -- ## Approvals

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
        CREATE INDEX approvals_by_end ON approvals (expires_at) WHERE state != 'redeemed';
        -- Ended approvals are counted for both accounts that they ask.
        CREATE INDEX approvals_of_creator ON approvals (creator, account_id, created_at) WHERE state != 'redeemed';
        CREATE INDEX approvals_of_creator_and_second ON approvals (creator, second_id, created_at)
            WHERE second_id IS NOT NULL AND state != 'redeemed';

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

        -- The time in milliseconds at which a creator may make all its approvals at once again: for one account or, with an empty
        -- id, for all together.
        CREATE TABLE approval_rates (
            creator TEXT NOT NULL,
            account_id BLOB NOT NULL,
            full_at INTEGER NOT NULL,
            PRIMARY KEY (creator, account_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX approval_rates_by_time ON approval_rates (full_at);

        -- ## Notices

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
        CREATE INDEX notices_by_kind ON notices (account_id, kind, at);
        CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX notices_by_time ON notices (at);

        -- The notices that names without an account would get, so that such a name does not cost less work.
        CREATE TABLE notices_to_nobody (
            id BLOB PRIMARY KEY,
            place BLOB NOT NULL,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notices_to_nobody_by_kind ON notices_to_nobody (place, kind, at);
        CREATE INDEX notices_to_nobody_by_time ON notices_to_nobody (at);

        -- ## Throttling

        -- For accounts and devices: the wrong attempts in a row, and the end of the pause. For addresses and for all of them
        -- together: the time at which all attempts will be available again.
        CREATE TABLE throttles (
            scope INTEGER NOT NULL,
            id BLOB NOT NULL,
            wrong INTEGER NOT NULL,
            until INTEGER NOT NULL,
            -- SQLite does not write a page that has not changed. A counter that always grows makes every attempt write the same
            -- pages.
            turn INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (scope, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX throttles_by_end ON throttles (scope, until);

        -- ## Evidence

        -- Evidence as it was received, with what it was bound to, so that it can be judged again: by another policy, or after a
        -- certificate was revoked. It is deleted with its device, and when no key has it any more.
        CREATE TABLE evidence (
            id BLOB PRIMARY KEY,
            device_id BLOB NOT NULL REFERENCES devices (id),
            record TEXT NOT NULL,
            received_at INTEGER NOT NULL,
            judged_at INTEGER NOT NULL,
            policy TEXT NOT NULL,
            refusal TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX evidence_of_device ON evidence (device_id, received_at);

        -- Lists from outside that evidence is judged by, each as it was fetched.
        CREATE TABLE evidence_lists (
            kind TEXT PRIMARY KEY,
            body BLOB NOT NULL,
            fetched_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Keys of App Attest. They outlive their device's enrolment, because their counters must.
        CREATE TABLE app_attest_keys (
            id BLOB PRIMARY KEY,
            x963 BLOB NOT NULL,
            app_id TEXT NOT NULL,
            production INTEGER NOT NULL,
            counter INTEGER NOT NULL,
            attested_at INTEGER NOT NULL,
            receipt BLOB NOT NULL,
            -- A key of App Attest belongs to one account; null while that is unknown.
            account_id BLOB
        ) STRICT, WITHOUT ROWID;

        -- ## Audit log

        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            hash BLOB
        ) STRICT;

        CREATE TABLE audit_checkpoints (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            signed TEXT NOT NULL
        ) STRICT;
        CREATE INDEX audit_checkpoints_by_time ON audit_checkpoints (at, number);

        -- ## Telemetry

        -- Counts of unlocks by the day in days since 1970 and by what they are counted, in JSON. `devices` is a sketch of hashes.
        -- Rows have some thousand bytes, which a table without rowids would not keep well.
        CREATE TABLE telemetry_cells (
            day INTEGER NOT NULL,
            context TEXT NOT NULL,
            -- Whether a batch with a write key brought the cell.
            by_key INTEGER NOT NULL,
            tally BLOB NOT NULL,
            devices BLOB NOT NULL,
            PRIMARY KEY (day, context)
        ) STRICT;
        -- For the number of cells of a day.
        CREATE INDEX telemetry_cells_of_day ON telemetry_cells (day, by_key);

        -- The hashes of the names of batches that were counted.
        CREATE TABLE telemetry_batches (
            id BLOB PRIMARY KEY,
            seen_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX telemetry_batches_by_time ON telemetry_batches (seen_at);

        -- Write keys: the SHA-256 of each.
        CREATE TABLE telemetry_keys (
            name TEXT PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE telemetry_salts (
            day INTEGER PRIMARY KEY,
            salt BLOB NOT NULL
        ) STRICT;

        -- ## Policies

        -- The latest version of each policy that a node has used.
        CREATE TABLE policy_versions (
            policy TEXT PRIMARY KEY,
            version INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- ## Clients

        -- Back ends: their scopes, with spaces between, and their public keys as a JWK set.
        CREATE TABLE clients (
            id TEXT PRIMARY KEY,
            scope TEXT NOT NULL,
            jwks TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            -- What it may ask for, in JSON; and whether its tokens may be bearer tokens, which are bound to no key.
            limits TEXT NOT NULL DEFAULT '{}',
            allows_bearer INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        """
}
#endif
