#if Tools
import Foundation
import GRDB
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// The master key is changed, and wherever the change ends, one key opens the whole database.
@Suite struct MasterKeyChangeTests {
    private struct Ended: Error {}

    /// What a database keeps sealed, opened.
    private struct Opened: Equatable {
        var tokenKeys: Set<String>
        var epoch: Int64
        var oneTimeSecret: [UInt8]
    }

    private static func settings(_ folder: String, _ key: MasterKey? = nil) throws -> ServerSettings {
        try ServerSettings(publicURL: "http://localhost", dataFolder: folder, masterKey: key)
    }

    private static func key(_ byte: UInt8) throws -> MasterKey { try MasterKey(bytes: [UInt8](repeating: byte, count: 32)) }

    /// Makes a server with an account that has one-time codes.
    private func made(_ key: MasterKey? = nil, _ test: (_ folder: String) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var service = try await AuthorizationServer(try Self.settings(folder, key))
        service.passwords = try Passwords(cost: .least)
        let server = EmbeddedServer(service)
        try await server.addAccount(named: "ada", password: LiveServer.password)
        _ = try await server.setOneTimeCodes(ofAccountNamed: "ada")
        try await test(folder)
    }

    /// Opens a data folder as the next process does.
    private func opened(_ folder: String, _ key: MasterKey? = nil) async throws -> Opened {
        let server = try await AuthorizationServer(try Self.settings(folder, key), for: .command)
        let sealed = try #require(try await server.store.account(named: "ada")?.oneTimeSecret)
        return Opened(
            tokenKeys: Set(server.jwks.keys.compactMap(\.kid)), epoch: server.secrets.current.epoch,
            oneTimeSecret: try server.secrets.unsealOneTime(sealed))
    }

    private func change(
        _ folder: String, from key: MasterKey? = nil, to next: MasterKey? = nil
    ) async throws -> MasterKeyChange {
        let server = try await AuthorizationServer(try Self.settings(folder, key), for: .command)
        return MasterKeyChange(
            folder: folder, store: server.store, former: server.secrets.current.masterKey, isInFile: key == nil, next: next)
    }

    private func file(_ folder: String) throws -> String {
        try String(contentsOfFile: folder + "/master.key", encoding: .utf8)
    }

    @Test("a change of the key in the folder that ends after a step", arguments: MasterKeyChange.Step.allCases)
    func inTheFolder(_ last: MasterKeyChange.Step) async throws {
        try await made { folder in
            let (before, former) = (try await opened(folder), try file(folder))
            let change = try await change(folder)
            await #expect(throws: Ended.self) { try await change.run { if $0 == last { throw Ended() } } }
            #expect(try await opened(folder) == before, "nothing is lost")
            #expect(try (file(folder) == former) == (last == .drafted))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("master.key") }
            #expect(left == ["master.key"], "no draft is left")
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/master.key")[.posixPermissions] as? Int
            #expect(mode == 0o600)

            try await self.change(folder).run()
            #expect(try await opened(folder) == before, "and the command can be run again")
            let now = try file(folder)
            #expect(now != former)
            try former.write(toFile: folder + "/master.key", atomically: false, encoding: .utf8)
            await #expect(throws: SetupError.self, "the former key opens nothing") { _ = try await opened(folder) }
        }
    }

    @Test("a change of a key that is kept elsewhere that ends after a step", arguments: MasterKeyChange.Step.allCases)
    func elsewhere(_ last: MasterKeyChange.Step) async throws {
        let (one, two) = (try Self.key(1), try Self.key(2))
        try await made(one) { folder in
            let before = try await opened(folder, one)
            let change = try await change(folder, from: one, to: two)
            await #expect(throws: Ended.self) { try await change.run { if $0 == last { throw Ended() } } }
            let (right, wrong) = last == .drafted ? (one, two) : (two, one)
            #expect(try await opened(folder, right) == before)
            await #expect(throws: SetupError.self) { _ = try await opened(folder, wrong) }
            #expect(!FileManager.default.fileExists(atPath: folder + "/master.key"))
        }
    }

    @Test func aKeyMovesOutOfTheFolder() async throws {
        let two = try Self.key(2)
        try await made { folder in
            let before = try await opened(folder)
            try await change(folder, to: two).run()
            #expect(!FileManager.default.fileExists(atPath: folder + "/master.key"))
            #expect(try await opened(folder, two) == before)
            await #expect(throws: SetupError.self) { _ = try await opened(folder) }
        }
    }

    @Test func aKeyThatIsKeptElsewhereNeedsANextOne() async throws {
        let one = try Self.key(1)
        try await made(one) { folder in
            let server = try await EmbeddedServer(try Self.settings(folder, one), for: .command)
            let error = await #expect(throws: SetupError.self) { try await server.changeMasterKey(to: nil) }
            #expect(error?.description.contains("THUMBTURN_NEXT_MASTER_KEY") == true)
            _ = try await opened(folder, one)
        }
    }

    /// The server's secrets are sealed again before the damaged value is met, and the transaction is rolled back.
    @Test func aChangeThatCannotOpenEverythingChangesNothing() async throws {
        try await made { folder in
            let before = try await opened(folder)
            let queue = try DatabaseQueue(path: folder + "/thumbturn.sqlite")
            func exchange(_ sealed: Data) async throws -> Data {
                try await queue.write { db in
                    let present = try Data.fetchOne(db, sql: "SELECT one_time_secret FROM accounts") ?? Data()
                    try db.execute(sql: "UPDATE accounts SET one_time_secret = ?", arguments: [sealed])
                    return present
                }
            }
            let whole = try await exchange(Data([1, 2, 3]))
            let change = try await change(folder)
            await #expect(throws: SetupError.self) { try await change.run() }
            _ = try await exchange(whole)
            #expect(try await opened(folder) == before)
        }
    }

    @Test func aRunningServerTakesTheNextKeyFromTheFolder() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let tokens = try await ada.signIn()
            try await EmbeddedServer(try Self.settings(live.folder), for: .command).changeMasterKey(to: nil)
            #expect(try await ada.get("/v1/me", token: tokens.accessToken).status == 200)
            #expect(try await ada.refresh(tokens.refreshToken).status == 200)
            live.clock.advance(by: .seconds(25 * 3600))
            try await live.service.tidy()
            // The secret that was due is sealed with the next key, too.
            _ = try await AuthorizationServer(try Self.settings(live.folder), for: .command, clock: live.clock.node)
        }
    }

    @Test func aRunningServerWithAnotherKeyWritesNothing() async throws {
        let (one, two) = (try Self.key(1), try Self.key(2))
        try await LiveServer.run(configure: { $0.masterKey = one }) { live in
            let ada = try await live.device()
            try await EmbeddedServer(try Self.settings(live.folder, one), for: .command).changeMasterKey(to: two)
            let (challenge, nonce) = try await ada.challenge()
            #expect(try await ada.redeem(ada.device.proof(challenge), nonce: nonce).status == 503)
            live.clock.advance(by: .seconds(25 * 3600))
            await #expect(throws: SetupError.self) { try await live.service.tidy() }
            _ = try await AuthorizationServer(try Self.settings(live.folder, two), for: .command, clock: live.clock.node)
        }
    }
}
#endif
