#if Server && PostgreSQL

extension PostgresSchema {
    /// The tables of the first version, for PostgreSQL: those of `Schema.tables`, which explains them, with the same columns in
    /// the same order and the same indexes.
    ///
    /// Columns of text compare bytes, as SQLite does, whatever the locale of the database.
    static let tables = """
        -- ## Node and secrets

        CREATE TABLE node (
            one BIGINT PRIMARY KEY CHECK (one = 1),
            high_water BIGINT NOT NULL,
            purged_until BIGINT NOT NULL,
            epoch BIGINT NOT NULL DEFAULT 0,
            epoch_began BIGINT NOT NULL DEFAULT 0,
            commits BIGINT NOT NULL DEFAULT 0,
            place TEXT COLLATE "C" NOT NULL DEFAULT '',
            secret_changes BIGINT NOT NULL DEFAULT 0,
            audit_log BYTEA NOT NULL DEFAULT ''::bytea,
            audit_number BIGINT NOT NULL DEFAULT 0,
            audit_hash BYTEA NOT NULL DEFAULT ''::bytea
        );
        INSERT INTO node (one, high_water, purged_until, audit_log) VALUES (1, 0, 0, uuid_send(gen_random_uuid()));

        CREATE TABLE secrets (
            id TEXT COLLATE "C" PRIMARY KEY,
            use TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            sealed BYTEA NOT NULL,
            signs_in BIGINT
        );

        CREATE TABLE retired_token_keys (
            kid TEXT COLLATE "C" PRIMARY KEY,
            secret TEXT COLLATE "C" NOT NULL,
            x963 BYTEA NOT NULL,
            retired_at BIGINT NOT NULL,
            revoked_at BIGINT
        );

        -- ## Accounts

        CREATE TABLE accounts (
            id BYTEA PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL UNIQUE,
            password_hash TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            one_time_secret BYTEA,
            one_time_last BIGINT NOT NULL DEFAULT 0,
            disabled_at BIGINT,
            credential_generation BIGINT NOT NULL DEFAULT 0,
            signatures_over BIGINT NOT NULL DEFAULT 0,
            quotas_over BIGINT NOT NULL DEFAULT 0,
            group_name TEXT COLLATE "C" NOT NULL DEFAULT ''
        );

        CREATE TABLE account_groups (
            name TEXT COLLATE "C" PRIMARY KEY,
            protection TEXT COLLATE "C" NOT NULL,
            verification TEXT COLLATE "C" NOT NULL
        );
        INSERT INTO account_groups (name, protection, verification) VALUES ('', 'none', 'none');

        CREATE TABLE identities (
            issuer TEXT COLLATE "C" NOT NULL,
            subject TEXT COLLATE "C" NOT NULL,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            PRIMARY KEY (issuer, subject)
        );

        CREATE TABLE recovery_codes (
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            hash BYTEA NOT NULL,
            used_at BIGINT,
            PRIMARY KEY (account_id, hash)
        );

        -- ## Devices and keys

        CREATE TABLE devices (
            id BYTEA PRIMARY KEY,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            name TEXT COLLATE "C" NOT NULL,
            session_jkt TEXT COLLATE "C" NOT NULL,
            enrolled_at BIGINT NOT NULL,
            cools_off_until BIGINT NOT NULL,
            revoked_at BIGINT,
            sessions_over BIGINT NOT NULL DEFAULT -1,
            vouched BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX devices_of_account ON devices (account_id, enrolled_at, vouched);
        CREATE INDEX live_devices_of_account ON devices (account_id) WHERE revoked_at IS NULL;

        CREATE TABLE keys (
            kid TEXT COLLATE "C" PRIMARY KEY,
            device_id BYTEA NOT NULL REFERENCES devices (id),
            kind TEXT COLLATE "C" NOT NULL,
            x963 BYTEA NOT NULL,
            active_since BIGINT,
            wrong_in_a_row BIGINT NOT NULL DEFAULT 0,
            enrolled_by TEXT COLLATE "C" NOT NULL DEFAULT 'credentials',
            retired_at BIGINT,
            paused_until BIGINT NOT NULL DEFAULT 0,
            sessions_over BIGINT NOT NULL DEFAULT -1,
            protection TEXT COLLATE "C" NOT NULL DEFAULT 'software',
            verification TEXT COLLATE "C" NOT NULL DEFAULT 'none',
            evidence_id BYTEA
        );
        CREATE UNIQUE INDEX live_keys_of_device ON keys (device_id, kind) WHERE retired_at IS NULL;
        CREATE INDEX retired_keys_of_device ON keys (device_id, retired_at) WHERE retired_at IS NOT NULL;
        CREATE INDEX keys_of_evidence ON keys (evidence_id) WHERE evidence_id IS NOT NULL;

        CREATE TABLE plain_keys (
            kid TEXT COLLATE "C" PRIMARY KEY,
            device_id BYTEA NOT NULL UNIQUE REFERENCES devices (id),
            spki BYTEA NOT NULL,
            account_id BYTEA REFERENCES accounts (id),
            format TEXT COLLATE "C" NOT NULL DEFAULT 'plain-v1'
        );
        CREATE INDEX plain_keys_by_account ON plain_keys (length(spki), account_id);

        -- ## Sessions and visits

        CREATE TABLE sessions (
            id BYTEA PRIMARY KEY,
            device_id BYTEA NOT NULL REFERENCES devices (id),
            kid TEXT COLLATE "C" NOT NULL REFERENCES keys (kid),
            generation BIGINT NOT NULL,
            token_hash BYTEA NOT NULL,
            auth_time BIGINT NOT NULL,
            rotated_at BIGINT NOT NULL,
            ended_at BIGINT,
            granted TEXT COLLATE "C",
            opened BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX step_ups_of_device ON sessions (device_id) WHERE granted IS NOT NULL;

        CREATE TABLE visits (
            id BYTEA PRIMARY KEY,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            jkt TEXT COLLATE "C" NOT NULL,
            amr TEXT COLLATE "C" NOT NULL,
            credential_generation BIGINT NOT NULL,
            generation BIGINT NOT NULL,
            token_hash BYTEA NOT NULL,
            auth_time BIGINT NOT NULL,
            rotated_at BIGINT NOT NULL,
            opened BIGINT NOT NULL,
            freshness TEXT COLLATE "C" NOT NULL DEFAULT 'stale'
        );
        CREATE INDEX visits_of_account ON visits (account_id, opened);

        -- ## Consumed ids

        CREATE TABLE spent (
            expires_at BIGINT NOT NULL,
            use BIGINT NOT NULL,
            id BYTEA NOT NULL,
            PRIMARY KEY (expires_at, use, id)
        );

        -- ## Approvals

        CREATE TABLE approvals (
            id BYTEA PRIMARY KEY,
            creator TEXT COLLATE "C" NOT NULL,
            transaction_id TEXT COLLATE "C" NOT NULL,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            second_id BYTEA REFERENCES accounts (id),
            txn TEXT COLLATE "C" NOT NULL,
            demand TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            redeem_key TEXT COLLATE "C",
            receipt TEXT COLLATE "C"
        );
        CREATE UNIQUE INDEX live_approvals ON approvals (creator, transaction_id)
            WHERE state IN ('open', 'approved', 'redeemed');
        CREATE INDEX approvals_of_account ON approvals (account_id) WHERE state = 'open';
        CREATE INDEX approvals_of_second ON approvals (second_id) WHERE state = 'open';
        CREATE INDEX approvals_by_end ON approvals (expires_at) WHERE state != 'redeemed';
        CREATE INDEX approvals_of_creator ON approvals (creator, account_id, created_at) WHERE state != 'redeemed';
        CREATE INDEX approvals_of_creator_and_second ON approvals (creator, second_id, created_at)
            WHERE second_id IS NOT NULL AND state != 'redeemed';

        CREATE TABLE approval_proofs (
            approval_id BYTEA NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            kind TEXT COLLATE "C" NOT NULL,
            kid TEXT COLLATE "C" NOT NULL REFERENCES keys (kid),
            device_id BYTEA NOT NULL REFERENCES devices (id),
            proof TEXT COLLATE "C",
            liveness TEXT COLLATE "C",
            at BIGINT NOT NULL,
            PRIMARY KEY (approval_id, account_id, kind)
        );

        CREATE TABLE approval_rates (
            creator TEXT COLLATE "C" NOT NULL,
            account_id BYTEA NOT NULL,
            full_at BIGINT NOT NULL,
            PRIMARY KEY (creator, account_id)
        );
        CREATE INDEX approval_rates_by_time ON approval_rates (full_at);

        -- ## Notices

        CREATE TABLE notices (
            id BYTEA PRIMARY KEY,
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            device_id BYTEA,
            kind TEXT COLLATE "C" NOT NULL,
            at BIGINT NOT NULL,
            tries BIGINT NOT NULL DEFAULT 0,
            due_at BIGINT
        );
        CREATE INDEX notices_of_account ON notices (account_id, at);
        CREATE INDEX notices_by_kind ON notices (account_id, kind, at);
        CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX notices_by_time ON notices (at);

        CREATE TABLE notices_to_nobody (
            id BYTEA PRIMARY KEY,
            place BYTEA NOT NULL,
            kind TEXT COLLATE "C" NOT NULL,
            at BIGINT NOT NULL
        );
        CREATE INDEX notices_to_nobody_by_kind ON notices_to_nobody (place, kind, at);
        CREATE INDEX notices_to_nobody_by_time ON notices_to_nobody (at);

        -- ## Throttling

        CREATE TABLE throttles (
            scope BIGINT NOT NULL,
            id BYTEA NOT NULL,
            wrong BIGINT NOT NULL,
            until BIGINT NOT NULL,
            turn BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (scope, id)
        );
        CREATE INDEX throttles_by_end ON throttles (scope, until);

        -- ## Evidence

        CREATE TABLE evidence (
            id BYTEA PRIMARY KEY,
            device_id BYTEA NOT NULL REFERENCES devices (id),
            record TEXT COLLATE "C" NOT NULL,
            received_at BIGINT NOT NULL,
            judged_at BIGINT NOT NULL,
            policy TEXT COLLATE "C" NOT NULL,
            refusal TEXT COLLATE "C"
        );
        CREATE INDEX evidence_of_device ON evidence (device_id, received_at);

        CREATE TABLE evidence_lists (
            kind TEXT COLLATE "C" PRIMARY KEY,
            body BYTEA NOT NULL,
            fetched_at BIGINT NOT NULL
        );

        CREATE TABLE app_attest_keys (
            id BYTEA PRIMARY KEY,
            x963 BYTEA NOT NULL,
            app_id TEXT COLLATE "C" NOT NULL,
            production BIGINT NOT NULL,
            counter BIGINT NOT NULL,
            attested_at BIGINT NOT NULL,
            receipt BYTEA NOT NULL,
            account_id BYTEA
        );

        -- ## Audit log

        CREATE TABLE audit (
            number BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            event TEXT COLLATE "C" NOT NULL,
            hash BYTEA
        );

        CREATE TABLE audit_checkpoints (
            number BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            signed TEXT COLLATE "C" NOT NULL
        );
        CREATE INDEX audit_checkpoints_by_time ON audit_checkpoints (at, number);

        -- ## Telemetry

        CREATE TABLE telemetry_cells (
            day BIGINT NOT NULL,
            context TEXT COLLATE "C" NOT NULL,
            by_key BIGINT NOT NULL,
            tally BYTEA NOT NULL,
            devices BYTEA NOT NULL,
            PRIMARY KEY (day, context)
        );
        CREATE INDEX telemetry_cells_of_day ON telemetry_cells (day, by_key);

        CREATE TABLE telemetry_batches (
            id BYTEA PRIMARY KEY,
            seen_at BIGINT NOT NULL
        );
        CREATE INDEX telemetry_batches_by_time ON telemetry_batches (seen_at);

        CREATE TABLE telemetry_keys (
            name TEXT COLLATE "C" PRIMARY KEY,
            hash BYTEA NOT NULL UNIQUE,
            created_at BIGINT NOT NULL
        );

        CREATE TABLE telemetry_salts (
            day BIGINT PRIMARY KEY,
            salt BYTEA NOT NULL
        );

        -- ## Policies

        CREATE TABLE policy_versions (
            policy TEXT COLLATE "C" PRIMARY KEY,
            version BIGINT NOT NULL
        );

        -- ## Clients

        CREATE TABLE clients (
            id TEXT COLLATE "C" PRIMARY KEY,
            scope TEXT COLLATE "C" NOT NULL,
            jwks TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            limits TEXT COLLATE "C" NOT NULL DEFAULT '{}',
            allows_bearer BIGINT NOT NULL DEFAULT 0
        );
        """
}
#endif
