#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

@Suite struct SecretsTests {
    @Test func challengeSecretsAreRenewedAndOldOnesStillVerify() async throws {
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
        let clock = TestClock()
        try await LiveServer.runTwo(clock: clock) { one, two in
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

    @Test func anotherMasterKeyIsRefused() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func settings(_ byte: UInt8) throws -> ServerSettings {
            try ServerSettings(
                publicURL: "http://localhost", dataFolder: folder,
                masterKey: try MasterKey(bytes: [UInt8](repeating: byte, count: 32)))
        }
        _ = try await EmbeddedServer(settings(1))
        _ = try await EmbeddedServer(settings(1))
        await #expect(throws: SetupError.self) { _ = try await EmbeddedServer(settings(2)) }
    }

    @Test("a wrong master key harms nothing, also when a secret is due")
    func wrongKeyAfterADay() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        func open(_ byte: UInt8) async throws {
            let key = try MasterKey(bytes: [UInt8](repeating: byte, count: 32))
            let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder, masterKey: key)
            _ = try await AuthorizationServer(settings, clock: clock.node)
        }
        try await open(1)
        clock.advance(by: .seconds(25 * 3600))
        await #expect(throws: SetupError.self) { try await open(2) }
        try await open(1)
    }

    @Test func serversThatStartTogetherOnAnEmptyFolderAgree() async throws {
        for _ in 0..<5 {
            let folder = LiveServer.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
            try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        try await EmbeddedServer(settings).addAccount(named: "account \(number)", password: LiveServer.password)
                    }
                }
                try await group.waitForAll()
            }
            // All of them are there: each name is taken.
            let server = try await EmbeddedServer(settings)
            for number in 0..<4 {
                await #expect(throws: SetupError.self) {
                    try await server.addAccount(named: "account \(number)", password: LiveServer.password)
                }
            }
        }
    }

    @Test func onlyItsOwnerReadsTheDataFolder() async throws {
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

    @Test("the lock of a data folder is free once it is released, also while a child still has its descriptor")
    func folderLock() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let other = unsafe open(folder + "/lock", O_RDWR | O_CREAT, 0o600)
        defer { close(other) }
        let lock = try FolderLock(folder)
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        let inherited = dup(lock.file)
        defer { close(inherited) }
        lock.release()
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test func settingsHaveNoSecretInTheirDescription() throws {
        let bytes = [UInt8](repeating: 0xAB, count: 32)
        let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: "f", masterKey: try MasterKey(bytes: bytes))
        var text = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &text)
        #expect(!text.lowercased().contains("abab") && !text.contains("171"))
    }

    @Test("a command makes no folder and no database", arguments: [DataUse.command, .restoring])
    func commands(_ use: DataUse) async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
        let error = await #expect(throws: SetupError.self) { _ = try await EmbeddedServer(settings, for: use) }
        #expect(error?.description.contains("--data") == true && !FileManager.default.fileExists(atPath: folder))
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        await #expect(throws: SetupError.self) { _ = try await EmbeddedServer(settings, for: use) }
        let made = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!made.contains("thumbturn.sqlite") && !made.contains("master.key"), "\(made)")
    }

    @Test func aFolderOfAnotherUserIsRefused() throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try PrivateFile.refuseIfOpen(folder)
        let error = #expect(throws: SetupError.self) { try PrivateFile.refuseIfOpen(folder, to: geteuid() + 1) }
        #expect(error?.description.contains("another user") == true)
        #expect(throws: SetupError.self) { try PrivateFile.refuseIfForeign(folder, to: geteuid() + 1) }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: folder)
        let open = #expect(throws: SetupError.self) { try PrivateFile.refuseIfOpen(folder) }
        #expect(open?.description.contains("chmod") == true)
    }
}
#endif
