#if Server && PostgreSQL

/// The tables in PostgreSQL, and what a connection must be like.
enum PostgresSchema {
    /// Prepares a new connection, and refuses a database that does not keep what it commits. `synchronous_commit` is fixed for the
    /// session, so that a later change of the server's configuration does not weaken it.
    static func prepare(_ connection: PostgresConnection, for address: PostgresAddress) throws {
        try connection.execute(
            """
            SET statement_timeout = \(timeLimit); SET lock_timeout = \(timeLimit);
            SET idle_in_transaction_session_timeout = \(idleLimit);
            SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
            SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false);
            \(searchPath)
            """)
        let durability = try durability(connection)
        guard durability.isFull || address.acceptsWeakCommits else { throw SetupError.weakDatabase(durability.settings) }
        connection.commits = durability.settings["synchronous_commit"] ?? ""
    }

    /// Milliseconds that a statement may take, or wait for a lock.
    private static let timeLimit = 5000
    /// Milliseconds that a transaction may be idle between two statements: less than `lock_timeout`, so that the other nodes get the
    /// writers' lock before they are refused. That a machine is gone while a statement runs is noticed by TCP, in some 25 seconds.
    private static let idleLimit = 4000

    /// The schema of all tables and functions.
    static let schema = "thumbturn"
    /// The statement that makes `schema` the first place where names are looked up.
    static let searchPath = "SET search_path = \(schema), pg_catalog"

    static func durability(_ connection: PostgresConnection) throws -> Durability {
        let names = ["synchronous_commit", "fsync", "full_page_writes"]
        func setting(_ name: String) throws -> String? {
            try connection.run("SELECT current_setting(?) AS value", [.text(name)]).rows.first?["value"]
        }
        var settings: [String: String] = [:]
        for name in names { settings[name] = try setting(name) }
        return Durability(
            settings: settings, isFull: outlastsPowerFailure(settings), replicas: try setting("synchronous_standby_names"))
    }

    /// Whether a commit that has returned outlasts a failure of power, by these settings.
    static func outlastsPowerFailure(_ settings: [String: String]) -> Bool {
        ["on", "remote_apply"].contains(settings["synchronous_commit"]) && settings["fsync"] == "on"
            && settings["full_page_writes"] == "on"
    }

    /// The identity of the database and its history: a restored or copied database, and a promoted replica, have another one.
    static func place(_ connection: PostgresConnection) throws -> String {
        let row = try connection.run(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || oid::bigint::text || '/'
                || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS place
            FROM pg_database WHERE datname = current_database()
            """, []
        ).rows.first
        return try row?["place"] ?? ""
    }

    /// Begins each transaction that writes. It fails with `SQLError.restored` if the rows were put back by a copy, such as that of pg_dump.
    static let takeTurn = takeAnyTurn + ["CALL take_turn()"]
    /// The same for the transaction that decides whether an epoch begins.
    static let takeAnyTurn = ["LOCK TABLE writers_turn IN EXCLUSIVE MODE"]

    /// Whether the rows are those that the last transaction of the server has left. PostgreSQL notes in each row which transaction wrote
    /// it, and the row has that number as well; a copy of the row was written by another transaction.
    static func isWhole(_ connection: PostgresConnection) throws -> Bool {
        try connection.run("SELECT 1 FROM last_writer WHERE transaction = xmin::text::bigint", []).rows.count == 1
    }

    /// Makes the rows those of this transaction, whichever one wrote them.
    static func takeOver(_ connection: PostgresConnection) throws {
        _ = try connection.run("UPDATE last_writer SET transaction = \(thisTransaction)", [])
    }

    /// The part of a transaction's number that PostgreSQL keeps in rows.
    private static let thisTransaction = "pg_current_xact_id()::text::bigint % 4294967296"

    private static let continuity = """
        CREATE TABLE last_writer (one INTEGER PRIMARY KEY CHECK (one = 1), transaction BIGINT NOT NULL) WITH (fillfactor = 10);
        INSERT INTO last_writer SELECT 1, \(thisTransaction);
        CREATE PROCEDURE take_turn() LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE last_writer SET transaction = \(thisTransaction) WHERE transaction = xmin::text::bigint;
            IF NOT FOUND THEN RAISE EXCEPTION 'the rows were restored' USING ERRCODE = '\(SQLError.restored)'; END IF;
        END $$
        """

    /// What a version changes in the tables of the version before. SQLite has the same under the same name, in `Schema.migrator`.
    struct Step {
        var name: String
        /// Whether nodes of the version before can go on beside it: it only adds tables, and columns that are null or have a default.
        var isAdditive: Bool
        var script: String
    }

    /// The steps that lead from an empty database to the tables of this version. Each is taken once, in this order, and none back; a
    /// published one never changes.
    static let steps = [
        Step(
            name: "1 tables", isAdditive: false,
            // Transactions that write lock writers_turn. It has no rows, so that nothing ever cleans it.
            script: (Dialect.functions + ["CREATE TABLE writers_turn ()", continuity, tables]).joined(separator: ";\n"))
    ]

    /// Takes the steps that are missing: all of them in an empty database. Nodes that start together do it one after the other.
    ///
    /// - Parameter mayMake: whether there may be no tables yet.
    static func migrate(_ connection: PostgresConnection, mayMake: Bool, steps: [Step] = steps) throws {
        try connection.execute("BEGIN")
        do {
            // Before the schema is there, nothing else can be locked. The number is the project's own.
            try connection.execute("SELECT pg_advisory_xact_lock(7308604897068083557)")
            try connection.execute(
                """
                CREATE SCHEMA IF NOT EXISTS \(schema);
                CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, is_additive BOOLEAN NOT NULL DEFAULT false)
                """)
            // What a newer version has only added does not disturb this one: during a rollout both run.
            let binding = try names(connection, "SELECT name FROM migrations WHERE NOT is_additive")
            try Schema.refuse(binding, unless: steps.map(\.name), at: "the database")
            guard mayMake || !binding.isEmpty else { throw SetupError.noTables }
            let taken = try names(connection, "SELECT name FROM migrations")
            for step in steps where !taken.contains(step.name) {
                try connection.mayTakeLong()
                try connection.execute(step.script)
                _ = try connection.run(
                    "INSERT INTO migrations (name, is_additive) VALUES (?, ?::bigint = 1)",
                    [.text(step.name), .integer(step.isAdditive ? 1 : 0)])
            }
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Refuses a database in which a newer version has added what this one does not know: a copy would lack it.
    static func refuseNewer(_ connection: PostgresConnection) throws {
        let taken = try names(connection, "SELECT name FROM migrations")
        try Schema.refuse(taken, unless: steps.map(\.name), at: "the database")
    }

    private static func names(_ connection: PostgresConnection, _ sql: String) throws -> Set<String> {
        Set(try connection.run(sql, []).rows.map { try $0["name"] as String })
    }
}
#endif
