#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
@testable import ThumbturnServer

/// What every store must do. Other stores run the same suite.
@Suite struct StoreTests {
    private func with(_ body: (any Store, TestClock) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        try await body(try SQLiteStore(path: folder + "/store.sqlite", time: NodeTime(clock.node)), clock)
    }

    private func spend(_ id: UInt8, _ use: Spend.Use = .challenge, expiresAt: Int64 = 1_000_300) -> Spend {
        Spend(use, id: [UInt8](repeating: id, count: 16), expiresAt: UnixTime(seconds: expiresAt))
    }

    @Test func aThingIsSpentOnce() async throws {
        try await with { store, _ in
            expect(try await store.spend([spend(1)]), is: true)
            expect(try await store.spend([spend(1)]), is: false)
            expect(try await store.spend([spend(1, .ticket)]), is: true, "a ticket is no challenge")
            expect(try await store.spend([spend(2), spend(1)]), is: false, "all of them, or none counts")
            expect(try await store.spend([spend(2)]), is: false, "and what was fresh is spent all the same")
        }
    }

    @Test func parallelSpendsHaveOneWinner() async throws {
        try await with { store, _ in
            for round in UInt8(0)..<20 {
                let wins = try await withThrowingTaskGroup { group in
                    for _ in 0..<64 { group.addTask { try await store.spend([spend(round)]) } }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(wins == 1)
            }
        }
    }

    @Test func whatExpiredCannotBeSpent() async throws {
        try await with { store, clock in
            expect(try await store.spend([spend(1, expiresAt: 1_000_000)]), is: false)
            expect(try await store.spend([spend(1, expiresAt: 1_000_001)]), is: true)
            clock.advance(by: .seconds(300))
            expect(try await store.spend([spend(2)]), is: false)
        }
    }

    @Test("a clock set back revives nothing, purged or not", arguments: [true, false])
    func clockBack(_ purged: Bool) async throws {
        try await with { store, clock in
            expect(try await store.spend([spend(1)]), is: true)
            clock.advance(by: .seconds(301))
            if purged {
                try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            } else {
                _ = try await store.spend([spend(9, expiresAt: 2_000_000)])
            }
            clock.advance(by: .seconds(-3600))
            expect(try await store.spend([spend(1)]), is: false)
            expect(try await store.spend([spend(2)]), is: false, "expired by the highest time that was seen")
        }
    }

    @Test func aRevokedDeviceRevokesNobody() async throws {
        try await with { store, clock in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            var devices: [(device: DeviceID, session: SessionID)] = []
            for number in UInt8(1)...2 {
                let kid = "key \(number)"
                let device = NewDevice(
                    id: .random(), account: account.id, name: "d", sessionJKT: "jkt \(number)",
                    keys: [.init(kid: kid, kind: .biometric, x963: [], isActive: true)], coolOff: .zero
                )
                _ = try await store.enrol(device, spending: [spend(number)])
                let session = NewSession(id: .random(), kid: kid, sessionJKT: "jkt \(number)", tokenHash: [])
                _ = try await store.openSession(session, spending: spend(number + 10))
                devices.append((device.id, session.id))
            }
            let (first, second) = (devices[0], devices[1])
            expect(try await store.revoke(second.device, by: first.session), is: true)
            expect(try await store.revoke(first.device, by: second.session), is: false)
            expect(try await store.session(first.session)?.isLive, is: true)
            clock.advance(by: .seconds(60))
            try await store.purge(sessionsBefore: clock.now)
            expect(try await store.session(first.session)?.isLive, is: nil, "sessions that ended long ago are forgotten")
        }
    }

    @Test func aKeyWithoutItsOwnProofReservesNothing() async throws {
        try await with { store, _ in
            func device(_ name: String, _ number: UInt8, proven: Bool) async throws -> DeviceView? {
                let account = Account(id: .random(), name: name, passwordHash: "x")
                _ = try await store.addAccount(account)
                let device = NewDevice(
                    id: .random(), account: account.id, name: name, sessionJKT: name,
                    keys: [
                        .init(kid: "\(name)'s session", kind: .session, x963: [], isActive: true),
                        .init(kid: "contested", kind: .passcode, x963: [], isActive: proven),
                    ], coolOff: .zero
                )
                return try await store.enrol(device, spending: [spend(number)])
            }
            expect(try await device("thief", 1, proven: false)?.keys.count, is: 2)
            expect(try await device("another", 2, proven: false)?.name, is: nil, "without a proof it is first come, first served")
            expect(try await device("owner", 3, proven: true)?.keys.count, is: 2)
            expect(try await device("late", 4, proven: true)?.name, is: nil)
        }
    }

    @Test func theHighestTimeOutlivesTheProcess() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let late = NodeTime(TestClock(UnixTime(seconds: 5000)).node)
        let first = try SQLiteStore(path: folder + "/store.sqlite", time: late)
        expect(try await first.spend([spend(1, expiresAt: 6000)]), is: true)
        let early = NodeTime(TestClock(UnixTime(seconds: 100)).node)
        _ = try SQLiteStore(path: folder + "/store.sqlite", time: early)
        #expect(early.now == UnixTime(seconds: 5000))
    }

    @Test func commitsAreSynced() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteStore(path: folder + "/store.sqlite", time: NodeTime(.system))
        let durability = try store.durability()
        #expect(durability.synchronous == 2 && durability.journal == "wal")
    }

    @Test func anAccountNameIsUnique() async throws {
        try await with { store, _ in
            expect(try await store.addAccount(Account(id: .random(), name: "ada", passwordHash: "x")), is: true)
            expect(try await store.addAccount(Account(id: .random(), name: "ada", passwordHash: "y")), is: false)
            expect(try await store.account(named: "ada")?.passwordHash, is: "x")
            expect(try await store.account(named: "Ada")?.name, is: nil)
        }
    }
}

@Suite struct SecretsTests {
    @Test func challengeSecretsAreRenewedAndOldOnesStillRecognise() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            live.clock.advance(by: .seconds(24 * 3600 - 10))
            let (challenge, _) = try await ada.challenge()
            live.clock.advance(by: .seconds(20))
            try await live.service.tidy()
            let next = try await ada.challenge().challenge
            #expect(challenge.split(separator: ".")[0] != next.split(separator: ".")[0], "another secret's name")
            let nonce = try await ada.nonce()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).kind == "ok")
            #expect(try await ada.signIn().tokenType == "DPoP")
        }
    }

    @Test("two nodes on one store know each other's challenges, tokens and refreshes")
    func twoNodes() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        try await LiveServer.run(folder: folder, clock: clock) { one in
            try await LiveServer.run(folder: folder, publicURL: one.url, clock: clock) { two in
                let ada = try await one.device()
                let second = LiveServer.Enrolled(device: ada.device, connection: try await two.connect())
                let (challenge, _) = try await ada.challenge()
                let nonce = try await second.nonce()
                let answer = try await second.redeem(ada.device.proof(challenge), nonce: nonce)
                let tokens = try answer.read(TokenAnswer.self)
                #expect(try await ada.get("/v1/me", token: tokens.accessToken).kind == "ok")
                #expect(try await ada.refresh(tokens.refreshToken).kind == "ok")
                let fromOne = try await ada.nonce()
                let elsewhere = try await ada.device.get(
                    "/v1/me", token: tokens.accessToken, nonce: fromOne, over: second.connection)
                #expect(elsewhere.problem?.error == "use_dpop_nonce", "a nonce is one node's, so no proof is replayed on another")

                // Only the second node renews; the first one meets a secret that it does not know yet.
                clock.advance(by: .seconds(25 * 3600))
                try await two.service.tidy()
                let renewed = try await second.challenge().challenge
                let again = try await ada.nonce()
                #expect(try await ada.redeem(ada.device.proof(renewed), nonce: again).kind == "ok")
            }
        }
    }

    @Test func anotherMasterKeyOpensNothing() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func settings(_ byte: UInt8) throws -> ServerSettings {
            try ServerSettings(
                publicURL: "http://localhost", dataFolder: folder,
                masterKey: try MasterKey(bytes: [UInt8](repeating: byte, count: 32)))
        }
        _ = try await Server(settings(1))
        _ = try await Server(settings(1))
        await #expect(throws: SetupError.self) { _ = try await Server(settings(2)) }
    }

    @Test func theDataFolderIsItsOwnersAlone() async throws {
        try await LiveServer.run { live in
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(live.folder) == 0o700)
            #expect(try mode(live.folder + "/master.key") == 0o600)
            let database = try Data(contentsOf: URL(fileURLWithPath: live.folder + "/thumbturn.sqlite"))
            let key = try String(contentsOfFile: live.folder + "/master.key", encoding: .utf8)
            #expect(!database.contains(Data(key.utf8)))
        }
    }

    @Test func settingsHaveNoSecretInTheirDescription() throws {
        let bytes = [UInt8](repeating: 0xAB, count: 32)
        let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: "f", masterKey: try MasterKey(bytes: bytes))
        var text = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &text)
        #expect(!text.lowercased().contains("abab") && !text.contains("171"))
    }
}

@Suite struct PasswordsTests {
    @Test func hashesAreArgon2idWithTheParametersOfOWASP() async throws {
        let passwords = try Passwords()
        let hash = try await passwords.hash("correct horse battery staple")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await passwords.verify("correct horse battery staple", against: hash))
        #expect(try await passwords.verify("correct horse battery stable", against: hash) == false)
        #expect(try await passwords.verify("no account has this password", against: nil) == false)
        let composed = try await passwords.hash("pässword pässword")
        #expect(
            try await passwords.verify("pa\u{308}ssword pa\u{308}ssword", against: composed), "one spelling for each password")
    }

    @Test func beyondTheQueueThereIsNoWork() async throws {
        let passwords = try Passwords(queueLimit: 2)
        let outcomes = await withTaskGroup { group in
            for _ in 0..<12 {
                group.addTask {
                    do {
                        _ = try await passwords.verify("x", against: nil)
                        return "done"
                    } catch is Passwords.QueueFull {
                        return "full"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["done", default: 0] >= 2 && outcomes["full", default: 0] >= 1)
        #expect(outcomes["done", default: 0] + outcomes["full", default: 0] == 12)
    }

    @Test func accountsNeedANameAndALongPassword() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await Server(try ServerSettings(publicURL: "http://localhost", dataFolder: folder))
        for (name, password) in [
            ("", "correct horse battery"), ("a\nb", "correct horse battery"), ("ada", "fourteen chars"),
            ("ada", String(repeating: "x", count: 1025)),
        ] {
            await #expect(throws: SetupError.self) { try await server.addAccount(named: name, password: password) }
        }
        try await server.addAccount(named: "ada", password: "fifteen letters")
        await #expect(throws: SetupError.self) { try await server.addAccount(named: "ada", password: "fifteen letters") }
    }
}
#endif
