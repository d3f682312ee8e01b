#if Tools && PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnServer

/// The PostgreSQL of tests.
private let postgres = ProcessInfo.processInfo.environment["THUMBTURN_TEST_POSTGRES"]

/// Two processes of the server on one PostgreSQL: what is decided once is decided once, and a process may be killed at any moment.
@Suite(.enabled(if: postgres != nil), .serialized) struct NodeProcessTests {
    /// Two processes, each with 32 connections, and what both know.
    private struct World: Sendable {
        let url: String
        let settings: ServerSettings
        let environment: [String: String]
        let nodes: [ServerProcess]
        let lines: [LoadConnection]
        let backEnd: BenchBackEnd
        /// The id of the account that `ServerProcess.account` names.
        let account: String

        /// Sends a request on every line at once.
        func race(
            _ send: @escaping @Sendable (LoadConnection) async throws -> LoadConnection.Answer
        ) async throws -> [LoadConnection.Answer] {
            try await withThrowingTaskGroup { group in
                for line in lines { group.addTask { try await send(line) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        /// A device of the account.
        func device(as kind: KeyKind = .biometric) async throws -> (device: LoadDevice, id: String) {
            let device = LoadDevice(server: url)
            let id = try await device.enrol(
                account: ServerProcess.account, password: ServerProcess.password, as: kind, over: lines[0])
            return (device, id)
        }

        func post(
            _ path: String, _ body: String, type: String = "application/json", by device: LoadDevice, over line: LoadConnection
        ) async throws -> LoadConnection.Answer {
            let nonce = try await device.challenge(over: line).nonce
            let body = Array(body.utf8)
            return try await line.send(
                "POST", path, type: type, headers: [("DPoP", device.dpop("POST", path, body, nonce: nonce))], body: body)
        }

        /// Runs a command of the server on the same database.
        func command(_ arguments: String...) async throws {
            let done = try await Built.run(Built.path("thumbturn-server"), arguments, environment: environment)
            #expect(done.status == 0, "\(arguments): \(done.errors)")
        }

        /// The first column of a query's rows, as text.
        func read(_ query: String) throws -> [String] {
            try SQLStore(#require(settings.database), time: NodeTime(.system)).texts(of: [query])
        }
    }

    /// The sign-ins that were answered, and whether the load is over.
    private final class Load: Sendable {
        struct SignIn: Sendable {
            var device: LoadDevice
            var proof: String
            var token: String
        }

        private let state = Mutex<(signIns: [SignIn], isOver: Bool)>(([], false))

        var signIns: [SignIn] { state.withLock { $0.signIns } }
        var isOver: Bool { state.withLock { $0.isOver } }

        /// Adds a sign-in and returns their number.
        @discardableResult
        func add(_ device: LoadDevice, _ proof: String, _ token: String) -> Int {
            state.withLock {
                $0.signIns.append(SignIn(device: device, proof: proof, token: token))
                return $0.signIns.count
            }
        }

        func end() { state.withLock { $0.isOver = true } }
    }

    private func with(_ test: @escaping (World) async throws -> Void) async throws {
        let database = try ScratchDatabase(beside: PostgresAddress(#require(postgres)))
        defer { try? database.remove() }
        let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let environment = ["THUMBTURN_DATABASE": database.address, "THUMBTURN_MASTER_KEY": Base64URL.encode(key)]
        var settings = try ServerSettings(publicURL: "http://localhost", dataFolder: "/nowhere", masterKey: MasterKey(bytes: key))
        settings.database = try PostgresAddress(database.address)
        let server = try await EmbeddedServer(settings)
        try await server.addAccount(named: ServerProcess.account, password: ServerProcess.password)
        let backEnd = BenchBackEnd()
        try await server.addClient(named: backEnd.id, scopes: [.approvals], keys: [backEnd.publicKey])
        let store = try SQLStore(PostgresAddress(database.address), time: NodeTime(.system))
        let account = try #require(try await store.account(named: ServerProcess.account))
        let ports = [try await Built.freePort(), try await Built.freePort()]
        let url = "http://127.0.0.1:\(ports[0])"
        var nodes: [ServerProcess] = []
        defer { for node in nodes { node.kill() } }
        var lines: [LoadConnection] = []
        for port in ports {
            let node = try await ServerProcess.startForTrial(
                ["--public-url", url, "--data", Built.temporaryFolder()], port: port, environment: environment)
            nodes.append(node)
            for _ in 0..<32 { lines.append(try await node.connect()) }
        }
        try await test(
            World(
                url: url, settings: settings, environment: environment, nodes: nodes, lines: lines, backEnd: backEnd,
                account: account.id.text))
    }

    @Test("one proof to 64 posts at two processes opens one session")
    func proofs() async throws {
        try await with { world in
            let (device, _) = try await world.device()
            for round in 0..<20 {
                let (challenge, nonce) = try await device.challenge(over: world.lines[round])
                let proof = device.proof(challenge)
                let answers = try await world.race { try await device.redeem(proof, nonce: nonce, over: $0) }
                #expect(answers.count { $0.status == 200 } == 1, "round \(round)")
                #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 }, "round \(round)")
            }
        }
    }

    @Test("one refresh token to 64 posts at two processes has one successor")
    func refreshes() async throws {
        try await with { world in
            let (device, _) = try await world.device()
            var token = try await device.signIn(over: world.lines[0]).refreshToken
            for round in 0..<10 {
                let form = "grant_type=refresh_token&refresh_token=\(token)"
                let answers = try await world.race {
                    try await world.post("/v1/token", form, type: "application/x-www-form-urlencoded", by: device, over: $0)
                }
                let successors = Set(
                    try answers.filter { $0.status == 200 }.map {
                        try device.read(TokenAnswer.self, $0, expecting: 200).refreshToken
                    })
                #expect(successors.count == 1, "round \(round)")
                token = try #require(successors.first)
            }
        }
    }

    @Test("wrong PINs to two processes at once are counted to the last, and the right PIN is refused after them")
    func wrongPINs() async throws {
        try await with { world in
            let (device, handle) = try await world.device(as: .pin)
            let stranger = LoadDevice(server: world.url)
            let answers = try await world.race { line in
                let (challenge, nonce) = try await device.challenge(.signIn, [handle], over: line)
                let right = device.proof(challenge, as: handle).split(separator: ".")
                let other = stranger.proof(challenge, as: handle).split(separator: ".")
                return try await device.redeem([right[0], right[1], other[2]].joined(separator: "."), nonce: nonce, over: line)
            }
            #expect(answers.allSatisfy { $0.status == 400 })
            #expect(try world.read("SELECT CAST(wrong_in_a_row AS TEXT) FROM keys WHERE kind = 'pin'") == ["64"])
            let (challenge, nonce) = try await device.challenge(.signIn, [handle], over: world.lines[63])
            let right = try await device.redeem(device.proof(challenge, as: handle), nonce: nonce, over: world.lines[0])
            #expect(right.status == 400)
        }
    }

    @Test("an account has no more devices than its quota, however many are enrolled at two processes at once")
    func quotas() async throws {
        try await with { world in
            // The password is checked before, because a server hashes few of them at a time.
            var tickets: [(device: LoadDevice, ticket: String, challenge: String)] = []
            for number in 0..<24 {
                let (device, line) = (LoadDevice(server: world.url), world.lines[number * 2])
                let challenge = try await device.challenge(.enrol, [device.sessionKid, device.kid], over: line).challenge
                let request = PasswordSignInRequest(account: ServerProcess.account, password: ServerProcess.password)
                let answer = try await world.post(
                    "/v1/accounts/sign-in", String(decoding: Signing.encode(request), as: UTF8.self), by: device, over: line)
                tickets.append((device, try device.read(EnrolmentTicket.self, answer, expecting: 200).ticket, challenge))
            }
            let answers = try await withThrowingTaskGroup { [tickets] group in
                for (number, (device, ticket, challenge)) in tickets.enumerated() {
                    group.addTask {
                        let request = EnrolRequest(ticket: ticket, name: "Load", keys: device.registrations(challenge))
                        let body = String(decoding: Signing.encode(request), as: UTF8.self)
                        return try await world.post("/v1/devices", body, by: device, over: world.lines[number * 2])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1.status) }
            }
            #expect(answers.count { $0 == 201 } == Limits.devices, "\(answers)")
            #expect(try world.read("SELECT CAST(count(*) AS TEXT) FROM devices") == ["\(Limits.devices)"])
        }
    }

    @Test("an approval is redeemed once, however many redemptions two processes get at once")
    func redemptions() async throws {
        try await with { world in
            let (device, _) = try await world.device()
            let line = world.lines[0]
            let token = try await world.backEnd.accessToken(of: world.url, over: line).token
            let transaction = """
                {"payload":{"amount":"12.50","currency":"EUR","payee":{"id":"DE75512108001245126199","name":"Super Store"},\
                "transaction_id":"once"},"type":"urn:eudi:sca:payment:1"}
                """
            @Sendable func send(
                _ path: String, _ json: String, key: String? = nil, over line: LoadConnection
            ) async throws -> LoadConnection.Answer {
                let body = Array(json.utf8)
                let headers = try await world.backEnd.headers("POST", path, body, token: token, of: world.url, over: line)
                return try await line.send(
                    "POST", path, type: "application/json", headers: headers + (key.map { [("Idempotency-Key", $0)] } ?? []),
                    body: body)
            }
            let created = try await send(
                "/v1/approvals", #"{"account":"\#(world.account)","transaction":\#(transaction)}"#, over: line)
            let path = "/v1/approvals/\(try JSONDecoder().decode(ApprovalRecord.self, from: Data(created.body)).id)"
            let asked = try await world.post(path + "/challenge", #"{"kids":["\#(device.kid)"]}"#, by: device, over: line)
            let challenge = try device.read(ChallengeAnswer.self, asked, expecting: 200).challenge
            let signed = try await world.post(
                path + "/proofs", #"{"proof":"\#(device.proof(challenge))"}"#, by: device, over: world.lines[63])
            #expect(signed.status == 200, "\(String(decoding: signed.body, as: UTF8.self))")
            let answers = try await world.race { line in
                try await send(path + "/redeem", #"{"transaction":\#(transaction)}"#, key: UUID().uuidString, over: line)
            }
            #expect(answers.count { $0.status == 200 } == 1, "\(Set(answers.map(\.status)))")
        }
    }

    @Test("a process that is killed in the middle of requests loses nothing that it answered, and the other one goes on")
    func killed() async throws {
        try await with { world in
            var devices: [LoadDevice] = []
            for _ in 0..<8 { devices.append(try await world.device().device) }
            let goal = Int.random(in: 100...200)
            print("killed after about \(goal) sign-ins; the moment is not repeatable")
            let load = Load()
            await withTaskGroup { group in
                for (number, line) in world.lines.enumerated() where number % 4 == 0 {
                    let device = devices[number / 4 % 8]
                    group.addTask {
                        while !load.isOver {
                            guard let (challenge, nonce) = try? await device.challenge(over: line) else { return }
                            let proof = device.proof(challenge)
                            guard let answer = try? await device.redeem(proof, nonce: nonce, over: line),
                                let tokens = try? device.read(TokenAnswer.self, answer, expecting: 200)
                            else { return }
                            let count = load.add(device, proof, tokens.accessToken)
                            if count == goal { world.nodes[0].kill() }
                            if count >= 2 * goal { load.end() }
                        }
                    }
                }
            }
            let signIns = load.signIns
            #expect(signIns.count >= 2 * goal, "the other process went on")
            // A device has 32 sessions, and a further one ends the oldest; the last one may not have been answered.
            let newest = Set(
                Dictionary(grouping: signIns, by: { $0.device.sessionKid }).values.flatMap { $0.suffix(24).map(\.token) })
            var (lost, twice) = (0, 0)
            for signIn in signIns {
                let (device, proof, token) = (signIn.device, signIn.proof, signIn.token)
                let line = world.lines[63]
                let nonce = try await device.challenge(over: line).nonce
                if newest.contains(token), try await device.get("/v1/me", token: token, nonce: nonce, over: line).status != 200 {
                    lost += 1
                }
                let fresh = try await device.challenge(over: line).nonce
                if try await device.redeem(proof, nonce: fresh, over: line).status == 200 { twice += 1 }
            }
            #expect(lost == 0 && twice == 0)
            print("killed: \(signIns.count) sign-ins answered, \(lost) lost, \(twice) accepted twice")
            try await world.command("audit", "verify")
        }
    }

    @Test("a dump of pg_dump that is put back beside running processes begins an epoch", arguments: [false, true])
    func dumps(_ isDataOnly: Bool) async throws {
        try await with { world in
            let file = Built.temporaryFolder() + ".sql"
            defer { try? FileManager.default.removeItem(atPath: file) }
            let (device, _) = try await world.device()
            let before = try await device.signIn(over: world.lines[0])
            let (challenge, _) = try await device.challenge(over: world.lines[0])
            func psql(_ command: String, _ arguments: String...) async throws {
                let address = try #require(world.environment["THUMBTURN_DATABASE"])
                let done = try await Built.run("/usr/bin/env", [command] + arguments + ["-d", address])
                #expect(done.status == 0, "\(done.errors)")
            }
            try await psql("pg_dump", "-n", "thumbturn", isDataOnly ? "--data-only" : "--clean", "-f", file)
            let nonce = try await device.challenge(over: world.lines[0]).nonce
            #expect(try await device.redeem(device.proof(challenge), nonce: nonce, over: world.lines[0]).status == 200)
            if isDataOnly {
                let tables = """
                    DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || string_agg('thumbturn.' || tablename, ', ')
                    FROM pg_tables WHERE schemaname = 'thumbturn'); END $$
                    """
                try await psql("psql", "-1", "-v", "ON_ERROR_STOP=1", "-c", tables, "-f", file)
            } else {
                try await psql("psql", "-1", "-v", "ON_ERROR_STOP=1", "-f", file)
            }
            // The rows are those from before the challenge was used.
            for line in [world.lines[0], world.lines[63]] {
                let fresh = try await device.challenge(over: line).nonce
                let again = try await device.redeem(device.proof(challenge), nonce: fresh, over: line)
                #expect(again.status != 200, "it is accepted twice")
                let form = "grant_type=refresh_token&refresh_token=\(before.refreshToken)"
                let refreshed = try await world.post(
                    "/v1/token", form, type: "application/x-www-form-urlencoded", by: device, over: line)
                #expect(refreshed.status != 200, "an epoch has begun")
            }
            // The first requests read the secrets of the new epoch.
            var signIns = 0
            for line in world.lines { if (try? await device.signIn(over: line)) != nil { signIns += 1 } }
            #expect(signIns > 32, "both processes go on by themselves")
        }
    }

    @Test(
        "a promise of synchronous replication is a warning where PostgreSQL waits for no replica",
        arguments: ["synchronous", "asynchronous"])
    func promises(_ replication: String) async throws {
        let database = try ScratchDatabase(beside: PostgresAddress(#require(postgres)))
        defer { try? database.remove() }
        let log = try await ServerProcess.log(
            of: ["--public-url", "http://localhost", "--replication", replication], port: try await Built.freePort(),
            environment: ["THUMBTURN_DATABASE": database.address])
        #expect(log.contains("synchronous_standby_names is empty") == (replication == "synchronous"), "\(log)")
    }

    @Test("a backup under load is whole, and its restore under load ends all sessions and accepts no challenge twice")
    func backups() async throws {
        try await with { world in
            let file = Built.temporaryFolder() + ".sqlite"
            defer { try? FileManager.default.removeItem(atPath: file) }
            var devices: [LoadDevice] = []
            for _ in 0..<4 { devices.append(try await world.device().device) }
            let before = try await devices[0].signIn(over: world.lines[0]).accessToken
            let (signIns, signedIn) = AsyncStream.makeStream(of: Void.self)
            let load = Load()
            try await withThrowingTaskGroup { group in
                for (number, line) in world.lines.enumerated() where number % 8 == 0 {
                    let device = devices[number / 8 % 4]
                    group.addTask {
                        while !load.isOver {
                            let (challenge, nonce) = try await device.challenge(over: line)
                            let proof = device.proof(challenge)
                            let answer = try await device.redeem(proof, nonce: nonce, over: line)
                            // While the rows are replaced, writers wait; after the restore the open challenges are void.
                            #expect([200, 400, 503].contains(answer.status))
                            if answer.status == 200 { load.add(device, proof, "") }
                            signedIn.yield()
                        }
                    }
                }
                var next = signIns.makeAsyncIterator()
                for _ in 0..<50 { await next.next() }
                try await world.command("backup", file)
                for _ in 0..<50 { await next.next() }
                try await world.command("restore", file, "--yes")
                for _ in 0..<50 { await next.next() }
                load.end()
                try await group.waitForAll()
            }
            let nonce = try await devices[0].challenge(over: world.lines[0]).nonce
            let me = try await devices[0].get("/v1/me", token: before, nonce: nonce, over: world.lines[63])
            #expect(me.status == 401, "an epoch has begun")
            var twice = 0
            for signIn in load.signIns {
                let nonce = try await signIn.device.challenge(over: world.lines[0]).nonce
                if try await signIn.device.redeem(signIn.proof, nonce: nonce, over: world.lines[0]).status == 200 { twice += 1 }
            }
            #expect(twice == 0)
            _ = try await devices[0].signIn(over: world.lines[63])
            try await world.command("audit", "verify")
        }
    }
}
#endif
