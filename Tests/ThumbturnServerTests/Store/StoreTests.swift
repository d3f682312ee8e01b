#if Tools
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// What the store must do, on every engine.
@Suite struct StoreTests {
    private func with(_ body: (SQLStore, TestClock) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        try await body(try TestStore.open(in: folder, clock), clock)
    }

    private func spend(
        _ id: UInt8, _ use: Spend.Use = .challenge, expiresAt: Int64 = 1_000_300, epoch: Int64 = 0
    ) -> Spend {
        Spend(use, id: [UInt8](repeating: id, count: 16), expiresAt: UnixTime(seconds: expiresAt), epoch: epoch)
    }

    @Test func noIdentifierLooksLikeAnOptionOfACommand() {
        #expect(!(0..<10_000).contains { _ in AccountID.random().text.hasPrefix("-") })
    }

    @Test func aThingIsSpentOnce() async throws {
        try await with { store, _ in
            expect(try await store.spend([spend(1)]), is: true)
            expect(try await store.spend([spend(1)]), is: false)
            expect(try await store.spend([spend(1, .ticket)]), is: true, "a ticket is no challenge")
            expect(try await store.spend([spend(1, .assertion)]), is: true, "nor is an assertion")
            expect(try await store.spend([spend(2), spend(1)]), is: false, "all of them, or none counts")
            expect(try await store.spend([spend(2)]), is: false, "and what was fresh is spent all the same")
        }
    }

    /// What was checked with the secrets of an epoch is spent in it, though its process has the next one's by then.
    @Test func whatWasCheckedInAnotherEpochIsNotSpent() async throws {
        try await with { store, _ in
            expect(try await store.spend([spend(1, epoch: 7)]), is: false)
            try await store.beginEpoch()
            await #expect(throws: StoreError.self) { _ = try await store.spend([spend(1)]) }
            let epoch = try await store.secrets(
                checking: { _ in }, renewing: { _ in false },
                make: { SealedSecret(id: $0.rawValue, use: $0, createdAt: $1, sealed: []) }
            ).edition.epoch
            #expect(epoch != 0)
            expect(try await store.epoch().number, is: epoch)
            for use in [Spend.Use.challenge, .ticket, .assertion, .idToken] {
                expect(try await store.spend([spend(1, use)]), is: false)
                expect(try await store.spend([spend(1, use, epoch: epoch)]), is: true)
            }
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
            clock.step(by: .seconds(-3600))
            expect(try await store.spend([spend(1)]), is: false)
            expect(try await store.spend([spend(2)]), is: false, "expired by the highest time that was seen")
        }
    }

    @Test("a purge deletes all that has expired, in transactions that stay short")
    func muchToPurge() async throws {
        try await with { store, clock in
            try await store.writer.write { db, _ in
                for number in 0..<10_001 {
                    try db.run(
                        sql: "INSERT INTO spent (use, id, expires_at) VALUES (?, ?, ?)",
                        arguments: [Spend.Use.ticket.rawValue, Data("\(number)".utf8), 1_000_000 + number % 2])
                }
            }
            expect(try await store.spend([spend(1)]), is: true)
            clock.advance(by: .seconds(2))
            let before = store.commits
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.spentCount(), is: 1)
            // Two for these, one for sessions, one for visits, and one for the rest.
            #expect(store.commits - before == 5)
            expect(try await store.spend([spend(1)]), is: false)
        }
    }

    @Test("a restore keeps what is revoked while it is prepared")
    func revokedMeanwhile() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let store = try TestStore.open(in: folder, clock)
        let file = folder + "/backup.sqlite"
        try await store.backUp(to: file)
        // The restore looks at its clock after it has read what is revoked.
        let pool = store.pool
        let looks = Mutex<Int?>(nil)
        let node = NodeClock(
            civil: {
                let isFirst = looks.withLock { looks in
                    looks = looks.map { $0 + 1 }
                    return looks == 1
                }
                if isFirst {
                    try? pool.write { db in
                        try db.run(
                            sql:
                                "INSERT INTO retired_token_keys (kid, secret, x963, retired_at, revoked_at) VALUES (?, ?, ?, 1, 1)",
                            arguments: ["revoked", "secret", Data([4])])
                        try Schema.countSecretChange(db)
                    }
                }
                return clock.now
            }, monotonic: { .zero })
        let restoring = try SQLStore(pool, time: NodeTime(node))
        looks.withLock { $0 = 0 }
        try await restoring.restore(from: file, coolOff: .zero, sealing: { sealed, _ in sealed })
        #expect(try store.texts(of: ["SELECT kid FROM retired_token_keys"]) == ["revoked"])
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
                let session = NewSession(id: .random(at: clock.now, 0), tokenHash: [])
                _ = try await store.openSession(session, by: .signIn(kid, jkt: "jkt \(number)", spend(number + 10)))
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

    @Test func aKeyThatIsProvenWhenItsDeviceEnrolsAgainIsActive() async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            func enrol(proven: Bool, _ number: UInt8) async throws -> DeviceView? {
                let keys = [
                    NewDevice.Key(kid: "session", kind: .session, x963: [], isActive: true),
                    NewDevice.Key(kid: "key", kind: .passcode, x963: [], isActive: proven),
                ]
                var new = NewDevice(
                    id: .random(), account: account.id, name: "phone", sessionJKT: "session", keys: keys, coolOff: .zero)
                new.ifEnrolled = .replace
                return try await store.enrol(new, spending: [spend(number)])
            }
            let first = try #require(try await enrol(proven: false, 1))
            expect(try await store.knownKey("key")?.isActive, is: false)
            let again = try #require(try await enrol(proven: true, 2))
            #expect(again.id == first.id && again.keys.count == 2)
            expect(try await store.knownKey("key")?.isActive, is: true)
            let third = try #require(try await enrol(proven: false, 3))
            #expect(third.id == first.id)
            expect(try await store.knownKey("key")?.isActive, is: true, "it was proven once")
        }
    }

    /// As long as its row is there, nothing else may have its place.
    @Test func anUnprovenKeyThatIsProvenAsAnotherKindMakesRoom() async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            func enrol(_ number: UInt8, _ keys: [NewDevice.Key]) async throws -> DeviceView? {
                let session = NewDevice.Key(kid: "session", kind: .session, x963: [], isActive: true)
                var new = NewDevice(
                    id: .random(), account: account.id, name: "phone", sessionJKT: "session", keys: [session] + keys,
                    coolOff: .zero)
                new.ifEnrolled = .replace
                return try await store.enrol(new, spending: [spend(number)])
            }
            _ = try await enrol(1, [.init(kid: "key", kind: .passcode, x963: [], isActive: false)])
            let again = try await enrol(
                2,
                [
                    .init(kid: "other", kind: .passcode, x963: [], isActive: false),
                    .init(kid: "key", kind: .biometric, x963: [], isActive: true),
                ])
            #expect(again?.keys.count == 3)
            expect(try await store.knownKey("key")?.kind, is: .biometric)
            expect(try await store.spend([spend(2)]), is: false, "it was spent, whatever came of it")
        }
    }

    @Test(
        "tables that a newer version has changed, and those from before the first release, are neither opened nor restored",
        arguments: [
            (["1 tables", "1000 something"], "A newer thumbturn-server"),
            (["1 spine", "2 wrong PINs"], "A thumbturn-server from before the first release"),
        ])
    func tablesOfAnotherVersion(_ migrations: [String], _ reason: String) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let other = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(other)
        try await other.write { db in
            try db.execute(sql: "DELETE FROM grdb_migrations")
            for name in migrations { try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name]) }
        }
        try other.close()
        let clock = NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node)
        let opened = #expect(throws: SetupError.self) { _ = try SQLStore(path: path, time: clock) }
        let restored = #expect(throws: SetupError.self) { _ = try SQLitePool(copyOf: path) }
        for error in [opened, restored] {
            let text = try #require(error).description
            #expect(text.contains(reason) && text.contains(path), "\(text)")
        }
    }

    @Test func anUnprovenKeyGivesWayToAPlainClients() async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            func device(_ name: String, _ keys: [NewDevice.Key]) -> NewDevice {
                NewDevice(id: .random(), account: account.id, name: name, sessionJKT: name, keys: keys, coolOff: .zero)
            }
            func key(proven: Bool) -> NewDevice.Key { .init(kid: "key", kind: .passcode, x963: [], isActive: proven) }
            let claimed = try await store.enrol(device("thief", [key(proven: false)]), spending: [spend(1)])
            #expect(claimed?.keys.count == 1)
            let plain = NewPlainKey(kid: "key", spki: [1, 2])
            expect(
                try await store.enrol(
                    device("owner", []), with: plain,
                    by: .init(account: account.id, spend: spend(2), voucher: nil, freshness: .fresh)), is: true)
            expect(try await store.knownKey("key")?.isRevoked, is: true)
            expect(
                try await store.enrol(
                    device("another", []), with: plain,
                    by: .init(account: account.id, spend: spend(3), voucher: nil, freshness: .fresh)), is: false)
            let late = try await store.enrol(device("late", [key(proven: true)]), spending: [spend(4)])
            #expect(late == nil, "none is ever both")
        }
    }

    @Test func aTicketEnrolsForItsOwnAccountOnly() async throws {
        try await with { store, _ in
            let (account, other) = (AccountID.random(), AccountID.random())
            for (id, name) in [(account, "ada"), (other, "bob")] {
                _ = try await store.addAccount(Account(id: id, name: name, passwordHash: "x"))
            }
            for (number, owner, expected) in [(1, other, "refused"), (2, account, "done")] as [(UInt8, AccountID, String)] {
                let key = NewDevice.Key(kid: "jkt", kind: .session, x963: [], isActive: true)
                let device = NewDevice(
                    id: .random(), account: owner, name: "d", sessionJKT: "jkt", keys: [key], coolOff: .zero)
                let ticket = Tickets.Right(account: account, spend: spend(number, .ticket), voucher: nil, freshness: .fresh)
                let authorisation = Authorisation(
                    rules: .enrol, spends: [ticket.spend], grounds: .ticket(ticket), jkt: "jkt")
                #expect(try await store.enrol(device, by: authorisation).name == expected)
            }
        }
    }

    /// Its session would look like a sign-in's.
    @Test func aGrantThatCannotBeReadIsNotTakenForNone() async throws {
        try await with { store, _ in
            let (_, _, sessions) = try await changing(store)
            let id = try #require(sessions["face"])
            try store.pool.write {
                try $0.execute(sql: "UPDATE sessions SET granted = '{}' WHERE id = ?", arguments: [Data(id.bytes)])
            }
            await #expect(throws: VerificationError.self) { _ = try await store.session(id) }
        }
    }

    @Test func aSessionOpensOnlyForTheSessionKeyOfTheKeysOwnDevice() async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            func device(_ name: String, proven: Bool, _ number: UInt8) async throws {
                let key = NewDevice.Key(kid: "contested", kind: .passcode, x963: [], isActive: proven)
                let new = NewDevice(
                    id: .random(), account: account.id, name: name, sessionJKT: name, keys: [key], coolOff: .zero)
                _ = try await store.enrol(new, spending: [spend(number)])
            }
            func opens(_ jkt: String, _ number: UInt8) async throws -> Bool {
                let new = NewSession(id: .random(), tokenHash: [])
                let authorisation = Authorisation.signIn("contested", jkt: jkt, spend(number))
                guard case .done(let session) = try await store.openSession(new, by: authorisation) else { return false }
                return try await store.session(session.id)?.isLive == true
            }
            try await device("thief", proven: false, 1)
            expect(try await store.knownKey("contested")?.sessionJKT, is: "thief")
            // Whatever became of it there, its owner's key is new.
            try store.pool.write {
                try $0.execute(
                    sql:
                        "UPDATE keys SET wrong_in_a_row = 100, paused_until = 5000000000, retired_at = 5, sessions_over = 1000000"
                )
            }
            try await device("owner", proven: true, 2)
            expect(try await store.knownKey("contested")?.sessionJKT, is: "owner", "an unproven key is not remembered")
            expect(try await opens("thief", 3), is: false)
            expect(try await opens("owner", 4), is: true)
        }
    }

    @Test(
        "a key that is remembered opens no session once anything has changed",
        arguments: [
            ("UPDATE keys SET retired_at = 1", "refused"), ("UPDATE devices SET revoked_at = 1", "refused"),
            ("UPDATE devices SET session_jkt = 'another'", "refused"), ("UPDATE keys SET wrong_in_a_row = 100", "disabled"),
            ("UPDATE keys SET wrong_in_a_row = 5, paused_until = 5000000000", "refused"),
            ("UPDATE keys SET paused_until = 5000000000", "refused"), ("UPDATE keys SET active_since = NULL", "done"),
            ("UPDATE devices SET cools_off_until = 5000000000", "done, cooling off"),
            ("UPDATE keys SET wrong_in_a_row = 1", "done"), ("UPDATE accounts SET name = name", "done"),
        ], [true, false])
    func changed(_ change: (sql: String, end: String), isRemembered: Bool) async throws {
        try await with { store, _ in
            let account = Account(id: .random(), name: "ada", passwordHash: "x")
            _ = try await store.addAccount(account)
            let key = NewDevice.Key(kid: "key", kind: .passcode, x963: [], isActive: true)
            let device = NewDevice(
                id: .random(), account: account.id, name: "phone", sessionJKT: "session", keys: [key], coolOff: .zero)
            _ = try await store.enrol(device, spending: [spend(1)])
            if isRemembered { expect(try await store.knownKey("key")?.isRevoked, is: false) }
            try store.pool.write { try $0.execute(sql: change.sql) }
            let new = NewSession(id: .random(), tokenHash: [])
            switch try await store.openSession(new, by: .signIn("key", jkt: "session", spend(2))) {
            case .refused: #expect(change.end == "refused")
            case .insufficient: #expect(change.end == "insufficient")
            case .disabled: #expect(change.end == "disabled")
            case .full: Issue.record("one device is not too many")
            case .done(let session):
                #expect(change.end == (session.coolsOffUntil.seconds == 5_000_000_000 ? "done, cooling off" : "done"))
                #expect(session.opener == .key(.passcode, .credentials))
                #expect(session.device == device.id && session.account == account.id)
            }
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
                let new = NewSession(id: .random(), tokenHash: [])
                guard case .done = try await store.openSession(new, by: .signIn(kid, spend(number))) else { return false }
                return true
            }
            for number in UInt8(1)...9 {
                expect(try await store.countWrongSignature(of: "handle", spending: [spend(number)]), is: Int(number))
            }
            expect(
                try await store.countWrongSignature(of: "handle", spending: [spend(9)]), is: nil as Int?,
                "a spent challenge is no guess")
            expect(try await store.key("handle")?.wrongInARow, is: 9)
            expect(try await open("handle", 20), is: true)
            expect(try await store.key("handle")?.wrongInARow, is: 0)
            for number in UInt8(30)...39 { _ = try await store.countWrongSignature(of: "handle", spending: [spend(number)]) }
            let right = try await store.openSession(
                NewSession(id: .random(), tokenHash: []), by: .signIn("handle", spend(40)))
            guard case .disabled = right else {
                Issue.record("a right PIN is told apart from a wrong one")
                return
            }
            expect(try await store.spend([spend(40)]), is: false, "and the spend stands")
            for number in UInt8(50)...53 { _ = try await store.countWrongSignature(of: "thumbprint", spending: [spend(number)]) }
            expect(try await open("thumbprint", 54), is: true, "four are free")
            for number in UInt8(60)...70 { _ = try await store.countWrongSignature(of: "thumbprint", spending: [spend(number)]) }
            expect(try await store.key("thumbprint")?.wrongInARow, is: 5, "and while it pauses none is counted")
            expect(try await open("thumbprint", 80), is: false)
        }
    }

    /// Two processes share a database. What the one knew of a key is no longer so, once the other has counted.
    @Test func aPauseCountsForWhoeverKnewTheKeyBefore() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let (one, other) = (
            try SQLStore(path: folder + "/store.sqlite", time: NodeTime(clock.node)),
            try SQLStore(path: folder + "/store.sqlite", time: NodeTime(clock.node))
        )
        _ = try await changing(one)
        expect(try await one.knownKey("face")?.wrongInARow, is: 0)
        for number in UInt8(1)...5 { _ = try await other.countWrongSignature(of: "face", spending: [spend(number)]) }
        let new = NewSession(id: .random(), tokenHash: [])
        guard case .refused = try await one.openSession(new, by: .signIn("face", spend(6))) else {
            Issue.record("a key that pauses opens a session")
            return
        }
        expect(
            try await one.knownKey("face")?.standing(at: clock.now).state, is: .paused(until: clock.now + .seconds(30)),
            "now it can be told")
        clock.advance(by: .seconds(30))
        guard case .done = try await one.openSession(new, by: .signIn("face", spend(7))) else {
            Issue.record("a key that paused opens no session")
            return
        }
        expect(try await one.key("face")?.wrongInARow, is: 0)
    }

    // MARK: Changes of keys

    /// A device with a biometric, a passcode and a PIN key, each with a session of its own.
    private func changing(
        _ store: SQLStore
    ) async throws -> (device: DeviceID, account: AccountID, sessions: [String: SessionID]) {
        let account = Account(id: .random(), name: "ada", passwordHash: "x")
        _ = try await store.addAccount(account)
        let device = NewDevice(
            id: .random(), account: account.id, name: "d", sessionJKT: "jkt",
            keys: [
                .init(kid: "jkt", kind: .session, x963: [], isActive: true),
                .init(kid: "face", kind: .biometric, x963: [], isActive: true),
                .init(kid: "passcode", kind: .passcode, x963: [], isActive: false),
                .init(kid: "pin", kind: .pin, x963: [], isActive: true),
            ], coolOff: .zero
        )
        _ = try await store.enrol(device, spending: [spend(200)])
        var sessions: [String: SessionID] = [:]
        for (number, kid) in ["face", "pin"].enumerated() {
            let session = NewSession(id: .random(), tokenHash: [])
            _ = try await store.openSession(session, by: .signIn(kid, spend(201 + UInt8(number))))
            sessions[kid] = session.id
        }
        return (device.id, account.id, sessions)
    }

    private func change(
        _ device: DeviceID, old: String? = "pin", new: String? = "new", by kid: String = "pin"
    ) -> AuthorisedChange {
        change(device, old: old, new: new, on: .keys([kid]))
    }

    private func change(
        _ device: DeviceID, old: String? = "pin", new: String? = "new", on grounds: Authorisation.Grounds
    ) -> AuthorisedChange {
        let keys = NewKeys(
            device: device, kind: .pin, old: old, new: new.map { .init(kid: $0, kind: .pin, x963: [1], isActive: true) },
            coolOff: .seconds(100))
        return AuthorisedChange(keys: keys, grounds: grounds)
    }

    @Test func oneKeyTakesAnothersPlaceForGood() async throws {
        try await with { store, _ in
            let (device, account, sessions) = try await changing(store)
            _ = try await store.countWrongSignature(of: "pin", spending: [spend(1)])
            guard case .done(let view) = try await store.change(change(device), spending: [spend(2)]) else {
                Issue.record("a change that may be made")
                return
            }
            #expect(Set(view.keys.map(\.kid)) == ["jkt", "face", "passcode", "new"])
            expect(try await store.key("new")?.enrolledBy, is: .pin)
            expect(try await store.key("new")?.wrongInARow, is: 0)
            expect(try await store.key("face")?.enrolledBy, is: .credentials)
            expect(try await store.key("pin")?.isRevoked, is: true, "the old one stays as a retired one")
            expect(try await store.device(withSessionKey: "jkt")?.keys.count, is: 4)
            expect(try await store.devices(of: account).first?.keys.count, is: 4)
            expect(try await store.session(sessions["pin"]!)?.isLive, is: true, "it authorised the change itself")
            let back = try await store.change(change(device, old: "new", new: "pin", by: "face"), spending: [spend(3)])
            guard case .refused = back else {
                Issue.record("a retired key came back")
                return
            }
            expect(try await store.spend([spend(3)]), is: false, "and the spend stands")
            guard
                case .refused = try await store.openSession(
                    .init(id: .random(), tokenHash: []), by: .signIn("pin", spend(4)))
            else {
                Issue.record("a retired key signed in")
                return
            }
            expect(try await store.countWrongSignature(of: "pin", spending: [spend(5)]), is: nil as Int?)
        }
    }

    @Test func theSessionsOfAKeyThatDidNotAuthoriseItEnd() async throws {
        try await with { store, _ in
            let (device, _, sessions) = try await changing(store)
            _ = try await store.change(change(device, new: nil, by: "face"), spending: [spend(2)])
            expect(try await store.session(sessions["pin"]!)?.isLive, is: false)
            expect(try await store.session(sessions["face"]!)?.isLive, is: true)
            expect(try await store.device(withSessionKey: "jkt")?.keys.map(\.kind), is: [.biometric, .passcode, .session])
            guard case .done = try await store.change(change(device, old: nil, by: "passcode"), spending: [spend(3)]) else {
                Issue.record("a kind that is gone can come again")
                return
            }
            expect(try await store.device(withSessionKey: "jkt")?.keys.count, is: 4)
            expect(
                try await store.devices(of: (try await store.device(withSessionKey: "jkt"))!.account).first?.keys.allSatisfy(
                    \.active),
                is: true, "the passcode key is active from its first proof on"
            )
        }
    }

    @Test func whatChangedInBetweenIsRefused() async throws {
        try await with { store, _ in
            let (device, account, _) = try await changing(store)
            func ticket(of account: AccountID) -> Authorisation.Grounds {
                .ticket(.init(account: account, spend: spend(99, .ticket), voucher: nil, freshness: .fresh))
            }
            typealias Row = (String, AuthorisedChange)
            let rows: [Row] = [
                ("another old key", change(device, old: "other")), ("no old key", change(device, old: nil)),
                ("a known key", change(device, new: "face")), ("an unknown key", change(device, by: "nobody")),
                ("another device", change(.random())),
                ("a ticket of another account", change(device, on: ticket(of: .random()))),
            ]
            for (number, row) in rows.enumerated() {
                guard case .refused = try await store.change(row.1, spending: [spend(UInt8(number))]) else {
                    Issue.record("\(row.0)")
                    continue
                }
                expect(try await store.spend([spend(UInt8(number))]), is: false, "\(row.0): the spend stands")
            }
            guard case .refused = try await store.change(change(device), spending: [spend(0), spend(50)]) else {
                Issue.record("a spent challenge")
                return
            }
            for number in UInt8(60)..<70 { _ = try await store.countWrongSignature(of: "pin", spending: [spend(number)]) }
            guard case .disabled = try await store.change(change(device, old: "other"), spending: [spend(70)]) else {
                Issue.record("a used up PIN tells something")
                return
            }
            _ = try await store.revoke(deviceWithSessionKey: "jkt")
            expect(try await store.device(withSessionKey: "jkt")?.keys.count, is: nil)
            for (number, grounds) in [(71, .keys(["face"])), (72, ticket(of: account))] as [(UInt8, Authorisation.Grounds)] {
                guard case .refused = try await store.change(change(device, on: grounds), spending: [spend(number)]) else {
                    Issue.record("a revoked device")
                    return
                }
            }
        }
    }

    @Test func ofManyChangesAtOnceOneIsMade() async throws {
        try await with { store, _ in
            let (device, _, _) = try await changing(store)
            let made = try await withThrowingTaskGroup { group in
                for number in UInt8(0)..<32 {
                    group.addTask {
                        let change = change(device, new: "new \(number)", by: "face")
                        guard case .done = try await store.change(change, spending: [spend(number)]) else { return 0 }
                        return 1
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(made == 1)
            expect(try await store.device(withSessionKey: "jkt")?.keys.count, is: 4)
        }
    }

    @Test func whatWasPurgedStaysDeadByItself() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let store = try SQLStore(path: path, time: NodeTime(clock.node))
        expect(try await store.spend([spend(1)]), is: true)
        clock.advance(by: .seconds(301))
        try await store.purge(sessionsBefore: UnixTime(seconds: 0))
        // Even if the highest time were lost and the clock set back, what was forgotten cannot be spent again.
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE node SET high_water = 0") }
        clock.step(by: .seconds(-301))
        let again = try SQLStore(path: path, time: NodeTime(clock.node))
        expect(try await again.spend([spend(1)]), is: false)
        expect(try await again.spend([spend(2, expiresAt: 1_000_302)]), is: true)
    }

    @Test func theHighestTimeOutlivesTheProcess() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let late = NodeTime(TestClock(UnixTime(seconds: 5000)).node)
        let first = try SQLStore(path: folder + "/store.sqlite", time: late)
        expect(try await first.spend([spend(1, expiresAt: 6000)]), is: true)
        let early = NodeTime(TestClock(UnixTime(seconds: 4400)).node)
        _ = try SQLStore(path: folder + "/store.sqlite", time: early)
        #expect(early.now == UnixTime(seconds: 5000))
    }

    @Test func commitsAreSynced() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLStore(path: folder + "/store.sqlite", time: NodeTime(.system))
        let durability = try store.durability()
        #expect(durability.isFull && durability.settings == ["synchronous": "2", "journal_mode": "wal"])
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

/// A change, and what authorises it.
private struct AuthorisedChange: Sendable {
    var keys: NewKeys
    var grounds: Authorisation.Grounds
}

extension SQLStore {
    fileprivate func change(_ change: AuthorisedChange, spending: [Spend]) async throws -> CommitOutcome<DeviceView> {
        let rules: CeremonyRules =
            if case .ticket = change.grounds { .replaceKeyByTicket } else { change.keys.new == nil ? .removeKey : .bringKey }
        return try await self.change(
            change.keys, by: Authorisation(rules: rules, spends: spending, grounds: change.grounds, jkt: "jkt"))
    }
}

extension Authorisation {
    static func signIn(_ kid: String, jkt: String = "jkt", _ spend: Spend) -> Authorisation {
        Authorisation(rules: .signIn, spends: [spend], grounds: .keys([kid]), jkt: jkt)
    }
}
#endif
