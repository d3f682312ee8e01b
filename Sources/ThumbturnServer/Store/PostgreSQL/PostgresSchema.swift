#if Server && PostgreSQL
import GRDB
import ThumbturnCore

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

    /// The steps since the first version with PostgreSQL, whose tables are made as they are. Each is taken once, in this order, and none
    /// back.
    static let steps = [
        Step(
            name: "36 versions of policies", isAdditive: true,
            script: """
                CREATE TABLE policy_versions (policy TEXT COLLATE "C" PRIMARY KEY, version BIGINT NOT NULL)
                """),
        Step(
            name: "37 freshness of visits", isAdditive: true,
            script: """
                ALTER TABLE visits ADD COLUMN freshness TEXT COLLATE "C" NOT NULL DEFAULT 'stale'
                """),
    ]

    /// Makes the tables in an empty database, or takes the steps that are missing. Nodes that start together do it one after the other.
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
            let applied = try connection.run("SELECT name, is_additive FROM migrations", []).rows
            let stepsByName = Dictionary(uniqueKeysWithValues: steps.map { ($0.name, $0) })
            let own = Schema.names
            let known = own + steps.map(\.name).filter { !own.contains($0) }
            // What a newer version has only added does not disturb this one: during a rollout both run.
            guard try applied.allSatisfy({ try $0["is_additive"] || known.contains($0["name"]) }) else {
                throw SetupError.newerDatabase("the database")
            }
            let names = Set(try applied.map { try $0["name"] as String })
            if applied.isEmpty {
                guard mayMake else { throw SetupError.noTables }
                try make(connection)
            }
            for name in known where !names.contains(name) {
                let step = stepsByName[name]
                if !applied.isEmpty {
                    guard let step else { throw SetupError.olderDatabase }
                    try connection.mayTakeLong()
                    try connection.execute(step.script)
                }
                _ = try connection.run(
                    "INSERT INTO migrations (name, is_additive) VALUES (?, ?::bigint = 1)",
                    [.text(name), .integer(step?.isAdditive == true ? 1 : 0)])
            }
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Refuses a database in which a newer version has added what this one does not know: a copy would lack it.
    static func refuseNewer(_ connection: PostgresConnection) throws {
        let known = Schema.names
        let applied = try connection.run("SELECT name FROM migrations", []).rows
        guard try applied.allSatisfy({ known.contains(try $0["name"]) }) else { throw SetupError.newerDatabase("the database") }
    }

    /// Makes all tables as SQLite's migrations leave them, with the rows that those insert.
    private static func make(_ connection: PostgresConnection) throws {
        for function in Dialect.functions { try connection.execute(function) }
        // Locked by the transaction that writes. It has no rows, so that nothing ever cleans it.
        try connection.execute("CREATE TABLE writers_turn ()")
        try connection.execute(continuity)
        let empty = try SQLitePool(inMemory: nil)
        for definition in try tables(of: empty).flatMap(\.definitions) { try connection.execute(Dialect.definition(definition)) }
        try TableCopy.copy(from: empty, to: connection)
    }

    struct Table {
        var name: String
        var columns: [String]
        /// The definitions of the table and of its indexes.
        var definitions: [String]
    }

    /// The tables of a database of SQLite, each after those that it refers to.
    static func tables(of pool: SQLitePool) throws -> [Table] {
        let all = try pool.base.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'"
            ).map { name in
                Table(
                    name: name, columns: try db.columns(in: name).map(\.name),
                    definitions: try String.fetchAll(
                        db, sql: "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC",
                        arguments: [name]))
            }
        }
        var (left, sorted): ([Table], [Table]) = (all, [])
        while !left.isEmpty {
            let missing = Set(left.map(\.name))
            let next = left.filter { table in
                table.definitions.allSatisfy { Dialect.references(in: $0).subtracting([table.name]).isDisjoint(with: missing) }
            }
            precondition(!next.isEmpty, "tables refer to each other in a circle")
            sorted += next
            left.removeAll { table in next.contains { $0.name == table.name } }
        }
        return sorted
    }
}
#endif
