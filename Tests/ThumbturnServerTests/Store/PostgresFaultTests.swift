#if Tools && PostgreSQL
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

/// What clients see of a database that fails, and that the server recovers by itself.
@Suite(.enabled(if: TestDatabases.server != nil), .serialized) struct PostgresFaultTests {
    /// Runs a server on a PostgreSQL of its own, with a device.
    private func with(
        onSmallDisk: Bool = false,
        _ test: @escaping @Sendable (PostgresServer, LiveServer, LiveServer.Enrolled) async throws -> Void
    ) async throws {
        try await PostgresServer.run(onSmallDisk: onSmallDisk) { database in
            let address = try PostgresAddress(database.address)
            let settings: (inout ServerSettings) -> Void = {
                $0.database = address
                // One device signs in as often as it can.
                $0.proofsOfDevice = nil
            }
            try await LiveServer.run(configure: settings) { live in
                try await test(database, live, try await live.device())
            }
        }
    }

    /// A node at a primary whose replica was promoted beside it and takes no writes yet, so that the node keeps its connections.
    private struct Replaced {
        let node: SQLStore
        private let address: PostgresAddress
        private let promoted: String
        private let time = NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node)

        init(_ server: PostgresServer) throws {
            let parameters = try PostgresAddress(server.socketAddress).parameters
            let (host, port) = (try #require(parameters["host"]), try #require(parameters["port"]))
            let user = "dbname=thumbturn user=thumbturn"
            promoted = "\(user) host=\(host)/promoted port=\(port)"
            address = try PostgresAddress("\(user) host=\(host),\(host)/promoted port=\(port)", replication: .synchronous)
            _ = try SQLStore(PostgresAddress(server.socketAddress), time: time)
            try server("promoted")
            try TestDatabases.run("ALTER DATABASE thumbturn SET default_transaction_read_only = on", on: promoted)
            node = try SQLStore(address, time: time)
        }

        /// Lets the promoted one take writes.
        func takeWrites() throws {
            try TestDatabases.run(
                "ALTER DATABASE thumbturn RESET default_transaction_read_only",
                on: promoted + " options='-c default_transaction_read_only=off'")
        }

        func anotherNode() throws -> SQLStore { try SQLStore(address, time: time) }
    }

    /// Signs in until it succeeds, as a client does that gets 503.
    private func signsInAgain(_ device: LiveServer.Enrolled) async throws {
        for _ in 0..<200 {
            if (try? await device.signIn()) != nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("the server did not recover in 20 s")
    }

    @Test("a database that is gone, was killed, is read-only or has another certificate is 503, and the server recovers")
    func faults() async throws {
        try await with { database, live, device in
            for (fault, cure) in [
                ("stop", "start"), ("kill", "start"), ("readonly on", "readonly off"),
            ] {
                try database(fault)
                let (challenge, nonce) = try await device.challenge()
                let answer = try await device.redeem(device.device.proof(challenge), nonce: nonce)
                #expect(answer.status == 503, "\(fault)")
                #expect(answer.headerNames.contains("retry-after"), "\(fault)")
                let ready = try await live.connect().send("GET", "/ready").status
                // A connection from before the database became read-only still reads.
                #expect(ready == 503 || fault == "readonly on", "\(fault)")
                #expect(try await live.connect().send("GET", "/health").status == 200)
                try database(cure)
                try await signsInAgain(device)
            }
            let connections = try TestDatabases.count(
                "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'thumbturn'", on: database.address)
            #expect((1...7).contains(connections), "\(connections) connections after three faults")
            // Open connections stay; those that are made anew are refused until the certificate is the right one.
            try database("certificate wrong")
            try database("restart")
            let (challenge, nonce) = try await device.challenge()
            #expect(try await device.redeem(device.device.proof(challenge), nonce: nonce).status == 503)
            try database("certificate right")
            try await signsInAgain(device)
        }
    }

    @Test("the database ends what takes too long, waits too long or is held too long, and TCP notices a node that is gone")
    func limits() async throws {
        try await PostgresServer.run { database in
            // Through a socket there is no TCP.
            let address = try PostgresAddress(database.address)
            let connection = try PostgresConnection(address.parameters)
            try PostgresSchema.prepare(connection, for: address)
            let limits = [
                "statement_timeout": "5s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "4s",
                "tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
            ]
            for (name, limit) in limits {
                let found: String? = try connection.query("SELECT current_setting('\(name)') AS value").first?["value"]
                #expect(found == limit, "\(name)")
            }
        }
    }

    @Test("a database that hangs is given up after some seconds, and a challenge that was refused is accepted once at most")
    func hangs() async throws {
        try await with { database, live, device in
            let (challenge, nonce) = try await device.challenge()
            let proof = device.device.proof(challenge)
            try database("pause")
            let began = ContinuousClock.now
            let answer = try await device.redeem(proof, nonce: nonce)
            #expect(answer.status == 503)
            #expect(ContinuousClock.now - began < Limits.databaseAnswer * 4, "it is refused, and does not wait for ever")
            try database("resume")
            try await signsInAgain(device)
            var accepted = 0
            for _ in 0..<3 {
                let again = try await device.redeem(proof, nonce: try await device.nonce())
                if again.status == 200 { accepted += 1 }
            }
            #expect(accepted <= 1)
        }
    }

    @Test(
        "tables that were changed by other means are 503 with Retry-After, and the server recovers",
        arguments: [
            ("ALTER COLUMN cools_off_until TYPE numeric", "ALTER COLUMN cools_off_until TYPE bigint"),
            ("ALTER COLUMN cools_off_until TYPE text", "ALTER COLUMN cools_off_until TYPE bigint USING cools_off_until::bigint"),
            ("RENAME COLUMN name TO former", "RENAME COLUMN former TO name"),
            ("ALTER COLUMN name DROP NOT NULL", "ALTER COLUMN name SET NOT NULL"),
        ])
    func otherTables(_ change: String, _ back: String) async throws {
        try await with { database, live, device in
            let token = try await device.signIn().accessToken
            #expect(try await device.get("/v1/devices", token: token).status == 200)
            let name = "UPDATE thumbturn.devices SET name ="
            try TestDatabases.run("ALTER TABLE thumbturn.devices \(change)", on: database.address)
            if change.contains("DROP") { try TestDatabases.run("\(name) NULL", on: database.address) }
            for _ in 0..<2 {
                let answer = try await device.get("/v1/devices", token: token)
                #expect(answer.status == 503 && answer.headerNames.contains("retry-after"), "\(answer.status) \(answer.text)")
            }
            if change.contains("DROP") { try TestDatabases.run("\(name) 'Phone'", on: database.address) }
            try TestDatabases.run("ALTER TABLE thumbturn.devices \(back)", on: database.address)
            #expect(try await device.get("/v1/devices", token: token).status == 200)
        }
    }

    @Test(
        "a database that is full, slow or has other tables is 503 with Retry-After, nothing is half done, and the server recovers",
        arguments: [
            // PostgreSQL's own code for a full disk.
            ("RAISE EXCEPTION USING ERRCODE = '53100'", 503), ("PERFORM pg_sleep(30)", 503),
            // The code for a column that is not there.
            ("RAISE EXCEPTION USING ERRCODE = '42703'", 503),
        ])
    func insideAStatement(_ fault: String, _ status: Int) async throws {
        try await with { database, live, device in
            let address = database.address
            let (challenge, nonce) = try await device.challenge()
            let proof = device.device.proof(challenge)
            // The session is opened after its challenge was spent, in the same transaction.
            try TestDatabases.run(
                """
                SET search_path = thumbturn;
                CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(fault.replacing("'", with: "''")); RETURN NEW; END';
                CREATE TRIGGER fault BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION fault()
                """, on: address)
            for _ in 0..<3 {
                let answer = try await device.redeem(proof, nonce: try await device.nonce())
                #expect(answer.status == status && answer.headerNames.contains("retry-after"), "\(answer.status) \(answer.text)")
            }
            try TestDatabases.run("DROP FUNCTION thumbturn.fault CASCADE", on: address)
            let answer = try await device.redeem(proof, nonce: nonce)
            #expect(answer.status == 200, "its challenge was not spent: \(answer.text)")
            #expect(try await device.redeem(proof, nonce: try await device.nonce()).status == 400)
        }
    }

    /// Only root may mount the disk.
    @Test(
        "a disk that is full is 503 with Retry-After, nothing that was acknowledged is lost, and the server recovers",
        .enabled(if: geteuid() == 0))
    func fullDisk() async throws {
        try await with(onSmallDisk: true) { database, live, device in
            try database("disk full")
            var acknowledged: [String] = []
            var refused: String?
            // There is room for some rows on pages that exist.
            while refused == nil, acknowledged.count < 2000 {
                let (challenge, nonce) = try await device.challenge()
                let proof = device.device.proof(challenge)
                let answer = try await device.redeem(proof, nonce: nonce)
                if answer.status == 200 {
                    acknowledged.append(proof)
                } else {
                    refused = proof
                    #expect(answer.status == 503 && answer.headerNames.contains("retry-after"), "\(answer.status) \(answer.text)")
                }
            }
            let proof = try #require(refused, "the disk was never full")
            #expect(try await live.connect().send("GET", "/health").status == 200)
            try database("disk free")
            try await signsInAgain(device)
            #expect(try await device.redeem(proof, nonce: device.nonce()).status == 200, "its challenge was not spent")
            for proof in acknowledged + [proof] {
                #expect(try await device.redeem(proof, nonce: device.nonce()).status == 400, "its challenge was spent")
            }
            print("full disk: \(acknowledged.count) sign-ins fitted in")
        }
    }

    @Test("a commit that waits for a replica in vain is refused, and its challenge is accepted once at most")
    func replicas() async throws {
        try await with { database, live, device in
            let (challenge, nonce) = try await device.challenge()
            let proof = device.device.proof(challenge)
            try database("replica missing")
            let answer = try await device.redeem(proof, nonce: nonce)
            #expect(answer.status == 503 && answer.headerNames.contains("retry-after"), "\(answer.status) \(answer.text)")
            try database("replica none")
            try await signsInAgain(device)
            var accepted = 0
            for _ in 0..<3 where try await device.redeem(proof, nonce: device.nonce()).status == 200 { accepted += 1 }
            #expect(accepted <= 1)
        }
    }

    @Test("once a node writes to another server, nothing is read from the old one, which still answers")
    func readersFollow() async throws {
        try await PostgresServer.run { former in
            try await PostgresServer.run { next in
                let time = NodeTime(TestClock().node)
                let places = try [former, next].map { try SQLStore(PostgresAddress($0.socketAddress), time: time).pool.place }
                let parameters = try [former, next].map { try PostgresAddress($0.socketAddress).parameters }
                let both = Set(["host", "port"]).map { name in
                    "\(name)=\(parameters.map { $0[name] ?? "" }.joined(separator: ","))"
                }
                let pool = try SQLStore(PostgresAddress("dbname=thumbturn user=thumbturn \(both[0]) \(both[1])"), time: time).pool
                // More at once than there are connections, so that each of them is used.
                let read = {
                    try await withThrowingTaskGroup(of: String.self) { group in
                        for _ in 0..<(8 * Limits.readers) {
                            group.addTask { try await pool.read { try $0.value(String.self, sql: "SELECT place FROM node") } }
                        }
                        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                    }
                }
                #expect(try await read() == [places[0]])
                try former("readonly on")
                for _ in 0..<100 where pool.place == places[0] {
                    try? pool.write { try $0.run(sql: "UPDATE node SET purged_until = purged_until") }
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await read() == [places[1]])
            }
        }
    }

    @Test(
        "a primary that comes back after the promotion of its replica is neither read nor written, and the replica is found again"
    )
    func formerPrimary() async throws {
        try await PostgresServer.run { server in
            let time = NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node)
            let former = try SQLStore(PostgresAddress(server.socketAddress), time: time).pool.place
            try server("promoted")
            let parameters = try PostgresAddress(server.socketAddress).parameters
            let (host, port) = (try #require(parameters["host"]), try #require(parameters["port"]))
            let user = "dbname=thumbturn user=thumbturn"
            let address = try PostgresAddress(
                "\(user) host=\(host),\(host)/promoted port=\(port),\(port)", replication: .synchronous)
            // The old one takes writes, and is the first that libpq would take.
            let store = try SQLStore(address, time: time)
            let place = store.pool.place
            #expect(place != former)
            let spend = Spend(.challenge, id: [7], expiresAt: UnixTime(seconds: 1_000_100), epoch: 0)
            #expect(try await store.spend([spend]))
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<(8 * Limits.readers) { group.addTask { _ = try await store.secretsEdition() } }
            }

            // All connections are made anew.
            try TestDatabases.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'thumbturn' AND pid != pg_backend_pid()",
                on: "\(user) host=\(host)/promoted port=\(port)")
            for _ in 0..<20 {
                // A connection that was ended is noticed by its next use at the latest.
                if let isNew = try? await store.spend([spend]) { #expect(!isNew, "what was spent there is spent") }
                _ = try? await store.secretsEdition()
                #expect(store.pool.place == place)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await store.spend([spend]) == false)
            #expect(try await store.secretsEdition().epoch == 0)
            // A node that starts now goes there too.
            #expect(try SQLStore(address, time: time).pool.place == place)

            // Where only the old one is left, it is not used.
            let end = """
                ALTER DATABASE thumbturn SET default_transaction_read_only = on;
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'thumbturn' AND pid != pg_backend_pid()
                """
            try TestDatabases.run(end, on: "\(user) host=\(host)/promoted port=\(port)")
            for _ in 0..<100 where (try? await store.spend([spend])) != nil { try await Task.sleep(for: .milliseconds(50)) }
            for _ in 0..<20 {
                await #expect(throws: SQLError.self) { try await store.spend([spend]) }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(store.pool.place == place)
            // But by a node that starts now, which has never seen the other one.
            #expect(try SQLStore(address, time: time).pool.place == former)
        }
    }

    @Test(
        "a primary that runs on after the promotion of its replica is left",
        arguments: ["replica missing", "nothing fails", "only read"])
    func runsOn(_ fault: String) async throws {
        try await PostgresServer.run { server in
            let replaced = try Replaced(server)
            let (store, former) = (replaced.node, replaced.node.pool.place)
            let spend = Spend(.challenge, id: [7], expiresAt: UnixTime(seconds: 1_000_100), epoch: 0)
            if fault == "only read" { expect(try await store.spend([spend]), is: true) }
            try replaced.takeWrites()
            if fault == "replica missing" {
                try server(fault)
                await #expect(throws: (any Error).self) { try await store.spend([spend]) }
            }
            for _ in 0..<1000 where store.pool.place == former {
                // The look at the other hosts is due every five seconds.
                if fault == "only read" {
                    _ = try? await store.secretsEdition()
                } else {
                    _ = try? await store.spend([Spend(.challenge, id: [8], expiresAt: UnixTime(seconds: 1_000_100), epoch: 0)])
                }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(store.pool.place != former)
            let epoch = try await store.secretsEdition().epoch
            // What was answered there is missing here, so that an epoch had to begin, although replicas were promised to have all.
            #expect((epoch == 0) == (fault == "replica missing"))
            if epoch == 0 { #expect(try await store.spend([spend]), "the commit that no replica had is not there") }
        }
    }

    @Test("a node at a former primary reads what was so before the promotion, and leaves it for the new one")
    func readsFormerPrimary() async throws {
        try await PostgresServer.run { server in
            let replaced = try Replaced(server)
            let (late, former) = (replaced.node.pool, replaced.node.pool.place)
            try replaced.takeWrites()
            let node = try replaced.anotherNode().pool
            #expect(node.place != former)
            try node.write { try $0.run(sql: "UPDATE node SET purged_until = 7") }
            let read = { @Sendable (column: String) in
                try await late.read { try $0.value(Int64.self, sql: "SELECT \(column) FROM node") }
            }
            // It looks after this answer.
            #expect(try await read("purged_until") == 0)
            for _ in 0..<1000 where late.place == former {
                _ = try? await read("purged_until")
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(late.place == node.place)
            #expect(try await read("purged_until") == 7)
            #expect(try await read("epoch") == 0, "nothing was missing")
        }
    }

    @Test("a node that hangs in its transaction gives up the writers' lock before others are refused")
    func hangingNode() async throws {
        let address = try PostgresAddress(TestDatabases.make())
        let time = NodeTime(TestClock(UnixTime(seconds: 0)).node)
        let nodes = [try SQLStore(address, time: time).pool, try SQLStore(address, time: time).pool]
        let write = { @Sendable (db: Database) in try db.run(sql: "UPDATE node SET purged_until = purged_until") }
        let (holds, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // No thread of the tests' pool waits here.
        let hanging = Thread {
            try? nodes[0].write { db in
                try write(db)
                holds.signal()
                ends.wait()
            }
        }
        hanging.start()
        let written = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                holds.wait()
                continuation.resume(returning: Result { try nodes[1].write(write) })
            }
        }
        // The node finds out, and does it again.
        for _ in 0..<Limits.transactionTries { ends.signal() }
        #expect(throws: Never.self) { try written.get() }
    }

    @Test("of the places of several hosts, the last promotion counts, and else the order of the address")
    func primaries() {
        for (places, host) in [
            ([:], nil), ([1: "7/1/00000002"], 1), ([0: "7/1/00000002", 1: "7/1/0000000A", 2: "7/1/00000009"], 1),
            ([0: "7/1/00000002", 2: "7/1/00000002"], 0), ([0: "8/1/00000001", 1: "7/1/00000002"], 0),
        ] as [([Int: String], Int?)] {
            #expect(PostgresPool.primary(of: places) == host)
        }
        // A look that began before another one and ended after it.
        for (seen, host) in [("7/1/00000002", 0), ("7/1/00000003", nil), ("8/1/00000003", 0)] as [(String, Int?)] {
            #expect(PostgresPool.primary(of: [0: "7/1/00000002", 1: "7/1/00000001"], since: seen) == host)
        }
    }

    @Test("a session whose settings were changed behind the node's back commits as it was demanded")
    func durably() throws {
        let pool = try SQLStore(PostgresAddress(TestDatabases.make()), time: NodeTime(TestClock().node)).pool
        let setting = { (db: Database) in
            try db.value(String.self, sql: "SELECT current_setting('synchronous_commit')")
        }
        try pool.write { _ = try $0.value(String.self, sql: "SELECT set_config('synchronous_commit', 'off', false)") }
        #expect(try pool.write(setting) == "on")
    }

    @Test("a configuration that lets commits be lost does not reach open connections, and new ones are refused")
    func weakened() async throws {
        try await PostgresServer.run { server in
            let pool = try SQLStore(PostgresAddress(server.socketAddress), time: NodeTime(TestClock().node)).pool
            try server("commits weak")
            #expect(try pool.durability().isFull)
            try server("restart")
            let write = { try pool.write { try $0.run(sql: "UPDATE node SET purged_until = purged_until") } }
            let error = #expect(throws: (any Error).self) { try write() }
            // The first one says why, and later ones for a moment only that there is no connection.
            #expect(error is SQLError || error is SetupError)
            try server("commits safe")
            for _ in 0..<100 where (try? write()) == nil { try await Task.sleep(for: .milliseconds(50)) }
            #expect(try pool.durability().isFull)
        }
    }

    @Test("a node whose clock cannot follow the time of the others is not ready")
    func notReady() async throws {
        try await with { database, live, _ in
            #expect(try await live.connect().send("GET", "/ready").status == 200)
            try TestDatabases.run("UPDATE thumbturn.node SET high_water = high_water + 3600", on: database.address)
            #expect(try await live.connect().send("GET", "/ready").status == 503)
        }
    }

    @Test("what was answered before the database was killed is there afterwards")
    func nothingIsLost() async throws {
        try await with { database, live, device in
            for round in 0..<5 {
                var answered: [String] = []
                let (signIns, signedIn) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            let own = try await live.connect()
                            var proofs: [String] = []
                            for _ in 0..<50 {
                                guard let (challenge, nonce) = try? await device.device.challenge(over: own) else { break }
                                let proof = device.device.proof(challenge)
                                let answer = try? await device.device.redeem(proof, nonce: nonce, over: own)
                                guard answer?.status == 200 else { break }
                                proofs.append(proof)
                                signedIn.yield()
                            }
                            return proofs
                        }
                    }
                    group.addTask {
                        // In the middle of them, each time another one.
                        for await _ in signIns.prefix(7 * (round + 1)) {}
                        try database("kill")
                        return []
                    }
                    for try await proofs in group { answered += proofs }
                }
                try database("start")
                try await signsInAgain(device)
                // A session that was answered is there, and its challenge is spent.
                for proof in answered {
                    var again = try await device.redeem(proof, nonce: try await device.nonce())
                    // Each connection to the database is made anew when it is used.
                    for _ in 0..<50 where again.status == 503 {
                        try await Task.sleep(for: .milliseconds(100))
                        again = try await device.redeem(proof, nonce: try await device.nonce())
                    }
                    #expect(again.status == 400, "an answered challenge was accepted again")
                }
            }
        }
    }
}
#endif
