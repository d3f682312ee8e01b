#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer

/// What one account or one back end can make grow, and what the others notice of it: nothing.
@Suite struct QuotaTests {
    private struct World {
        let store: SQLStore
        let clock: TestClock
        let ada = AccountID.random()
        let bob = AccountID.random()

        func device(_ name: String, of account: AccountID, quota: AccountQuota = .standard) -> NewDevice {
            var device = NewDevice(
                id: .random(), account: account, name: name, sessionJKT: "\(name) session",
                keys: [
                    .init(kid: "\(name) session", kind: .session, x963: [], isActive: true),
                    .init(kid: "\(name) face", kind: .biometric, x963: [], isActive: true),
                ], coolOff: .zero)
            device.quota = quota
            return device
        }

        /// A ticket for full credentials, or of a session that vouches.
        func ticket(_ account: AccountID, vouchedBy voucher: SessionID? = nil) async throws -> Tickets.Right {
            let generation = try await store.pool.read { db in
                try Int64.fetchOne(
                    db, sql: "SELECT credential_generation FROM accounts WHERE id = ?", arguments: [blob(account.bytes)])
            }
            return Tickets.Right(
                account: account, spend: spend(.ticket), voucher: voucher, freshness: .fresh,
                credentialGeneration: generation ?? 0)
        }

        /// The name of the outcome, and what the account has too much of.
        func enrol(_ device: NewDevice, vouchedBy voucher: SessionID? = nil) async throws -> String {
            let ticket = try await ticket(device.account, vouchedBy: voucher)
            let outcome = try await store.enrol(
                device, by: Authorisation(rules: .enrol, spends: [], grounds: .ticket(ticket), jkt: device.sessionJKT))
            return name(outcome)
        }

        /// Changes the passcode key of a device, by its biometric key.
        func change(_ device: NewDevice, _ old: String?, to new: String?, quota: AccountQuota) async throws -> String {
            let key = new.map { NewDevice.Key(kid: $0, kind: .passcode, x963: Array($0.utf8), isActive: true) }
            var change = NewKeys(device: device.id, kind: .passcode, old: old, new: key, coolOff: .zero)
            change.quota = quota
            return name(
                try await store.change(
                    change,
                    by: Authorisation(
                        rules: new == nil ? .removeKey : .bringKey, spends: [spend()],
                        grounds: .keys(["\(device.name) face"]), jkt: "\(device.name) session")))
        }

        func name<Value: Sendable>(_ outcome: CommitOutcome<Value>) -> String {
            if case .full(let quota) = outcome { return quota.rawValue }
            return outcome.name
        }

        func spend(_ use: Spend.Use = .challenge) -> Spend {
            Spend(use, id: Identifier<QuotaTests>.random().bytes, expiresAt: clock.now + .seconds(300), epoch: 0)
        }

        func open(_ name: String, granted: ActionGrant? = nil) async throws -> SessionID {
            let new = NewSession(id: .random(at: clock.now, 0), tokenHash: [], granted: granted)
            let rules: CeremonyRules = granted == nil ? .signIn : .stepUp
            let outcome = try await store.openSession(
                new,
                by: Authorisation(
                    rules: rules, spends: [spend()], grounds: .keys(["\(name) face"]), jkt: "\(name) session"))
            #expect(outcome.name == "done")
            return new.id
        }

        func isLive(_ session: SessionID) async throws -> Bool { try await store.session(session)?.isLive == true }

        func ask(
            _ number: Int, by creator: String = "bank", _ account: AccountID? = nil, transaction: String? = nil, cap: Int = 8,
            second: AccountID? = nil, rate: ApprovalRate = Limits.approvalsOfCreator,
            rateForAccount: ApprovalRate = Limits.approvalsOfCreatorAndAccount
        ) async throws -> ApprovalCreation {
            var new = NewApproval(
                id: .random(), creator: creator, transactionID: transaction ?? "t-\(number)", account: account ?? ada,
                second: second, txn: "txn \(number)", demand: .oneKey, lifetime: .seconds(60), cap: cap)
            (new.rate, new.rateForAccount) = (rate, rateForAccount)
            return try await store.create(new)
        }

        /// Ends what no later approval of the bank may delete: what was redeemed, and what is another back end's.
        func endThoseThatStay() async throws {
            try store.pool.write { db in
                try db.execute(sql: "UPDATE approvals SET state = 'redeemed' WHERE transaction_id = 'redeemed'")
                try db.execute(sql: "UPDATE approvals SET state = 'withdrawn' WHERE creator = 'shop'")
            }
        }

        func rows(_ sql: String) async throws -> Int { try await store.pool.read { try Int.fetchOne($0, sql: sql) ?? 0 } }
    }

    private func with(_ body: (World) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let world = World(store: try TestStore.open(in: folder, clock), clock: clock)
        for (id, name) in [(world.ada, "ada"), (world.bob, "bob")] {
            _ = try await world.store.addAccount(Account(id: id, name: name, passwordHash: "x"))
        }
        for id in ["bank", "shop"] {
            _ = try await world.store.addClient(NewClient(id: id, scopes: [.approvals], keys: []))
        }
        try await body(world)
    }

    // MARK: Devices and keys

    @Test func anAccountHasSoManyDevicesAndTheNewestIsRefused() async throws {
        try await with { world in
            var ids: [DeviceID] = []
            for number in 1...Limits.devices {
                let device = world.device("\(number)", of: world.ada)
                ids.append(device.id)
                expect(try await world.enrol(device), is: "done")
            }
            let another = world.device("another", of: world.ada)
            expect(try await world.enrol(another), is: "too_many_devices")
            expect(try await world.store.devices(of: world.ada).map(\.id).count, is: Limits.devices)
            expect(try await world.enrol(world.device("bob's", of: world.bob)), is: "done", "another account's business")
            let plain = NewPlainKey(kid: "plain", spki: [1])
            let ticket = Tickets.Right(account: world.ada, spend: world.spend(.ticket), voucher: nil, freshness: .fresh)
            expect(try await world.store.enrol(world.device("plain", of: world.ada), with: plain, by: ticket), is: false)
            expect(try await world.store.revoke(ids[0], of: world.ada), is: true)
            expect(try await world.enrol(another), is: "done", "in the place of one that is gone")
        }
    }

    @Test func enrollingAndRevokingAgainAndAgainIsRefusedForADay() async throws {
        try await with { world in
            var quota = AccountQuota()
            quota.enrolmentsInADay = 3
            func enrol(_ name: String) async throws -> String {
                let device = world.device(name, of: world.ada, quota: quota)
                defer { world.clock.advance(by: .seconds(1)) }
                let outcome = try await world.enrol(device)
                _ = try await world.store.revoke(device.id, of: world.ada)
                return outcome
            }
            for name in ["1", "2", "3"] { expect(try await enrol(name), is: "done") }
            expect(try await enrol("4"), is: "changes")
            world.clock.advance(by: .seconds(24 * 3600 - 4))
            expect(try await enrol("5"), is: "done", "the first one is a day old")
            expect(try await enrol("6"), is: "done")
        }
    }

    @Test func changingKeysAgainAndAgainIsRefusedForADayAndRemovingOneNever() async throws {
        try await with { world in
            let device = world.device("phone", of: world.ada)
            expect(try await world.enrol(device), is: "done")
            var quota = AccountQuota()
            quota.keyChangesInADay = 2
            func change(_ old: String?, to new: String?) async throws -> String {
                try await world.change(device, old, to: new, quota: quota)
            }
            expect(try await change(nil, to: "one"), is: "done")
            expect(try await change("one", to: "two"), is: "done")
            expect(try await change("two", to: "three"), is: "done")
            expect(try await change("three", to: "four"), is: "changes")
            var again = world.device("phone", of: world.ada, quota: quota)
            again.ifEnrolled = .replace
            again.keys[1] = .init(kid: "new face", kind: .biometric, x963: [2], isActive: true)
            expect(try await world.enrol(again), is: "changes", "an enrolment changes keys, too")
            expect(try await change("three", to: nil), is: "done")
            world.clock.advance(by: .seconds(24 * 3600))
            expect(try await change(nil, to: "four"), is: "done")
        }
    }

    @Test func enrolmentsWithAPasswordUseUpNoneThatADeviceVouchesFor() async throws {
        try await with { world in
            var quota = AccountQuota()
            (quota.enrolmentsInADay, quota.vouchedInADay) = (2, 2)
            func enrol(_ name: String, vouchedBy session: SessionID? = nil) async throws -> String {
                try await world.enrol(world.device(name, of: world.ada, quota: quota), vouchedBy: session)
            }
            func enrolPlain(_ name: String, vouchedBy session: SessionID? = nil) async throws -> Bool {
                var device = world.device(name, of: world.ada, quota: quota)
                (device.sessionJKT, device.keys) = ("", [])
                let ticket = try await world.ticket(world.ada, vouchedBy: session)
                return try await world.store.enrol(device, with: NewPlainKey(kid: name, spki: [1]), by: ticket)
            }
            expect(try await enrol("phone"), is: "done")
            let session = try await world.open("phone")
            expect(try await enrol("a thief's"), is: "done")
            expect(try await enrol("a thief's second"), is: "changes")
            expect(try await world.enrol(world.device("bob's", of: world.bob, quota: quota)), is: "done", "of his own")
            expect(try await enrolPlain("a thief's third"), is: false)
            expect(try await enrol("tablet", vouchedBy: session), is: "done")
            expect(try await enrolPlain("old app", vouchedBy: session), is: true)
            expect(try await enrol("laptop", vouchedBy: session), is: "changes")
            expect(try await enrolPlain("another old app", vouchedBy: session), is: false)
            world.clock.advance(by: .seconds(24 * 3600))
            expect(try await enrol("laptop", vouchedBy: session), is: "done")
        }
    }

    @Test func changesOfADevicesKeysUseUpNoneOfAnother() async throws {
        try await with { world in
            var quota = AccountQuota()
            quota.keyChangesInADay = 1
            let (thief, phone) = (world.device("a thief's", of: world.ada), world.device("phone", of: world.ada))
            for device in [thief, phone] { expect(try await world.enrol(device), is: "done") }
            expect(try await world.change(thief, nil, to: "one", quota: quota), is: "done")
            expect(try await world.change(thief, "one", to: "two", quota: quota), is: "done")
            expect(try await world.change(thief, "two", to: "three", quota: quota), is: "changes")
            expect(try await world.change(phone, nil, to: "four", quota: quota), is: "done")
            expect(try await world.change(phone, "four", to: "five", quota: quota), is: "done")
        }
    }

    /// The operator's commands that give a day's enrolments and changes back.
    enum Command: CaseIterable, Sendable { case unlock, password, disable, end }

    @Test("an operator's change of an account gives its quotas back", arguments: Command.allCases)
    func givenBack(_ command: Command) async throws {
        try await with { world in
            var quota = AccountQuota()
            (quota.enrolmentsInADay, quota.vouchedInADay, quota.keyChangesInADay) = (1, 0, 1)
            func run(_ command: Command, on account: AccountID) async throws {
                switch command {
                case .unlock: try await world.store.unlock(account)
                case .password: try await world.store.setPassword("y", of: account)
                case .disable:
                    _ = try await world.store.disable(account)
                    _ = try await world.store.enable(account)
                case .end: _ = try await world.store.revokeDevices(of: account)
                }
            }
            let phone = world.device("phone", of: world.ada, quota: quota)
            func useUp(_ name: String) async throws {
                expect(try await world.enrol(world.device(name, of: world.ada, quota: quota)), is: "changes")
                guard command != .end else { return }
                expect(try await world.change(phone, "two", to: "three", quota: quota), is: "changes")
            }
            expect(try await world.enrol(phone), is: "done")
            expect(try await world.change(phone, nil, to: "one", quota: quota), is: "done")
            expect(try await world.change(phone, "one", to: "two", quota: quota), is: "done")
            try await useUp("tablet")
            let session = try await world.open("phone")
            try await run(command, on: world.bob)
            let found = try await world.store.session(session)
            expect(try await world.store.setPassword("x", by: try #require(found)), is: true)
            try await useUp("tablet")
            world.clock.advance(by: .seconds(1))
            try await run(command, on: world.ada)
            world.clock.advance(by: .seconds(1))
            expect(try await world.enrol(world.device("tablet", of: world.ada, quota: quota)), is: "done")
            expect(try await world.enrol(world.device("laptop", of: world.ada, quota: quota)), is: "changes")
            guard command != .end else { return }
            expect(try await world.change(phone, "two", to: "three", quota: quota), is: "done")
            expect(try await world.change(phone, "three", to: "four", quota: quota), is: "changes")
        }
    }

    // MARK: Sessions

    @Test func aFurtherSignInEndsTheOldestSessionOfTheSameDevice() async throws {
        try await with { world in
            for name in ["phone", "tablet"] { expect(try await world.enrol(world.device(name, of: world.ada)), is: "done") }
            let other = try await world.open("tablet")
            var sessions: [SessionID] = []
            for _ in 1...Limits.sessions { sessions.append(try await world.open("phone")) }
            expect(try await world.isLive(sessions[0]), is: true)
            for oldest in 0..<3 {
                sessions.append(try await world.open("phone"))
                expect(try await world.store.session(sessions[oldest]) == nil, is: true, "and leaves no row")
                expect(try await world.isLive(sessions[oldest + 1]), is: true)
            }
            expect(try await world.isLive(other), is: true)
            expect(try await world.rows("SELECT count(*) FROM sessions"), is: Limits.sessions + 1)
        }
    }

    @Test func aDevicesSessionsAreRememberedWhenTheGenerationsChange() throws {
        let recent = RecentSessions(most: 2, devices: 2)
        let sessions = (0..<3).map { _ in SessionID.random() }
        recent.opened(sessions[0], by: "a", ending: [])
        recent.opened(.random(), by: "b", ending: [])
        // This is the next generation, with "a" and "b" in the one before; it is full after "d".
        recent.opened(.random(), by: "c", ending: [])
        recent.opened(.random(), by: "d", ending: [])
        recent.opened(sessions[1], by: "a", ending: [])
        #expect(recent.surplus(of: "a") == [sessions[0]])
        recent.opened(sessions[2], by: "a", ending: [sessions[0]])
        #expect(recent.surplus(of: "a") == [sessions[1]])
    }

    @Test func aFurtherStepUpEndsTheOldestOneAndNoSignIn() async throws {
        try await with { world in
            for name in ["phone", "tablet"] { expect(try await world.enrol(world.device(name, of: world.ada)), is: "done") }
            let grant = ActionGrant(ActionAsk("card-details")!, keys: [.biometric], shown: [], once: false)
            let (signIn, other) = (try await world.open("phone"), try await world.open("tablet", granted: grant))
            var stepUps: [SessionID] = []
            for _ in 0...Limits.stepUps { stepUps.append(try await world.open("phone", granted: grant)) }
            expect(try await world.store.session(stepUps[0]) == nil, is: true)
            for session in [signIn, other, stepUps[1], stepUps[Limits.stepUps]] {
                expect(try await world.isLive(session), is: true)
            }
        }
    }

    // MARK: Notices

    @Test func equalNoticesAreOneAndThoseOfAnotherDeviceAreNot() async throws {
        try await with { world in
            let (first, second) = (DeviceID.random(), DeviceID.random())
            func note(_ kind: Notice.Kind, _ device: DeviceID) async throws {
                let account = world.ada
                _ = try await world.store.writer.write { db, now in
                    try SQLStore.note(kind, of: account, device, in: db, at: now)
                }
            }
            for _ in 1...10 { try await note(.refreshTokenReused, first) }
            try await note(.refreshTokenReused, second)
            for _ in 1...3 { try await note(.keysChanged, first) }
            let kinds = try await world.store.notices(of: world.ada).map(\.kind)
            #expect(kinds.filter { $0 == .refreshTokenReused }.count == 2)
            #expect(kinds.filter { $0 == .keysChanged }.count == 3, "the owner has to know of each")
            world.clock.advance(by: .seconds(3601))
            try await note(.refreshTokenReused, first)
            expect(try await world.store.notices(of: world.ada).filter { $0.kind == .refreshTokenReused }.count, is: 3)
        }
    }

    @Test("notices of one kind push out none of another", arguments: Notice.Kind.allCases)
    func eachKindHasItsShare(_ warning: Notice.Kind) async throws {
        try await with { world in
            let (ada, bob) = (world.ada, world.bob)
            try await world.store.writer.write { db, now in
                try SQLStore.note(warning, of: bob, .random(), in: db, at: now)
                try SQLStore.note(warning, of: ada, .random(), in: db, at: now)
            }
            // Those that are joined are kept for an hour.
            for _ in 1...2 {
                world.clock.advance(by: .seconds(3601))
                try await world.store.writer.write { db, now in
                    for kind in Notice.Kind.allCases where kind != warning {
                        for _ in 1...Limits.noticesOfKind { try SQLStore.note(kind, of: ada, .random(), in: db, at: now) }
                    }
                }
            }
            let kinds = try await world.store.notices(of: ada).map(\.kind)
            #expect(kinds.filter { $0 == warning }.count == 1, "the owner sees it among all the others")
            #expect(kinds.count == 1 + (Notice.Kind.allCases.count - 1) * Limits.noticesOfKind)
            expect(try await world.store.notices(of: bob).count, is: 1)
            world.clock.advance(by: .seconds(3601))
            _ = try await world.store.writer.write { db, now in
                try SQLStore.note(warning, of: ada, .random(), in: db, at: now)
            }
            expect(try await world.store.notices(of: ada).first?.kind, is: warning, "and a new one")
        }
    }

    @Test func aDeviceWithManyNoticesPushesOutItsOwnThatWereDelivered() async throws {
        try await with { world in
            let (ada, phone, thief) = (world.ada, DeviceID.random(), DeviceID.random())
            func note(_ device: DeviceID, times: Int = 1) async throws {
                world.clock.advance(by: .seconds(1))
                try await world.store.writer.write { db, now in
                    for _ in 1...times { try SQLStore.note(.keysChanged, of: ada, device, in: db, at: now) }
                }
            }
            try await note(phone)
            try await note(thief)
            let waiting = try await world.store.notices(of: ada).map(\.id)
            try await note(thief)
            let delivered = try #require(try await world.store.notices(of: ada).first).id
            try await world.store.settle(delivered)
            try await note(thief, times: Limits.noticesOfKind - 2)
            let left = try await world.store.notices(of: ada).map(\.id)
            #expect(left.count == Limits.noticesOfKind && left.contains(waiting[0]) && left.contains(waiting[1]))
            #expect(!left.contains(delivered))
            try await note(thief, times: 2 * Limits.noticesOfKind)
            let last = try await world.store.notices(of: ada)
            #expect(last.count == Limits.noticesOfKind && last.filter { $0.device == phone.text }.count == 1)
        }
    }

    @Test func noticesThatOthersAreJoinedWithStayForThatTime() async throws {
        try await with { world in
            let (ada, devices) = (world.ada, (0..<(2 * Limits.noticesOfKind)).map { _ in DeviceID.random() })
            func note() async throws -> Int {
                try await world.store.writer.write { db, now in
                    try devices.filter { try SQLStore.note(.foreignKey, of: ada, $0, in: db, at: now) }.count
                }
            }
            expect(try await note(), is: devices.count)
            world.clock.advance(by: .seconds(3599))
            expect(try await note(), is: 0, "each is joined with the first one of its device")
            world.clock.advance(by: .seconds(2))
            expect(try await note(), is: devices.count)
            expect(try await world.rows("SELECT count(*) FROM notices"), is: devices.count, "the former ones have gone")
        }
    }

    @Test("a new notice pushes out the oldest one of the device with most, of its account and its kind")
    func pushedOut() async throws {
        try await with { world in
            let (ada, bob, laptop, tablet) = (world.ada, world.bob, DeviceID.random(), DeviceID.random())
            func note(
                _ account: AccountID, _ device: DeviceID?, _ kind: Notice.Kind = .passwordChanged, times: Int = 1
            ) async throws {
                world.clock.advance(by: .seconds(1))
                try await world.store.writer.write { db, now in
                    for _ in 1...times { try SQLStore.note(kind, of: account, device, in: db, at: now) }
                }
            }
            func count(_ account: AccountID, _ device: DeviceID?, _ kind: Notice.Kind = .passwordChanged) async throws -> Int {
                try await world.store.notices(of: account).filter { $0.kind == kind && $0.device == device?.text }.count
            }
            // Another account's and those of another kind are older, and there are more of them for one device.
            try await note(bob, nil)
            try await note(bob, tablet, times: Limits.noticesOfKind - 1)
            try await note(ada, nil, .accountEnabled)
            try await note(ada, tablet, .accountEnabled, times: Limits.noticesOfKind - 1)
            let half = Limits.noticesOfKind / 2
            try await note(ada, nil, times: half)
            expect(try await count(ada, nil), is: half, "there is room")
            try await note(ada, laptop, times: half)
            try await note(ada, laptop)
            expect(try await count(ada, nil), is: half - 1, "the new one is not counted among the laptop's")
            expect(try await count(ada, laptop), is: half + 1)
            for (account, kind) in [(ada, Notice.Kind.accountEnabled), (bob, .passwordChanged)] {
                expect(try await count(account, nil, kind), is: 1)
                expect(try await count(account, tablet, kind), is: Limits.noticesOfKind - 1)
            }
        }
    }

    @Test("a notice that others are joined with is neither pushed out nor counted", arguments: [false, true])
    func joinedStay(_ isDelivered: Bool) async throws {
        try await with { world in
            let (ada, first, second) = (world.ada, DeviceID.random(), DeviceID.random())
            func note(_ device: DeviceID = .random()) async throws {
                world.clock.advance(by: .seconds(1))
                expect(
                    try await world.store.writer.write { db, now in
                        try SQLStore.note(.foreignKey, of: ada, device, in: db, at: now)
                    }, is: true)
            }
            func ids(_ device: DeviceID) async throws -> [String] {
                try await world.store.notices(of: ada).filter { $0.device == device.text }.map(\.id)
            }
            for device in [first, second] { try await note(device) }
            for _ in 4...Limits.noticesOfKind { try await note() }
            let old = try await ids(first)
            world.clock.advance(by: .seconds(3600))
            // The second device has one more than the first, or the first one's newest is delivered, but both are young.
            try await note(isDelivered ? first : second)
            if isDelivered { try await world.store.settle(try #require(try await ids(first).first)) }
            try await note()
            expect(try await world.store.notices(of: ada).count, is: Limits.noticesOfKind)
            expect(try await ids(first).count, is: isDelivered ? 1 : 0)
            #expect(try await !ids(first).contains(old[0]), "the oldest one of all has gone")
        }
    }

    @Test("the newest notice stays, whatever its identifier") func newestStays() async throws {
        try await with { world in
            let (ada, phone) = (world.ada, DeviceID.random())
            try await world.store.writer.write { db, now in
                for _ in 1...Limits.noticesOfKind { try SQLStore.note(.keysChanged, of: ada, phone, in: db, at: now) }
                for id in try db.all(Data.self, sql: "SELECT id FROM notices") {
                    try db.run(sql: "UPDATE notices SET id = ? WHERE id = ?", arguments: [Data([0xFF]) + id.dropFirst(), id])
                }
                try SQLStore.note(.keysChanged, of: ada, phone, in: db, at: now)
            }
            expect(try await world.rows("SELECT count(*) FROM notices"), is: Limits.noticesOfKind)
            let ids = try await world.store.notices(of: ada).map(\.id)
            let highest = ids.filter { Identifier<NoticeKind>($0)?.bytes.first == 0xFF }
            #expect(highest.count == Limits.noticesOfKind - 1, "all but the newest")
        }
    }

    @Test("a notice of one account is not joined with another's") func joinedApart() async throws {
        try await with { world in
            let (ada, bob, phone) = (world.ada, world.bob, DeviceID.random())
            for account in [ada, bob, ada, bob] {
                _ = try await world.store.writer.write { db, now in
                    try SQLStore.note(.foreignKey, of: account, phone, in: db, at: now)
                }
            }
            for account in [ada, bob] { expect(try await world.store.notices(of: account).count, is: 1) }
        }
    }

    @Test func anAccountWithManyNoticesDelaysNoOthers() async throws {
        try await with { world in
            let (ada, bob) = (world.ada, world.bob)
            try await world.store.writer.write { db, now in
                for _ in 1...Limits.noticesOfKind { try SQLStore.note(.newDevice, of: ada, .random(), in: db, at: now) }
            }
            world.clock.advance(by: .seconds(60))
            _ = try await world.store.writer.write { db, now in
                try SQLStore.note(.newDevice, of: bob, .random(), in: db, at: now)
            }
            let round = try await world.store.takeDueNotices()
            #expect(round.map(\.notice.account).filter { $0 == bob.text }.count == 1)
            #expect(round.count == 14, "one each five seconds, and the other account's")
            expect(try await world.store.takeDueNotices().count, is: 0)
            world.clock.advance(by: .seconds(5))
            expect(try await world.store.takeDueNotices().count, is: 1)
        }
    }

    @Test func anEnrolmentAgainWithAnotherNameIsAudited() async throws {
        try await with { world in
            func renamed() async throws -> Int {
                try await world.store.auditRows(after: 0, limit: .max).count {
                    $0.event.contains(#""event":"device-renamed""#)
                }
            }
            var device = world.device("phone", of: world.ada)
            device.ifEnrolled = .replace
            for (name, rows) in [("phone", 0), ("phone", 0), ("another phone", 1), ("another phone", 1)] {
                device.name = name
                expect(try await world.enrol(device), is: "done")
                expect(try await renamed(), is: rows)
            }
        }
    }

    // MARK: Approvals

    @Test func oneBackEndTakesNoPlaceOfAnother() async throws {
        try await with { world in
            for number in 1...2 {
                guard case .made = try await world.ask(number, by: "shop", cap: 2) else {
                    Issue.record("there is room")
                    return
                }
            }
            guard case .tooMany = try await world.ask(3, by: "shop", cap: 2) else {
                Issue.record("the shop has two")
                return
            }
            guard case .made = try await world.ask(1, by: "bank", cap: 2) else {
                Issue.record("the bank has none yet")
                return
            }
        }
    }

    @Test("a back end is slowed by its own rate", arguments: [false, true])
    func rate(_ isForAccount: Bool) async throws {
        try await with { world in
            let slow = ApprovalRate(burst: 3, interval: .milliseconds(2500))
            let free = ApprovalRate(burst: 1000, interval: .milliseconds(1))
            func ask(_ number: Int, by creator: String = "bank", _ account: AccountID? = nil) async throws -> ApprovalCreation {
                // The same transaction each time, so that each one takes the place of the one before.
                try await world.ask(
                    number, by: creator, account, transaction: "t", rate: isForAccount ? free : slow,
                    rateForAccount: isForAccount ? slow : free)
            }
            for number in 1...3 {
                guard case .made = try await ask(number) else {
                    Issue.record("three at once")
                    return
                }
            }
            guard case .tooFast(let wait) = try await ask(4) else {
                Issue.record("one too many")
                return
            }
            #expect(wait == .seconds(3), "whole seconds, rounded up")
            let open = try await world.store.openApprovals(of: world.ada)
            #expect(open.map(\.txn) == ["txn 3"], "a refused request changes nothing")
            guard case .made = try await ask(1, by: "shop") else {
                Issue.record("another back end")
                return
            }
            let another = try await world.ask(
                5, by: "bank", world.bob, rate: isForAccount ? free : slow, rateForAccount: isForAccount ? slow : free)
            if case .made = another {
                #expect(isForAccount)
            } else {
                #expect(!isForAccount, "the rate of all accounts together")
            }
            world.clock.advance(by: wait)
            guard case .made = try await ask(6) else {
                Issue.record("after the wait")
                return
            }
            for left in [true, false] {
                try await world.store.purgeApprovals(before: UnixTime(seconds: 0))
                expect(try await world.rows("SELECT count(*) FROM approval_rates") > 0, is: left)
                world.clock.advance(by: .seconds(60))
            }
        }
    }

    @Test func theSecondAccountHasTheSameRate() async throws {
        try await with { world in
            let slow = ApprovalRate(burst: 3, interval: .milliseconds(2500))
            for number in 1...3 {
                let made = try await world.ask(number, world.ada, second: world.bob, rateForAccount: slow)
                guard case .made = made else {
                    Issue.record("three at once: \(made)")
                    return
                }
            }
            let eve = AccountID.random()
            _ = try await world.store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            for (first, second) in [(world.bob, nil), (eve, world.bob)] as [(AccountID, AccountID?)] {
                guard case .tooFast = try await world.ask(4, first, second: second, rateForAccount: slow) else {
                    Issue.record("bob was asked three times, as the second one")
                    return
                }
            }
            guard case .made = try await world.ask(4, eve, rateForAccount: slow) else {
                Issue.record("a refused request is not counted for the other account")
                return
            }
        }
    }

    /// One is refused because its second account has as many open approvals as it may, and one because of the rate.
    @Test("a refused request does not withdraw the approval that it would replace", arguments: [false, true])
    func refusedReplacement(_ isFree: Bool) async throws {
        try await with { world in
            let slow = ApprovalRate(burst: 2, interval: .milliseconds(2500))
            let free = ApprovalRate(burst: 1000, interval: .milliseconds(1))
            func ask(_ number: Int, _ account: AccountID, second: AccountID? = nil, _ transaction: String) async throws -> String
            {
                let outcome = try await world.ask(
                    number, account, transaction: transaction, cap: 1, second: second, rate: isFree ? free : slow,
                    rateForAccount: free)
                return switch outcome {
                case .made: "made"
                case .tooMany: "too many"
                case .tooFast: "too fast"
                default: "\(outcome)"
                }
            }
            func withdrawals() async throws -> Int {
                try await world.store.auditRows(after: 0, limit: .max).count {
                    $0.event.contains(#""event":"approval-withdrawn""#)
                }
            }
            expect(try await ask(1, world.bob, "bob's"), is: "made")
            expect(try await ask(2, world.ada, "t"), is: "made")
            expect(try await ask(3, world.ada, second: world.bob, "t"), is: "too many")
            expect(try await world.store.openApprovals(of: world.ada).map(\.txn), is: ["txn 2"])
            expect(try await ask(3, world.ada, "t"), is: isFree ? "made" : "too fast")
            let open = try await world.store.openApprovals(of: world.ada)
            #expect(open.map(\.txn) == [isFree ? "txn 3" : "txn 2"])
            expect(try await withdrawals(), is: isFree ? 1 : 0)
        }
    }

    @Test func endedApprovalsOfTheSecondAccountDoNotPileUp() async throws {
        try await with { world in
            let free = ApprovalRate(burst: 100_000, interval: .milliseconds(1))
            func ask(_ number: Int, by creator: String = "bank", transaction: String = "t") async throws {
                world.clock.advance(by: .seconds(1))
                // Each asks another first account, so only the second one's count is reached.
                let first = AccountID.random()
                _ = try await world.store.addAccount(Account(id: first, name: "first of \(first.text)", passwordHash: "x"))
                let made = try await world.ask(
                    number, by: creator, first, transaction: transaction, second: world.bob, rate: free, rateForAccount: free)
                guard case .made = made else {
                    Issue.record("\(number): \(made)")
                    return
                }
            }
            try await ask(0, transaction: "redeemed")
            try await ask(0, by: "shop")
            try await world.endThoseThatStay()
            for number in 1...(Limits.endedApprovals + 20) { try await ask(number) }
            expect(
                try await world.rows("SELECT count(*) FROM approvals WHERE creator = 'bank' AND state = 'withdrawn'"),
                is: Limits.endedApprovals)
            let open = try await world.store.openApprovals(of: world.bob)
            #expect(open.map(\.txn) == ["txn \(Limits.endedApprovals + 20)"])
            expect(try await world.rows("SELECT count(*) FROM approvals WHERE txn = 'txn 0'"), is: 2)
        }
    }

    @Test func withdrawnApprovalsDoNotPileUp() async throws {
        try await with { world in
            let free = ApprovalRate(burst: 100_000, interval: .milliseconds(1))
            func ask(
                _ number: Int, _ account: AccountID? = nil, by creator: String = "bank", transaction: String = "t"
            ) async throws {
                world.clock.advance(by: .seconds(1))
                let made = try await world.ask(
                    number, by: creator, account, transaction: transaction, rate: free, rateForAccount: free)
                guard case .made = made else {
                    Issue.record("\(number): \(made)")
                    return
                }
            }
            try await ask(0, world.bob, transaction: "bob's")
            try await ask(0, transaction: "redeemed")
            try await ask(0, by: "shop")
            try await world.endThoseThatStay()
            for number in 1...(Limits.endedApprovals + 20) { try await ask(number) }
            expect(
                try await world.rows("SELECT count(*) FROM approvals WHERE creator = 'bank' AND state = 'withdrawn'"),
                is: Limits.endedApprovals)
            let open = try await world.store.openApprovals(of: world.ada).filter { $0.creator == "bank" }
            #expect(open.map(\.txn) == ["txn \(Limits.endedApprovals + 20)"])
            expect(try await world.rows("SELECT count(*) FROM approvals WHERE txn = 'txn 0'"), is: 3)
        }
    }
}
#endif
