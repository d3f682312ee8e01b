#if Tools
import Foundation
import GRDB
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
                let session = NewSession(id: .random(), kid: kid, tokenHash: [])
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

    @Test func wrongPINsAreCountedWithTheirChallenges() async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            let device = NewDevice(
                id: .random(), account: account.id, name: "d", sessionJKT: "jkt",
                keys: [
                    .init(kid: "handle", kind: .pin, x963: [], isActive: true),
                    .init(kid: "thumbprint", kind: .biometric, x963: [], isActive: true),
                ], coolOff: .zero
            )
            _ = try await store.enrol(device, spending: [spend(0)])
            func open(_ kid: String, _ number: UInt8) async throws -> Bool {
                try await store.openSession(NewSession(id: .random(), kid: kid, tokenHash: []), spending: spend(number)) != nil
            }
            for number in UInt8(1)...9 { expect(try await store.spend(spend(number), wronglySignedBy: "handle"), is: true) }
            expect(try await store.spend(spend(9), wronglySignedBy: "handle"), is: false, "a spent challenge is no guess")
            expect(try await store.key("handle")?.wrongInARow, is: 9)
            expect(try await open("handle", 20), is: true)
            expect(try await store.key("handle")?.wrongInARow, is: 0)
            for number in UInt8(30)...39 { _ = try await store.spend(spend(number), wronglySignedBy: "handle") }
            expect(try await open("handle", 40), is: false)
            expect(try await store.spend([spend(40)]), is: false, "and the spend stands")
            for number in UInt8(50)...60 { _ = try await store.spend(spend(number), wronglySignedBy: "thumbprint") }
            expect(try await open("thumbprint", 70), is: true)
        }
    }

    @Test func whatWasPurgedStaysDeadByItself() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let store = try SQLiteStore(path: path, time: NodeTime(clock.node))
        expect(try await store.spend([spend(1)]), is: true)
        clock.advance(by: .seconds(301))
        try await store.purge(sessionsBefore: UnixTime(seconds: 0))
        // Even if the highest time were lost and the clock set back, what was forgotten cannot be spent again.
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE node SET high_water = 0") }
        clock.advance(by: .seconds(-301))
        let again = try SQLiteStore(path: path, time: NodeTime(clock.node))
        expect(try await again.spend([spend(1)]), is: false)
        expect(try await again.spend([spend(2, expiresAt: 1_000_302)]), is: true)
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
#endif
