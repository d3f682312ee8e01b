#if Tools
import Dispatch
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
import ThumbturnVerifier
@testable import ThumbturnServer

/// A restored database does not know what has been consumed since its backup, so nothing of the earlier epoch is accepted.
@Suite struct EpochTests {
    /// The credentials of the earlier epoch: tokens, a challenge whose proof was used, one whose proof was not, a ticket.
    struct Held: Sendable {
        var ada: LiveServer.Enrolled
        var tokens: TokenAnswer
        var usedProof: String
        var freshProof: String
        var assertion: String
    }

    private static let database = "/thumbturn.sqlite"

    private func temporary(_ body: (String) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// A backup is made, then a proof is used, then the backup takes the database's place by `restore`, and the server starts again.
    private func story(
        _ restore: @escaping @Sendable (_ folder: String, _ backup: String) async throws -> Void,
        then: @escaping @Sendable (LiveServer, Held) async throws -> Void
    ) async throws {
        try await temporary { folder in
            let clock = TestClock()
            let backup = folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            let held = Box<Held>()
            let port = try await LiveServer.freePort()
            let url = "http://127.0.0.1:\(port)"
            try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
                let ada = LiveServer.Enrolled(device: LoadDevice(server: url), connection: try await live.connect())
                try await ada.device.enrol(account: "ada", password: LiveServer.password, over: ada.connection)
                let bank = try await live.backEnd([.introspect])
                try await live.service.store.backUp(to: backup)
                let (challenge, nonce) = try await ada.challenge()
                let proof = ada.device.proof(challenge)
                let tokens = try await ada.redeem(proof, nonce: nonce).read(TokenAnswer.self)
                let assertion = try BackEnd(id: "bank", url: url, key: bank.key, connection: bank.connection)
                    .assertion(at: clock.now, claims: ["exp": clock.now.seconds + 300])
                held.set(
                    Held(
                        ada: ada, tokens: tokens, usedProof: proof,
                        freshProof: ada.device.proof(try await ada.challenge().challenge), assertion: assertion))
            }
            try await restore(folder, backup)
            clock.advance(by: .seconds(10))
            try await LiveServer.run(folder: folder, publicURL: url, clock: clock) { live in
                var held = try #require(held.value)
                held.ada = LiveServer.Enrolled(device: held.ada.device, connection: try await live.connect())
                try await then(live, held)
            }
        }
    }

    /// Every credential of the earlier epoch is refused, and every device can sign in again.
    @Sendable private func nothingIsRevived(_ live: LiveServer, _ held: Held) async throws {
        let ada = held.ada
        for proof in [held.usedProof, held.freshProof] {
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).problem?.error == "invalid_grant")
        }
        #expect(try await ada.refresh(held.tokens.refreshToken).problem?.error == "invalid_grant")
        #expect(try await ada.get("/v1/me", token: held.tokens.accessToken).problem?.error == "invalid_token")
        await #expect(throws: RequestError.self) { _ = try await live.service.client(asserting: held.assertion) }
        let tokens = try await ada.signIn()
        #expect(try await ada.refresh(tokens.refreshToken).status == 200, "the device signs in anew")
    }

    @Test func restoringABackupBeginsAnEpochAndMakesNothingValidAgain() async throws {
        try await story { folder, backup in
            let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
            try await EmbeddedServer(settings).restore(from: backup)
        } then: { live, held in
            #expect(!live.service.store.wasRestored, "the command knew it already")
            try await nothingIsRevived(live, held)
        }
    }

    @Test func aDatabaseThatWasPutBackByHandIsNoticed() async throws {
        try await story { folder, backup in
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder + Self.database + end) }
            try FileManager.default.copyItem(atPath: backup, toPath: folder + Self.database)
        } then: { live, held in
            #expect(live.service.store.wasRestored)
            try await nothingIsRevived(live, held)
        }
    }

    @Test func aDatabaseWithoutItsMarkIsNoticed() async throws {
        try await story { folder, _ in
            try FileManager.default.removeItem(atPath: folder + Self.database + ".mark")
        } then: { live, held in
            #expect(live.service.store.wasRestored)
            try await nothingIsRevived(live, held)
        }
    }

    @Test func aFolderThatWasCopiedIsNoticed() async throws {
        try await story { folder, _ in
            try FileManager.default.moveItem(atPath: folder, toPath: folder + ".old")
            try FileManager.default.copyItem(atPath: folder + ".old", toPath: folder)
            try FileManager.default.removeItem(atPath: folder + ".old")
        } then: { live, held in
            #expect(live.service.store.wasRestored)
            try await nothingIsRevived(live, held)
        }
    }

    @Test func aRestartIsNotARestore() async throws {
        try await story { _, _ in
        } then: { live, held in
            #expect(!live.service.store.wasRestored)
            let ada = held.ada
            #expect(try await ada.redeem(held.usedProof, nonce: try await ada.nonce()).status == 400)
            #expect(try await ada.redeem(held.freshProof, nonce: try await ada.nonce()).status == 200)
            #expect(try await ada.refresh(held.tokens.refreshToken).status == 200)
            _ = try await live.service.client(asserting: held.assertion)
        }
    }

    /// A running server has the secrets of the old epoch until it reads the new ones. Until then it accepts nothing.
    @Test func aRunningServerAcceptsNothingOfTheOldEpoch() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let tokens = try await ada.signIn()
            let proof = ada.device.proof(try await ada.challenge().challenge)
            let backup = live.folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await live.service.store.backUp(to: backup)
            let other = try await EmbeddedServer(ServerSettings(publicURL: "http://localhost", dataFolder: live.folder))
            try await other.restore(from: backup)
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).status == 503)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).status == 401)
            // The first refusal makes it read the new secrets, once in a second.
            live.clock.advance(by: .seconds(1))
            #expect(try await ada.refresh(tokens.refreshToken).status != 200)
            #expect(try await ada.redeem(proof, nonce: try await ada.nonce()).status == 400)
            #expect(try await ada.refresh(tokens.refreshToken).status == 400)
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    /// The operator removed the back end after the backup was made.
    @Test("a restore does not revive tokens that have no session", arguments: [true, false])
    func tokensWithoutASession(_ isSameSecond: Bool) async throws {
        try await LiveServer.plain { live in
            let bank = try await live.backEnd([.introspect])
            let app = try await PlainClient(live)
            let (old, plain) = (try await bank.accessToken(at: live.clock.now), try await app.token())
            let jkt = bank.signer.sessionKid
            _ = try await live.service.client(token: old, boundTo: jkt)
            #expect(try await live.service.plainClaims(of: plain) != nil)
            let backup = live.folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            try await live.server.backUp(to: backup)
            try await live.server.removeClient(named: "bank")
            if !isSameSecond { live.clock.advance(by: .seconds(10)) }
            try await live.server.restore(from: backup)

            await #expect(throws: RequestError.self) { _ = try await live.service.client(token: old, boundTo: jkt) }
            #expect(try await live.service.plainClaims(of: plain) == nil)
            // Assertions of the second in which the epoch began, and of a minute before, are refused.
            live.clock.advance(by: .seconds(61))
            let new = try await bank.accessToken(at: live.clock.now)
            expect(try await live.service.client(token: new, boundTo: jkt).id, is: "bank")
            #expect(try await live.service.plainClaims(of: try await app.token()) != nil)
        }
    }

    /// The server judges a proof with the secrets of one epoch, and learns of the next epoch before it writes.
    @Test(
        "a proof that was judged with old secrets is not accepted in the new epoch",
        arguments: ["sign-in", "step-up", "enrolment"])
    func inBetween(_ what: String) async throws {
        let meanwhile = Box<@Sendable () async throws -> Void>()
        try await LiveServer.run(beforeSpending: { try? await meanwhile.value?() }) { live in
            let ada = try await live.device()
            let new = try await EnrolmentTests.Attempt(live)
            meanwhile.set {
                try await live.service.store.beginEpoch()
                try await live.service.secrets.reload()
            }
            switch what {
            case "sign-in":
                let (challenge, nonce) = try await ada.challenge()
                #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).problem?.error == "invalid_grant")
            case "step-up":
                let answer = try await StepUpTests.send(try await StepUpTests.draft(ada), ada, "&act=card-details")
                #expect(answer.problem?.error == "invalid_grant")
            default: #expect(try await new.enrol().kind == "verification-failed")
            }
            meanwhile.set {}
            #expect(try await ada.signIn().tokenType == "DPoP")
            #expect(try await new.enrol().kind == "ok")
        }
    }

    /// The key that signed when the backup was made has been retired since, or was revoked because it leaked.
    @Test("a restored backup revives no signing key", arguments: ["rotated", "retired", "revoked"], [true, false])
    func keys(_ what: String, _ byHand: Bool) async throws {
        try await temporary { folder in
            let clock = TestClock()
            let backup = folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            func open() async throws -> AuthorizationServer {
                try await AuthorizationServer(
                    try ServerSettings(publicURL: "http://localhost", dataFolder: folder), clock: clock.node)
            }
            func kids(_ server: AuthorizationServer) -> [String] { server.jwks.keys.compactMap(\.kid) }
            var server = try await open()
            let old = kids(server)[0]
            try await EmbeddedServer(server).backUp(to: backup)
            try await server.secrets.rotateTokenKey()
            clock.advance(by: .seconds(601))
            let newer = kids(server)[0]
            #expect(newer != old)
            if what == "retired" {
                clock.advance(by: .seconds(900))
                try await server.tidy()
            }
            if what == "revoked" { try await EmbeddedServer(server).revokeTokenKey(old) }

            if byHand {
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder + Self.database + end) }
                try FileManager.default.copyItem(atPath: backup, toPath: folder + Self.database)
            } else {
                try await EmbeddedServer(server).restore(from: backup)
            }
            server = try await open()
            let now = kids(server)
            #expect(![old, newer].contains(now[0]), "a new key signs")
            if !byHand {
                #expect(now.contains(newer), "the newer key verifies until its tokens end")
                #expect(now.contains(old) == (what == "rotated"), "and the old one only if its tokens may live")
            }
            clock.advance(by: .seconds(100_000))
            #expect(server.secrets.current.signer(at: clock.now).kid == now[0], "no former key ever signs")
            try await server.tidy()
            #expect(kids(server) == [now[0]])
            let archived = try await EmbeddedServer(server).archivedJWKS()
            #expect(archived.contains(old) == (what != "revoked" || byHand), "receipts of before are verified still")
            #expect(archived.contains(newer) == !byHand)
        }
    }

    @Test("a command that meets a database which was put back dates the epoch by its clock", arguments: [true, false])
    func commandBeginsEpoch(_ byHand: Bool) async throws {
        try await temporary { folder in
            let clock = TestClock()
            let backup = folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            func open(_ use: DataUse) async throws -> EmbeddedServer {
                let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
                return EmbeddedServer(try await AuthorizationServer(settings, for: use, clock: clock.node))
            }
            let server = try await open(.serving)
            try await server.backUp(to: backup)
            clock.advance(by: .seconds(3600))
            if byHand {
                try await server.service.store.raise(policyVersions: [:])
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder + Self.database + end) }
                try FileManager.default.copyItem(atPath: backup, toPath: folder + Self.database)
                expect(try await open(.command).service.store.epoch().began, is: clock.now)
            } else {
                let command = try await open(.beginning)
                try await command.beginEpoch()
                expect(try await command.service.store.epoch().began, is: clock.now)
            }
        }
    }

    @Test func aRetiredKeyThatWasRevokedAfterTheBackupStaysRevoked() async throws {
        try await temporary { folder in
            let clock = TestClock()
            let backup = folder + ".backup"
            defer { try? FileManager.default.removeItem(atPath: backup) }
            func open() async throws -> EmbeddedServer {
                try await EmbeddedServer(
                    AuthorizationServer(
                        try ServerSettings(publicURL: "http://localhost", dataFolder: folder), clock: clock.node))
            }
            let server = try await open()
            let old = try #require(server.service.jwks.keys.first?.kid)
            try await server.service.secrets.rotateTokenKey()
            clock.advance(by: .seconds(1501))
            try await server.service.tidy()
            try await server.backUp(to: backup)
            #expect(try await server.archivedJWKS().contains(old))
            try await server.revokeTokenKey(old)
            try await server.restore(from: backup)
            let restored = try await open()
            #expect(try await restored.archivedJWKS().contains(old) == false)
            #expect(try await restored.archivedJWKS(withRevoked: true).contains(old))
        }
    }

    /// The clock was five days ahead when the backup was made.
    @Test("a backup from days of a wrong clock does not bring the wrong time back", arguments: [true, false])
    func wrongTime(_ isSetRight: Bool) async throws {
        try await temporary { folder in
            let (clock, backup) = (TestClock(), folder + ".backup")
            defer { try? FileManager.default.removeItem(atPath: backup) }
            func open(_ use: DataUse = .serving) async throws -> AuthorizationServer {
                try await AuthorizationServer(
                    try ServerSettings(publicURL: "http://localhost", dataFolder: folder), for: use, clock: clock.node)
            }
            let right = clock.now
            clock.step(by: .seconds(5 * 86_400))
            let wrong = clock.now
            let first = try await open()
            try await EmbeddedServer(first).backUp(to: backup)
            let old = first.jwks.keys.compactMap(\.kid)
            clock.step(by: .seconds(-5 * 86_400))
            if isSetRight { try await open(.command).setTime() }

            let restored = try await EmbeddedServer(try await open(.restoring)).restored(from: backup)
            guard isSetRight else {
                #expect(restored == .ahead(wrong), "the clock may be the wrong one: it is behind the replaced database, too")
                await #expect(throws: SetupError.self) { _ = try await open() }
                try await open(.command).setTime()
                #expect(try await open().time.now == right)
                return
            }
            #expect(restored == .set(from: wrong, to: right))
            let server = try await open()
            #expect(server.store.foundTime == right && server.time.now == right)
            let keys = server.jwks.keys.compactMap(\.kid)
            #expect(keys.count == 1 && Set(keys).isDisjoint(with: old), "the former keys end at once")
            let archived = try await EmbeddedServer(server).archivedJWKS()
            #expect(old.allSatisfy { archived.contains($0) }, "and old receipts are verified still")
            let rows = try await server.store.auditRows(after: 0, limit: .max)
            #expect(rows.contains { $0.event.contains(#""event":"time-set""#) && $0.at == right })
            #expect(try await EmbeddedServer(server).verifyAuditLog().rows == rows.count)
        }
    }

    @Test func aBackupOfAnotherMasterKeyIsRefusedBeforeAnythingChanges() async throws {
        try await temporary { folder in
            let (first, second, backup) = (folder + "/first", folder + "/second", folder + "/backup")
            func server(_ path: String) async throws -> EmbeddedServer {
                try await EmbeddedServer(try ServerSettings(publicURL: "http://localhost", dataFolder: path))
            }
            let one = try await server(first)
            try await one.addAccount(named: "eve", password: LiveServer.password)
            _ = try await one.setOneTimeCodes(ofAccountNamed: "eve")
            try await one.backUp(to: backup)
            let two = try await server(second)
            try await two.addAccount(named: "ada", password: LiveServer.password)
            let error = await #expect(throws: SetupError.self) { try await two.restore(from: backup) }
            #expect(error?.description.contains("nothing was restored") == true)
            #expect(try await two.devices(ofAccountNamed: "ada").isEmpty, "ada is there")

            let text = try String(contentsOfFile: first + "/master.key", encoding: .utf8)
            let key = try MasterKey(bytes: try #require(Base64URL.decode(text)))
            try await two.restore(from: backup, backupKey: key)
            let restored = try await server(second)
            #expect(try await restored.devices(ofAccountNamed: "eve").isEmpty)
            let sealed = try #require(try await restored.service.store.account(named: "eve")?.oneTimeSecret)
            #expect(try restored.service.secrets.unsealOneTime(sealed).count >= 16, "sealed with this server's key now")
        }
    }

    @Test func aBackupIsRestoredIntoAFolderThatHasOnlyItsMasterKey() async throws {
        try await temporary { folder in
            let (first, second, backup) = (folder + "/first", folder + "/second", folder + "/backup")
            func settings(_ path: String) throws -> ServerSettings {
                try ServerSettings(publicURL: "http://localhost", dataFolder: path)
            }
            let one = try await EmbeddedServer(try settings(first))
            try await one.addAccount(named: "eve", password: LiveServer.password)
            try await one.backUp(to: backup)
            func restore() async throws {
                try await EmbeddedServer.restore(from: backup, into: try settings(second), backupKey: nil)
            }

            await #expect(throws: SetupError.self, "no folder") { try await restore() }
            try FileManager.default.createDirectory(
                atPath: second, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            await #expect(throws: SetupError.self, "no key") { try await restore() }
            try MasterKey.write([UInt8](repeating: 1, count: 32), to: second + "/master.key")
            await #expect(throws: SetupError.self, "another key") { try await restore() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: second) == ["master.key"], "nothing was made")
            try FileManager.default.removeItem(atPath: second + "/master.key")
            try FileManager.default.copyItem(atPath: first + "/master.key", toPath: second + "/master.key")
            try await restore()
            #expect(try await EmbeddedServer(try settings(second)).devices(ofAccountNamed: "eve").isEmpty)
        }
    }

    @Test func anOperatorBeginsAnEpoch() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let tokens = try await ada.signIn()
            try await live.server.beginEpoch()
            try await live.service.tidy()
            #expect(try await ada.refresh(tokens.refreshToken).status == 400)
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test func anUnfinishedApprovalEndsWithItsEpoch() async throws {
        try await temporary { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/store.sqlite"
            let store = try SQLStore(path: path, time: NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node))
            let states = ["open", "approved", "redeemed", "declined", "withdrawn", "expired"]
            try store.pool.write { db in
                try db.execute(sql: "INSERT INTO accounts (id, name, password_hash, created_at) VALUES (x'01', 'ada', 'x', 1)")
                for (number, state) in states.enumerated() {
                    try db.execute(
                        sql: """
                            INSERT INTO approvals
                                (id, creator, transaction_id, account_id, txn, demand, created_at, expires_at, state)
                            VALUES (?, 'bank', ?, x'01', '', '', 1, 2000000, ?)
                            """,
                        arguments: [Data([UInt8(number)]), "\(number)", state])
                }
            }
            try await store.beginEpoch()
            let after = try await store.pool.read { try String.fetchAll($0, sql: "SELECT state FROM approvals ORDER BY id") }
            #expect(after == ["expired", "expired", "redeemed", "declined", "withdrawn", "expired"])
        }
    }

    @Test func recoveryCodesAndOneTimeCodesEndWithTheirEpoch() async throws {
        try await temporary { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let time = NodeTime(TestClock(UnixTime(seconds: 3_000_000)).node)
            let store = try SQLStore(path: folder + "/store.sqlite", time: time)
            try store.pool.write { db in
                try db.execute(sql: "INSERT INTO accounts (id, name, password_hash, created_at) VALUES (x'01', 'ada', 'x', 1)")
                try db.execute(sql: "INSERT INTO recovery_codes (account_id, hash) VALUES (x'01', x'02')")
            }
            try await store.beginEpoch()
            let (codes, step) = try await store.pool.read { db in
                (
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM recovery_codes"),
                    try Int.fetchOne(db, sql: "SELECT one_time_last FROM accounts")
                )
            }
            #expect(codes == 0 && step == 100_001, "a code of the next half minute may have been used, and none after it")
        }
    }

    /// Opens a database as a process does at its start.
    private func opens(_ path: String) throws -> SQLStore {
        try SQLStore(path: path, time: NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node))
    }

    @Test func processesThatOpenANewDatabaseAtOnceFindNoRestore() async throws {
        for _ in 0..<20 {
            try await temporary { folder in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let path = folder + "/store.sqlite"
                // The folder's lock keeps the tables' making apart.
                let pool = try DatabasePool(path: path)
                try Schema.migrator.migrate(pool)
                try pool.close()
                let restored = try await withThrowingTaskGroup { group in
                    for number in 0..<6 {
                        group.addTask {
                            let store = try opens(path)
                            // The first write comes at once, while others are still opening.
                            for step in 0..<5 {
                                let name = "\(number) \(step)"
                                _ = try await store.addAccount(Account(id: .random(), name: name, passwordHash: "x"))
                            }
                            return store.wasRestored
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(restored == 0)
            }
        }
    }

    /// One process has made the database and has not written anything else yet.
    @Test func aMarkIsThereBeforeAnotherProcessSeesTheDatabase() async throws {
        try await temporary { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/store.sqlite"
            let pool = try SQLitePool(path: path)
            let mark = try #require(pool.mark)
            #expect(mark.read() == nil)
            expect(try Schema.beginEpochIfRestored(pool, mark, NodeTime(TestClock().node)), is: false)
            #expect(mark.read() == 0)
            expect(try opens(path).wasRestored, is: false)
        }
    }

    /// The process that found the mark missing ended before its epoch was written.
    @Test func theSignsOfARestoreStayUntilTheEpochIsCommitted() async throws {
        try await temporary { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/store.sqlite"
            _ = try await opens(path).addAccount(Account(id: .random(), name: "ada", passwordHash: "x"))
            try FileManager.default.removeItem(atPath: path + ".mark")
            // Only the files were opened.
            _ = try CommitMark(beside: path)
            expect(try opens(path).wasRestored, is: true)
            expect(try opens(path).wasRestored, is: false)
        }
    }

    @Test func aMarkThatIsHalfWrittenIsReadAgain() throws {
        let path = LiveServer.temporaryFolder()
        defer { for end in [".mark", ".place"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let mark = try CommitMark(beside: path)
        mark.record(99)
        #expect(mark.read() == 99)
        let handle = try #require(FileHandle(forWritingAtPath: path + ".mark"))
        try handle.write(contentsOf: Data("0000000000000000199".utf8))
        #expect(mark.read() == nil, "the halves differ")
        // One writes, one reads: no number is ever seen that was not written.
        DispatchQueue.concurrentPerform(iterations: 2) { side in
            for number in Int64(1)...20_000 {
                if side == 0 { mark.record(number) } else if let seen = mark.read(), seen > 20_000 { Issue.record("\(seen)") }
            }
        }
    }

    @Test func aFileThatIsNotABackupIsRefused() async throws {
        try await LiveServer.run { live in
            let server = live.server
            let error = await #expect(throws: SetupError.self) { try await server.restore(from: "/nowhere") }
            #expect(error?.description.contains("thumbturn-server backup") == true)
            await #expect(throws: SetupError.self) { try await server.restore(from: live.folder + "/master.key") }
            await #expect(throws: SetupError.self) { try await server.backUp(to: live.folder + "/master.key") }
            let ada = try await live.device()
            #expect(try await ada.signIn().tokenType == "DPoP", "and nothing has changed")
        }
    }
}

/// One value that a test hands from one server to the next.
final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)
    var value: Value? { content.withLock { $0 } }
    func set(_ value: Value) { content.withLock { $0 = value } }
}
#endif
