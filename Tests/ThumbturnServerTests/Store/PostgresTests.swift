#if Tools && PostgreSQL
import Foundation
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnServer

/// What differs between the two engines, without a server of PostgreSQL.
@Suite struct DialectTests {
    @Test(
        "a statement is translated",
        arguments: [
            ("SELECT a FROM t WHERE b = ? AND c = ?", "SELECT a FROM t WHERE b = $1 AND c = $2"),
            ("SELECT ?2, ?1, ?", "SELECT $2, $1, $3"),
            ("SELECT '?' || ? || 'a ?1 b'", "SELECT '?' || $1 || 'a ?1 b'"),
            ("SELECT id FROM t INDEXED BY t_by_id LIMIT -1 OFFSET ?", "SELECT id FROM t LIMIT ALL OFFSET $1"),
        ])
    func statements(_ sqlite: String, _ postgres: String) {
        #expect(Dialect.statement(sqlite) == postgres)
    }

    @Test("the tables of both engines are the same, line for line")
    func tables() {
        let translated = Schema.tables
            .replacing(#/\) STRICT(, WITHOUT ROWID)?/#, with: ")")
            .replacing(#/\bINTEGER\b/#, with: "BIGINT")
            .replacing(#/\bTEXT\b/#, with: "TEXT COLLATE \"C\"")
            .replacing(#/\bBLOB\b/#, with: "BYTEA")
            .replacing("x''", with: "''::bytea")
            .replacing("randomblob(16)", with: "uuid_send(gen_random_uuid())")
        for (sqlite, postgres) in zip(Self.lines(translated), Self.lines(PostgresSchema.tables)) { #expect(sqlite == postgres) }
        #expect(Self.lines(translated).count == Self.lines(PostgresSchema.tables).count)
    }

    /// The lines of a script, without comments.
    private static func lines(_ script: String) -> [String] {
        let lines = script.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.filter { !$0.isEmpty && !$0.hasPrefix("--") }
    }

    @Test("each migration of SQLite is a step of PostgreSQL")
    func steps() {
        #expect(Schema.names == PostgresSchema.steps.map(\.name))
    }

    @Test(
        "another machine's certificate is verified, whatever the address says",
        arguments: [
            ("postgresql://u@db.example/t", "verify-full"), ("postgresql://u@127.0.0.1/t", "prefer"),
            ("host=/run/postgresql", "prefer"),
            ("postgresql://u@db.example/t?sslmode=verify-full", "verify-full"),
            ("postgresql://u@127.0.0.1,db.example/t", "verify-full"),
        ])
    func certificates(_ address: String, _ mode: String) throws {
        #expect(try PostgresAddress(address).parameters["sslmode"] == mode)
        #expect(try PostgresAddress(address).parameters["target_session_attrs"] == "read-write")
        // Kerberos' encryption would take the place of TLS.
        #expect(
            try PostgresAddress(address + (address.contains("://") ? "" : " gssencmode=prefer")).parameters["gssencmode"]
                == (mode == "verify-full" ? "disable" : address.contains("://") ? nil : "prefer"))
    }

    @Test("an address that the environment or a file of services completes is another machine's")
    func environments() {
        let local = ["host": "localhost"]
        #expect(PostgresAddress.isHere(local, [:]) && PostgresAddress.isHere(local, ["PGHOSTADDR": "127.0.0.1"]))
        for environment in [["PGHOSTADDR": "192.0.2.1"], ["PGSERVICE": "x"]] {
            #expect(!PostgresAddress.isHere(local, environment))
        }
        #expect(!PostgresAddress.isHere(local.merging(["service": "x"]) { $1 }, [:]))
        #expect(PostgresAddress.isHere(["hostaddr": "127.0.0.1"], ["PGHOSTADDR": "192.0.2.1"]), "the address comes first")
        #expect(!PostgresAddress.isHere([:], [:]), "PGHOST may name any")
    }

    @Test("only a database that syncs each commit outlasts a failure of power")
    func durable() {
        let full = ["synchronous_commit": "on", "fsync": "on", "full_page_writes": "on"]
        #expect(PostgresSchema.outlastsPowerFailure(full))
        for name in full.keys {
            #expect(!PostgresSchema.outlastsPowerFailure(full.merging([name: "off"]) { $1 }), "\(name)")
            #expect(!PostgresSchema.outlastsPowerFailure(full.filter { $0.key != name }), "\(name)")
        }
        for (commits, isFull) in [("remote_apply", true), ("remote_write", false), ("local", false)] {
            #expect(PostgresSchema.outlastsPowerFailure(full.merging(["synchronous_commit": commits]) { $1 }) == isFull)
        }
    }

    @Test("of several hosts, one is tried before the others, or alone")
    func hosts() throws {
        let address = try PostgresAddress("postgresql://u@[::1]:1,127.0.0.2:2,localhost:3/t")
        #expect(address.hostCount == 3)
        let first = address.parameters(first: 1)
        #expect(first["host"] == "127.0.0.2,::1,localhost" && first["port"] == "2,1,3" && first["dbname"] == "t")
        let alone = address.parameters(first: 2, alone: true)
        #expect(alone["host"] == "localhost" && alone["port"] == "3")
        let shared = try PostgresAddress("host=/a,/b hostaddr=127.0.0.1,127.0.0.2 port=7")
        #expect(shared.parameters(first: 1)["host"] == "/b,/a" && shared.parameters(first: 1)["port"] == "7")
        #expect(shared.parameters(first: 1)["hostaddr"] == "127.0.0.2,127.0.0.1")
        for one in ["postgresql://u@localhost/t", "dbname=t"] {
            let address = try PostgresAddress(one)
            #expect(address.hostCount <= 1 && address.parameters(first: 0) == address.parameters)
        }
    }

    @Test(
        "what does not verify it is refused",
        arguments: [
            "postgresql://u@db.example/t?sslmode=require", "postgresql://u@127.0.0.1,db.example/t?sslmode=verify-ca",
            "postgresql://u@localhost/t?hostaddr=192.0.2.1&sslmode=disable", "mysql://u@127.0.0.1/t",
            "postgresql://u@127.0.0.1.example/t?sslmode=prefer", "postgresql:///t?sslmode=prefer",
            "postgresql://127.0.0.1,/t?sslmode=prefer",
        ])
    func refused(_ address: String) {
        #expect(throws: SetupError.self) { try PostgresAddress(address) }
    }
}

/// The store on a real PostgreSQL: what only this engine can do wrong.
@Suite(.enabled(if: TestDatabases.server != nil), .serialized) struct PostgresTests {
    private func store(
        _ address: String, _ clock: TestClock = TestClock(UnixTime(seconds: 1_000_000)),
        _ replication: PostgresAddress.Replication = .asynchronous
    ) throws -> SQLStore {
        try SQLStore(PostgresAddress(address, replication: replication), time: NodeTime(clock.node))
    }

    private func spend(_ id: UInt8, epoch: Int64 = 0) -> Spend {
        Spend(.challenge, id: [UInt8](repeating: id, count: 16), expiresAt: UnixTime(seconds: 1_000_100), epoch: epoch)
    }

    @Test("both engines have the same tables, columns and indexes")
    func schema() throws {
        let postgres = try PostgresPool(PostgresAddress(TestDatabases.make()), time: NodeTime(TestClock().node))
        let sqlite = try SQLitePool(inMemory: nil)
        // Each column with its place in the table, its type, whether it may be null, and its place in the primary key.
        let columns = try sqlite.read {
            try $0.all(
                String.self,
                sql: """
                    SELECT t.name || '.' || c.name || ' ' || (c.cid + 1) || ' ' || c.type || ' '
                        || CASE WHEN c."notnull" = 0 AND c.pk = 0 THEN 'YES' ELSE 'NO' END || ' ' || c.pk
                    FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                    WHERE t.type = 'table' AND t.name NOT LIKE 'grdb%' AND t.name NOT LIKE 'sqlite%'
                    """)
        }
        let columnsThere = try postgres.read {
            try $0.all(
                String.self,
                sql: """
                    SELECT c.table_name::text || '.' || c.column_name::text || ' ' || c.ordinal_position::text || ' '
                        || CASE WHEN c.data_type = 'bigint' THEN 'INTEGER' WHEN c.data_type = 'bytea' THEN 'BLOB'
                            WHEN c.data_type = 'text' AND c.collation_name = 'C' THEN 'TEXT' ELSE c.data_type::text END || ' '
                        || c.is_nullable::text || ' ' || coalesce(k.ordinal_position, 0)::text
                    FROM information_schema.columns c LEFT JOIN (
                        information_schema.key_column_usage k JOIN information_schema.table_constraints t
                            ON t.table_name = k.table_name AND t.constraint_name = k.constraint_name
                            AND t.constraint_type = 'PRIMARY KEY' AND t.table_schema = 'thumbturn' AND k.table_schema = 'thumbturn')
                        ON k.table_name = c.table_name AND k.column_name = c.column_name
                    WHERE c.table_schema = 'thumbturn' AND c.table_name NOT IN ('migrations', 'last_writer', 'writers_turn')
                    """)
        }
        #expect(columns.sorted() == columnsThere.sorted() && columns.count > 100)
        // Each index with whether it is unique, whether it has a condition, and its columns.
        let indexes = try sqlite.read {
            try $0.all(
                String.self,
                sql: """
                    SELECT t.name || '.' || i.name || ' ' || i."unique" || ' ' || i.partial || ' '
                        || (SELECT group_concat(coalesce(c.name, ''), ',') FROM pragma_index_info(i.name) c)
                    FROM sqlite_schema t JOIN pragma_index_list(t.name) i WHERE t.type = 'table' AND i.origin = 'c'
                    """)
        }
        let indexesThere = try postgres.read {
            try $0.all(
                String.self,
                sql: """
                    SELECT t.relname::text || '.' || n.relname::text || ' ' || i.indisunique::int::text || ' '
                        || (i.indpred IS NOT NULL)::int::text || ' ' || (
                            SELECT string_agg(coalesce(a.attname::text, ''), ',' ORDER BY k.place)
                            FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (number, place)
                            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number)
                    FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
                    WHERE t.relnamespace = 'thumbturn'::regnamespace
                        AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)
                    """)
        }
        #expect(indexes.sorted() == indexesThere.sorted() && indexes.count > 20)
        #expect(try TableCopy.tables(of: sqlite).count == Tables.names.count)
    }

    @Test("what is accepted once is accepted on one of two nodes")
    func once() async throws {
        let address = try TestDatabases.make()
        let nodes = [try store(address), try store(address)]
        for id in UInt8(0)..<20 {
            let accepted = try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask { try await nodes[number % 2].spend([spend(id)]) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(accepted == 1)
        }
    }

    struct Broken: Error {}

    @Test("a transaction that another one was in the way of runs again, and no other does")
    func again() throws {
        let pool = try PostgresPool(PostgresAddress(TestDatabases.make()), time: NodeTime(TestClock().node))
        for state in ["40001", "40P01", "0A000", SQLError.connectionLost] {
            var runs = 0
            let number = try pool.write { db in
                runs += 1
                try db.run(sql: "UPDATE node SET purged_until = purged_until + 1")
                if runs == 1 { throw SQLError(state: state) }
                return try db.value(Int.self, sql: "SELECT purged_until FROM node")
            }
            #expect(runs == 2, "\(state)")
            #expect(try pool.read { try $0.value(Int.self, sql: "SELECT purged_until FROM node") } == number)
        }
        for error in [SQLError(state: "23505"), Broken()] as [any Error] {
            var runs = 0
            #expect(throws: (any Error).self) {
                try pool.write { db in
                    runs += 1
                    try db.run(sql: "UPDATE node SET purged_until = 0")
                    throw error
                }
            }
            #expect(runs == 1)
        }
        var runs = 0
        #expect(throws: SQLError(state: "40001")) {
            try pool.write { _ in
                runs += 1
                throw SQLError(state: "40001")
            }
        }
        #expect(runs == Limits.transactionTries)
        #expect(
            try pool.read { try $0.value(Int.self, sql: "SELECT purged_until FROM node") } == 4, "what failed was rolled back")
    }

    @Test("a commit that the server turned into a rollback is no success")
    func rolledBack() throws {
        let pool = try PostgresPool(PostgresAddress(TestDatabases.make()), time: NodeTime(TestClock().node))
        #expect(throws: StoreError.self) {
            try pool.write { db in
                try db.run(sql: "UPDATE node SET purged_until = 7")
                // The transaction fails here, and the code goes on.
                try? db.run(sql: "SELECT 1 / (SELECT purged_until - 7 FROM node)")
            }
        }
        #expect(try pool.read { try $0.value(Int.self, sql: "SELECT purged_until FROM node") } == 0)
    }

    @Test("a commit that the server has warned of is not answered")
    func warned() throws {
        let address = try TestDatabases.make()
        let pool = try PostgresPool(PostgresAddress(address), time: NodeTime(TestClock().node))
        // As when the server stops waiting for its replica: COMMIT succeeds, and brings a warning.
        try TestDatabases.run(
            """
            SET search_path = thumbturn; CREATE TABLE warned (id BIGINT);
            CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''not replicated''; RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON warned DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION warn()
            """, on: address)
        #expect(throws: StoreError.notReplicated) { try pool.write { try $0.run(sql: "INSERT INTO warned VALUES (1)") } }
        try pool.write { try $0.run(sql: "UPDATE node SET purged_until = 1") }
    }

    @Test("connections that the server ended are made anew, for readers and for the writer")
    func ended() async throws {
        let address = try TestDatabases.make()
        let store = try store(address)
        expect(try await store.spend([spend(1)]), is: true)
        try TestDatabases.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()",
            on: address)
        expect(try await store.spend([spend(2)]), is: true)
        for _ in 0..<8 { expect(try await store.spentCount(), is: 2) }
        expect(try await store.spend([spend(1)]), is: false)
    }

    @Test("a connection that the server has ended is not used once more to find that out")
    func goodbye() throws {
        let address = try TestDatabases.make()
        let connection = try PostgresConnection(PostgresAddress(address).parameters)
        #expect(connection.isUsable)
        let process: Int64 = try #require(try connection.query("SELECT pg_backend_pid() AS n").first?["n"])
        // Waits until the process is gone.
        try TestDatabases.run("SELECT pg_terminate_backend(\(process), 5000)", on: address)
        #expect(!connection.isUsable)
    }

    @Test("a database that may lose commits is refused, unless the operator accepts it by name")
    func weak() throws {
        let address = try TestDatabases.make()
        let name = try #require(URLComponents(string: address)?.path.dropFirst())
        try TestDatabases.run("ALTER DATABASE \(name) SET synchronous_commit = off", on: address)
        #expect(throws: SetupError.self) { try store(address) }
        let weak = try PostgresAddress(address, acceptsWeakCommits: true)
        #expect(try SQLStore(weak, time: NodeTime(TestClock().node)).durability().isFull == false)
        try TestDatabases.run("ALTER DATABASE \(name) SET synchronous_commit = remote_apply", on: address)
        #expect(try store(address).durability().isFull)
    }

    @Test("a database that may lose commits keeps no promise of its replicas: a promotion begins an epoch")
    func weakAndSynchronous() async throws {
        let address = try TestDatabases.make()
        let weak = try PostgresAddress(address, replication: .synchronous, acceptsWeakCommits: true)
        let time = NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node)
        expect(try SQLStore(weak, time: time).wasRestored, is: false)
        try TestDatabases.run("UPDATE thumbturn.node SET place = substr(place, 1, length(place) - 8) || '000000FF'", on: address)
        #expect(try SQLStore(weak, time: time).wasRestored)
    }

    @Test("a database that a newer version has changed is not opened, unless it can still be used")
    func newer() throws {
        let address = try TestDatabases.make()
        try TestDatabases.run("INSERT INTO thumbturn.migrations (name) VALUES ('1000 something')", on: address)
        let error = #expect(throws: SetupError.self) { _ = try store(address) }
        #expect(error?.description.contains("A newer thumbturn-server has changed the database") == true)
    }

    @Test("nodes of two versions run beside each other while the newer one only adds")
    func rollout() async throws {
        let address = try TestDatabases.make()
        let running = try store(address)
        expect(try await running.addAccount(Account(id: .random(), name: "ada", passwordHash: "x")), is: true)
        expect(try await running.clients().count, is: 0)
        // The writer reads the table too.
        let written = { try await running.writer.write { db, _ in try db.all(Row.self, sql: "SELECT * FROM clients").count } }
        expect(try await written(), is: 0)
        // Columns with defaults, in tables that the older one reads with `*`, and a table. Nodes that start together add them once.
        let step = PostgresSchema.Step(
            name: "1000 something", isAdditive: true,
            script: """
                ALTER TABLE clients ADD COLUMN newer TEXT; ALTER TABLE accounts ADD COLUMN newer BIGINT DEFAULT 0;
                CREATE TABLE newer (id BIGINT PRIMARY KEY)
                """)
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    let newer = try PostgresConnection(PostgresAddress(address).parameters)
                    try newer.execute(PostgresSchema.searchPath)
                    try PostgresSchema.migrate(newer, mayMake: false, steps: PostgresSchema.steps + [step])
                }
            }
            try await group.waitForAll()
        }
        expect(try await written(), is: 0)
        expect(try await running.addAccount(Account(id: .random(), name: "bob", passwordHash: "x")), is: true)
        for _ in 0..<8 { expect(try await running.clients().count, is: 0) }
        let started = try store(address)
        expect(try await started.accounts(after: "", atMost: 10).count, is: 2)
        // The older version does not know all that there is.
        let file = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: file) }
        await #expect(throws: SetupError.self) { try await started.backUp(to: file) }
        await #expect(throws: SetupError.self) {
            try await started.restore(from: StoreImage(of: SQLitePool(inMemory: nil)), coolOff: .zero)
        }
    }

    @Test("rows that were put back by a copy are noticed by what only reads")
    func readersNotice() async throws {
        let address = try TestDatabases.make()
        let open = try store(address)
        let before = try await open.secretsEdition()
        #expect(try await open.secretsEdition() == before)
        try TestDatabases.run("UPDATE thumbturn.last_writer SET transaction = transaction", on: address)
        #expect(try await open.secretsEdition().epoch != before.epoch)
    }

    @Test("an epoch begins where the database is another one, or a replica that may lack commits was promoted")
    func places() async throws {
        // What the database was before, how its commits reached its replicas, and whether an epoch begins.
        let (timeline, other) = ("substr(place, 1, length(place) - 8) || '000000FF'", "'7' || place")
        for (former, replication, begins) in [
            (timeline, .asynchronous, true), (timeline, .synchronous, false), (other, .synchronous, true),
            (other, .asynchronous, true),
            ("place", .asynchronous, false),
        ] as [(String, PostgresAddress.Replication, Bool)] {
            let address = try TestDatabases.make()
            #expect(try !store(address).wasRestored)
            try TestDatabases.run("UPDATE thumbturn.node SET place = \(former)", on: address)
            if former != "place" {
                let error = #expect(throws: SetupError.self, "a command does not know how commits reach the replicas") {
                    _ = try SQLStore(
                        PostgresAddress(address), time: NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node), for: .command)
                }
                #expect(error?.description.contains("new-epoch") == true)
            }
            let found = try store(address, TestClock(UnixTime(seconds: 1_000_000)), replication)
            #expect(found.wasRestored == begins, "\(former) \(replication)")
            let epoch = try await found.epoch().number
            #expect((epoch != 0) == begins)
            expect(try await found.spend([spend(1)]), is: !begins)
            expect(try store(address).wasRestored, is: false)
        }
        // A row that was copied is not the one that the last transaction wrote, whatever is in it.
        let address = try TestDatabases.make()
        _ = try store(address)
        try TestDatabases.run("UPDATE thumbturn.last_writer SET transaction = transaction", on: address)
        #expect(try store(address, TestClock(UnixTime(seconds: 1_000_000)), .synchronous).wasRestored)
        expect(try store(address).wasRestored, is: false)
    }

    @Test("a database that lacks a commit which was answered begins an epoch")
    func lacking() async throws {
        let address = try TestDatabases.make()
        let open = try store(address, TestClock(UnixTime(seconds: 1_000_000)), .synchronous)
        expect(try await open.spend([spend(1)]), is: true)
        // As after a restore to a point in time that no row tells of.
        try TestDatabases.run("UPDATE thumbturn.node SET commits = commits - 1; DELETE FROM thumbturn.spent", on: address)
        await #expect(throws: StoreError.self) { _ = try await open.spend([spend(1)]) }
        #expect(try await open.epoch().number != 0)
    }

    @Test("an older database behind new connections begins an epoch, also where its timeline has the same number")
    func connectedAnew() async throws {
        for statement in ["UPDATE thumbturn.node SET commits = commits - 1", "UPDATE thumbturn.node SET place = '7' || place"] {
            let address = try TestDatabases.make()
            let open = try store(address, TestClock(UnixTime(seconds: 1_000_000)), .synchronous)
            expect(try await open.spend([spend(1)]), is: true)
            let before = try await open.epoch().number
            // No transaction of this node writes before it reads.
            try TestDatabases.run(
                """
                \(statement);
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()
                """, on: address)
            var number = before
            for _ in 0..<50 where number == before {
                number = (try? await open.epoch().number) ?? before
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(number != before, "\(statement)")
        }
    }

    @Test("a proof of DPoP is forgotten by no restore, and not by the purge that moves the limit past it")
    func proofsStay() async throws {
        let (address, clock) = (try TestDatabases.make(), TestClock(UnixTime(seconds: 1_000_000)))
        let open = try store(address, clock)
        let proofs = try #require(open.sharedProofs)
        let (proof, expiry) = ([UInt8](repeating: 1, count: 16), UnixTime(seconds: 1_000_060))
        func isNew(_ proof: [UInt8]) async throws -> Bool {
            try await proofs.remember(proof, until: expiry, in: try await open.secretsEdition().epoch)
        }
        let epoch = try await open.secretsEdition().epoch
        expect(try await isNew(proof), is: true)
        try await open.restore(from: StoreImage(of: SQLitePool(inMemory: nil)), coolOff: .zero)
        expect(try await isNew(proof), is: false)
        let other = [UInt8](repeating: 2, count: 16)
        expect(try await proofs.remember(other, until: expiry, in: epoch), is: false, "its nonce is of the former epoch")
        let count = { try open.texts(of: ["SELECT CAST(count(*) AS TEXT) FROM spent"]) }
        let again = try store(address, clock)
        clock.advance(by: .seconds(100))
        try await again.purge(sessionsBefore: clock.now)
        expect(try count(), is: ["1"], "a node that sees the former limit may be remembering it")
        clock.advance(by: .seconds(60))
        try await again.purge(sessionsBefore: clock.now)
        expect(try count(), is: ["0"])
    }

    @Test("a clock that is more than a minute from the database's is refused")
    func clocks() throws {
        let address = try PostgresAddress(TestDatabases.make())
        let now = NodeClock.system.civil()
        for seconds in [Int64(-50), 0, 50] { try address.check(TestClock(now + .seconds(seconds)).node) }
        for seconds in [Int64(-70), 70] {
            let error = #expect(throws: SetupError.self) { try address.check(TestClock(now + .seconds(seconds)).node) }
            #expect(error?.description.contains(seconds < 0 ? "behind that of" : "ahead of that of") == true)
        }
        // A clock that could not be compared is not taken for one that agrees.
        let gone = try PostgresAddress("postgresql://127.0.0.1:1/thumbturn")
        let error = #expect(throws: SetupError.self) { try gone.check(.system) }
        #expect(error?.description.hasPrefix("The database cannot be used") == true, "\(String(describing: error))")
    }

    @Test("a node without the master key of the others says so, and a restore under a wrong key leaves an empty database empty")
    func masterKeys() async throws {
        let folders = [LiveServer.temporaryFolder(), LiveServer.temporaryFolder(), LiveServer.temporaryFolder()]
        let file = LiveServer.temporaryFolder() + ".sqlite"
        defer { for path in folders + [file] { try? FileManager.default.removeItem(atPath: path) } }
        func settings(_ folder: String, _ database: String? = nil) throws -> ServerSettings {
            var settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
            settings.database = try database.map { try PostgresAddress($0) }
            return settings
        }
        let address = try TestDatabases.make()
        _ = try await EmbeddedServer(settings(folders[0], address))
        let error = await #expect(throws: SetupError.self) { _ = try await EmbeddedServer(settings(folders[1], address)) }
        #expect(error?.description.contains("Another node has made this database") == true)

        try await EmbeddedServer(settings(folders[2])).backUp(to: file)
        let empty = try TestDatabases.makeEmpty()
        let refused = await #expect(throws: SetupError.self) {
            try await EmbeddedServer.restore(from: file, into: settings(folders[0], empty), backupKey: nil)
        }
        #expect(refused?.description.contains("--backup-key") == true)
        try await EmbeddedServer.restore(from: file, into: settings(folders[2], empty), backupKey: nil)
    }

    @Test("a database from before the first release says what to do")
    func older() throws {
        let address = try TestDatabases.make()
        try TestDatabases.run(
            "DELETE FROM thumbturn.migrations; INSERT INTO thumbturn.migrations (name) VALUES ('1 spine'), ('2 wrong PINs')",
            on: address)
        let error = #expect(throws: SetupError.self) { _ = try store(address) }
        #expect(error?.description.contains("from before the first release has made the database") == true)
    }

    @Test("a command makes no tables in an empty database")
    func noTables() throws {
        let address = try TestDatabases.makeEmpty()
        let error = #expect(throws: SetupError.self) {
            _ = try SQLStore(
                PostgresAddress(address), time: NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node), for: .command)
        }
        #expect(error?.description.contains("There is no server's data in this database") == true)
        let schemas = try PostgresConnection(PostgresAddress(address).parameters).query(
            "SELECT nspname FROM pg_namespace WHERE nspname = 'thumbturn'")
        #expect(schemas.isEmpty)
    }

    @Test("a backup goes from either engine to either engine, and begins an epoch")
    func backups() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let stores: [@Sendable () throws -> SQLStore] = [
            { try SQLStore(PostgresAddress(TestDatabases.make()), time: NodeTime(clock.node)) },
            { try SQLStore(path: folder + "/\(UUID().uuidString).sqlite", time: NodeTime(clock.node)) },
        ]
        for from in stores {
            for to in stores {
                let (source, target, file) = (try from(), try to(), folder + "/\(UUID().uuidString)")
                for number in 0..<2500 {
                    guard number % 250 == 0 else { continue }
                    _ = try await source.addAccount(Account(id: .random(), name: "account \(number)", passwordHash: "x"))
                }
                _ = try await target.addAccount(Account(id: .random(), name: "gone", passwordHash: "x"))
                try await source.backUp(to: file)
                try await target.restore(from: file, coolOff: .zero, sealing: { sealed, _ in sealed })
                expect(try await target.accounts(after: "", atMost: 100).count, is: 10)
                expect(try await target.account(named: "gone")?.name, is: nil)
                #expect(try await target.epoch().number != source.epoch().number)
                await #expect(throws: StoreError.self) { try await target.spend([spend(1)]) }
            }
        }
    }

    @Test("a DPoP proof that one node has seen is refused by all, and a nonce of one node is accepted by all")
    func proofs() async throws {
        let address = try TestDatabases.make()
        let nodes = try [store(address), store(address)].map { try #require($0.sharedProofs) }
        let (proof, expiry) = ([UInt8](repeating: 1, count: 16), UnixTime(seconds: 1_000_060))
        expect(try await nodes[0].remember(proof, until: expiry, in: 0), is: true)
        expect(try await nodes[1].remember(proof, until: expiry, in: 0), is: false)
        expect(try await nodes[0].remember(proof, until: expiry, in: 0), is: false)
        #expect(nodes[0].place == nodes[1].place && !nodes[0].place.isEmpty)
    }
}
#endif
