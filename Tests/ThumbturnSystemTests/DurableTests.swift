#if Tools
import Foundation
import Synchronization
import Testing
import TestSupport
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad

/// Acknowledged changes survive a kill and a power failure.
@Suite(.serialized) struct DurableTests {
    /// A sign-in that the server has acknowledged to the client.
    struct Acknowledged: Sendable {
        var device: LoadDevice
        var proof: String
        var token: String
    }

    /// The acknowledged sign-ins, and the wrong proofs that the server has refused.
    final class Acknowledgements: Sendable {
        private let lists = Mutex<(sessions: [Acknowledged], spent: [(device: LoadDevice, proof: String)])>(([], []))

        var sessions: [Acknowledged] { lists.withLock { $0.sessions } }
        var spent: [(device: LoadDevice, proof: String)] { lists.withLock { $0.spent } }

        /// Adds a session and returns their number.
        func add(_ session: Acknowledged) -> Int {
            lists.withLock { lists in
                lists.sessions.append(session)
                return lists.sessions.count
            }
        }

        func addSpent(_ device: LoadDevice, _ proof: String) {
            lists.withLock { $0.spent.append((device, proof)) }
        }
    }

    private static func buildShim(in folder: String) async throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Shim/unsynced.c").path
        let library = folder + "/unsynced.so"
        let built = try await Built.run(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"])
        guard built.status == 0 else { throw LoadDevice.Unexpected(description: built.errors) }
        return library
    }

    private static var hasCompiler: Bool {
        #if os(Linux)
        Requirement.preload.isMet(["/usr/bin/cc", "/usr/bin/python3"].allSatisfy(FileManager.default.isExecutableFile))
        #else
        Requirement.preload.isMet(false)
        #endif
    }

    /// A check of the shim itself: unsynced writes are lost with the process, and synced writes are kept. Without it the tests
    /// below would prove nothing.
    @Test(.enabled(if: hasCompiler), arguments: ["OFF", "FULL"])
    func theShimLosesUnsyncedWrites(_ synchronous: String) async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shim = try await Self.buildShim(in: folder)
        let database = folder + "/control.sqlite"
        let script = """
            import os, signal, sqlite3
            db = sqlite3.connect("\(database)", isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("CREATE TABLE t (x)")
            db.execute("PRAGMA synchronous = \(synchronous)")
            db.execute("INSERT INTO t VALUES (1)")
            os.kill(os.getpid(), signal.SIGKILL)
            """
        let killed = try await Built.run("/usr/bin/env", ["/usr/bin/python3", "-c", script], environment: ["LD_PRELOAD": shim])
        #expect(killed.status == SIGKILL, "\(killed.errors)")
        let count = try await Built.run(
            "/usr/bin/env",
            [
                "/usr/bin/python3", "-c",
                "import sqlite3; print(sqlite3.connect('\(database)').execute('SELECT count(*) FROM t').fetchone()[0])",
            ]
        )
        #expect(count.output == (synchronous == "FULL" ? "1\n" : "0\n"), "\(count.errors)")
    }

    /// A client's sessions, each with its newest tokens, and whether the server has acknowledged its end.
    private final class Sessions: Sendable {
        struct Session: Sendable {
            var device: LoadDevice
            var token: String
            var accessToken: String
            /// Nil while a revocation is sent and not acknowledged.
            var isOver: Bool? = false
        }

        private let state = Mutex<(sessions: [Session], refreshes: Int)>(([], 0))

        var sessions: [Session] { state.withLock { $0.sessions } }

        func opened(_ device: LoadDevice, _ answer: TokenAnswer) -> Int {
            state.withLock { state in
                state.sessions.append(Session(device: device, token: answer.refreshToken, accessToken: answer.accessToken))
                return state.sessions.count - 1
            }
        }

        /// Records a refresh and returns their number.
        func refreshed(_ index: Int, _ answer: TokenAnswer) -> Int {
            state.withLock { state in
                (state.sessions[index].token, state.sessions[index].accessToken) = (answer.refreshToken, answer.accessToken)
                state.refreshes += 1
                return state.refreshes
            }
        }

        func isOver(_ index: Int, _ isOver: Bool?) { state.withLock { $0.sessions[index].isOver = isOver } }
    }

    private static func post(
        _ path: String, _ form: String, by device: LoadDevice, over connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        let nonce = try await device.challenge(over: connection).nonce
        let body = Array(form.utf8)
        return try await connection.send(
            "POST", path, type: "application/x-www-form-urlencoded",
            headers: [("DPoP", device.dpop("POST", path, body, nonce: nonce))], body: body)
    }

    private static func refresh(
        _ token: String, by device: LoadDevice, over connection: LoadConnection
    ) async throws
        -> LoadConnection.Answer
    {
        try await post("/v1/token", "grant_type=refresh_token&refresh_token=\(token)", by: device, over: connection)
    }

    /// The server is killed while sessions are refreshed and revoked: no revoked session is live afterwards, no other session is
    /// lost, and the next start does not count as a restore.
    @Test func refreshesAndRevocationsOutliveAKill() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServerProcess.addAccount(in: folder)
        let port = try await Built.freePort()
        let url = "http://127.0.0.1:\(port)"
        // The devices sign in much more often than a person does.
        let arguments = ["--data", folder, "--public-url", url]
        let server = try await ServerProcess.startForTrial(arguments, port: port)
        var devices: [(LoadDevice, LoadConnection)] = []
        for _ in 0..<8 {
            let (device, connection) = (LoadDevice(server: url), try await server.connect())
            try await device.enrol(account: ServerProcess.account, password: ServerProcess.password, over: connection)
            devices.append((device, connection))
        }
        let goal = Int.random(in: 100...200)
        print("killed after about \(goal) refreshes; the moment is not repeatable")
        let client = Sessions()
        await withTaskGroup { group in
            for (device, connection) in devices {
                group.addTask {
                    while let opened = try? await device.signIn(over: connection) {
                        let index = client.opened(device, opened)
                        for _ in 0..<Int.random(in: 1...6) {
                            let token = client.sessions[index].token
                            guard let answer = try? await Self.refresh(token, by: device, over: connection),
                                let fresh = try? device.read(TokenAnswer.self, answer, expecting: 200)
                            else { return }
                            if client.refreshed(index, fresh) == goal { server.kill() }
                        }
                        guard Bool.random() else { continue }
                        client.isOver(index, nil)
                        let token = client.sessions[index].token
                        let ended = try? await Self.post("/v1/revoke", "token=\(token)", by: device, over: connection)
                        guard ended?.status == 200 else { return }
                        client.isOver(index, true)
                    }
                }
            }
        }
        let killed = ContinuousClock.now
        let again = try await ServerProcess.startForTrial(arguments, port: port)
        defer { again.stop() }
        let connection = try await again.connect()
        var (lost, revived, over) = (0, 0, 0)
        for session in client.sessions {
            guard let isOver = session.isOver else { continue }
            over += isOver ? 1 : 0
            let nonce = try await session.device.challenge(over: connection).nonce
            let me = try await session.device.get("/v1/me", token: session.accessToken, nonce: nonce, over: connection)
            let answer = try await Self.refresh(session.token, by: session.device, over: connection)
            let isLive = me.status == 200 || answer.status == 200
            if isOver, isLive { revived += 1 }
            // If the last answer was lost, the same refresh is repeated, which the server accepts for half a minute.
            if !isOver, me.status != 200 || answer.status != 200, killed.duration(to: .now) < .seconds(25) { lost += 1 }
        }
        #expect(lost == 0 && revived == 0 && over > 0)
        print("killed: \(client.sessions.count) sessions, \(over) ended before, \(lost) lost, \(revived) revived")
    }

    @Test(.enabled(if: hasCompiler)) func acknowledgedSignInsSurviveAPowerFailure() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shim = try await Self.buildShim(in: folder)
        let data = folder + "/data"
        let counters = folder + "/counters"
        try await ServerProcess.addAccount(in: data)
        let port = try await Built.freePort()
        let url = "http://127.0.0.1:\(port)"
        let arguments = ["--data", data, "--public-url", url]
        let server = try await ServerProcess.startForTrial(
            arguments, port: port, environment: ["LD_PRELOAD": shim, "SHIM_COUNTERS": counters])
        var devices: [(LoadDevice, LoadConnection)] = []
        for _ in 0..<16 {
            let (device, connection) = (LoadDevice(server: url), try await server.connect())
            try await device.enrol(account: ServerProcess.account, password: ServerProcess.password, over: connection)
            devices.append((device, connection))
        }

        // The load runs until the server is killed, at a moment that is not synchronised with any request.
        let goal = Int.random(in: 500...1000)
        print("killed after about \(goal) sign-ins; the moment is not repeatable")
        let known = Acknowledgements()
        await withTaskGroup { group in
            for (device, connection) in devices {
                group.addTask {
                    while let (challenge, nonce) = try? await device.challenge(over: connection) {
                        let proof = device.proof(challenge)
                        // About every fourth proof is wrong. Its challenge must be consumed as well.
                        let isWrong = Int.random(in: 0..<4) == 0
                        let sent = isWrong ? String(proof.dropLast(8)) + String(proof.suffix(8).reversed()) : proof
                        guard let answer = try? await device.redeem(sent, nonce: nonce, over: connection) else { return }
                        if let tokens = try? device.read(TokenAnswer.self, answer, expecting: 200) {
                            let count = known.add(Acknowledged(device: device, proof: proof, token: tokens.accessToken))
                            if count == goal { server.kill() }
                        } else if isWrong, answer.status == 400 {
                            known.addSpent(device, proof)
                        }
                    }
                }
            }
        }

        let (sessions, wrong) = (known.sessions, known.spent)
        #expect(sessions.count >= goal && !wrong.isEmpty)
        let tally = try Data(contentsOf: URL(fileURLWithPath: counters))
        let syncs = tally.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        let commits = tally.dropFirst(8).prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        // If the kill comes between the last commit's write and its sync, that commit was not acknowledged.
        #expect(commits > 1 && syncs >= commits - 1, "\(syncs) syncs for \(commits) commits")

        let again = try await ServerProcess.startForTrial(arguments, port: port)
        defer { again.stop() }
        let connection = try await again.connect()
        var (lost, twice) = (0, 0)
        // A device has 32 sessions, and a further one ends the oldest; the last one may not have been acknowledged.
        let newest = Set(
            Dictionary(grouping: sessions, by: { $0.device.sessionKid }).values.flatMap { $0.suffix(30).map(\.token) })
        for session in sessions {
            let nonce = try await session.device.challenge(over: connection).nonce
            let me = try await session.device.get("/v1/me", token: session.token, nonce: nonce, over: connection)
            if newest.contains(session.token), me.status != 200 { lost += 1 }
            if try await session.device.redeem(session.proof, nonce: nonce, over: connection).status == 200 { twice += 1 }
        }
        for (device, proof) in wrong {
            let nonce = try await device.challenge(over: connection).nonce
            if try await device.redeem(proof, nonce: nonce, over: connection).status == 200 { twice += 1 }
        }
        #expect(lost == 0 && twice == 0)
        try await Self.expectAuditLog(in: data, tellsOf: sessions)
        print(
            "durable: \(sessions.count) sessions and \(wrong.count) consumed challenges acknowledged, \(lost) lost, "
                + "\(twice) accepted twice, \(syncs) syncs for \(commits) commits"
        )
    }

    /// The audit log verifies, and no acknowledged sign-in is missing from it.
    private static func expectAuditLog(in data: String, tellsOf sessions: [Acknowledged]) async throws {
        let verified = try await Built.run(Built.path("thumbturn-server"), ["audit", "verify", "--data", data])
        #expect(verified.status == 0, "\(verified.errors)")
        let exported = try await Built.run(Built.path("thumbturn-server"), ["audit", "export", "--data", data])
        struct Row: Decodable {
            var event: String
            var session: String?
        }
        let told = Set(
            try exported.output.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
                .filter { $0.event == "sign-in" }.compactMap(\.session))
        struct Claims: Decodable { var sid: String }
        let missing = try sessions.filter { session in
            let payload = try #require(session.token.split(separator: ".").dropFirst().first)
            let claims = try JSONDecoder().decode(Claims.self, from: Data(try #require(Base64URL.decode(String(payload)))))
            return !told.contains(claims.sid)
        }
        #expect(missing.isEmpty, "\(missing.count) of \(sessions.count) acknowledged sign-ins are missing")
    }

    @Test(.enabled(if: hasCompiler)) func countedAttemptsSurviveAPowerFailure() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shim = try await Self.buildShim(in: folder)
        let data = folder + "/data"
        try await ServerProcess.addAccount(in: data)
        let port = try await Built.freePort()
        let url = "http://127.0.0.1:\(port)"
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", data, "--listen", "127.0.0.1:\(port)"], port: port,
            environment: ["LD_PRELOAD": shim])
        let (device, stranger) = (LoadDevice(server: url), LoadDevice(server: url))
        let connection = try await server.connect()
        try await device.enrol(account: ServerProcess.account, password: ServerProcess.password, over: connection)
        for _ in 1...4 {
            let body = Signing.encode(PasswordSignInRequest(account: ServerProcess.account, password: "wrong horse battery"))
            let nonce = try await stranger.challenge(over: connection).nonce
            let refused = try await connection.send(
                "POST", "/v1/accounts/sign-in", type: "application/json",
                headers: [("DPoP", stranger.dpop("POST", "/v1/accounts/sign-in", body, nonce: nonce))], body: body)
            #expect(refused.status == 401)
            let (challenge, fresh) = try await device.challenge(over: connection)
            let (right, other) = (device.proof(challenge).split(separator: "."), stranger.proof(challenge).split(separator: "."))
            let wrong = [right[0], right[1], other[2]].joined(separator: ".")
            expect(try await device.redeem(wrong, nonce: fresh, over: connection).status, is: 400)
        }
        // The server is killed right after the last answer.
        server.kill()
        let script = """
            import sqlite3
            db = sqlite3.connect("\(data)/thumbturn.sqlite")
            print(db.execute("SELECT wrong FROM throttles WHERE scope = 1").fetchone()[0])
            print(db.execute("SELECT wrong_in_a_row FROM keys WHERE kind = 'biometric'").fetchone()[0])
            """
        let counts = try await Built.run("/usr/bin/env", ["/usr/bin/python3", "-c", script])
        #expect(counts.output == "4\n4\n", "\(counts.errors)")
    }
}
#endif
