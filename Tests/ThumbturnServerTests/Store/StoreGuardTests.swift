#if Tools
import Crypto
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer
import ThumbturnVerifier

/// Conditions of single transactions that no flow reaches by itself, because an earlier check refuses the same.
@Suite struct StoreGuardTests {
    func with(_ body: (SQLStore, TestClock, AccountID) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let store = try TestStore.open(in: folder, clock)
        let account = AccountID.random()
        _ = try await store.addAccount(Account(id: account, name: "ada", passwordHash: "x"))
        _ = try await store.addClient(
            NewClient(id: "bank", scopes: [.approvals], keys: [try VerifyingKey(jwk: PINKeyTests.jwk(.init()))]))
        try await body(store, clock, account)
    }

    func device(_ name: String, _ account: AccountID, coolOff: Duration = .seconds(100)) -> NewDevice {
        NewDevice(
            id: .random(), account: account, name: name, sessionJKT: "\(name) session",
            keys: [
                .init(kid: "\(name) session", kind: .session, x963: [], isActive: true),
                .init(kid: "\(name) face", kind: .biometric, x963: [], isActive: true),
            ], coolOff: coolOff)
    }

    func spend(_ use: Spend.Use = .challenge) -> Spend {
        Spend(use, id: Identifier<StoreGuardTests>.random().bytes, expiresAt: UnixTime(seconds: 1_000_300), epoch: 0)
    }

    func session(_ name: String, _ store: SQLStore, id: SessionID = .random()) async throws -> SessionID {
        let new = NewSession(id: id, tokenHash: [])
        _ = try await store.openSession(new, by: .signIn("\(name) face", jkt: "\(name) session", spend()))
        return new.id
    }

    @Test("a step-up by an unlock needs the unlock's key as it is now") func stepUpByUnlock() async throws {
        try await with { store, clock, account in
            // The session of another key comes first, in either engine's order.
            _ = try await store.enrol(device("other", account), spending: [])
            _ = try await session("other", store, id: SessionID(unchecked: [UInt8](repeating: 0, count: 16)))
            _ = try await store.enrol(device("first", account), spending: [])
            let unlock = try await session("first", store)
            let ask = try #require(ActionAsk("account-balance"))
            func opens() async throws -> Bool {
                try await store.openStepUp(.random(), byUnlock: unlock, of: "first session") { _, _ in
                    ActionGrant(ask, keys: [.biometric], shown: [], once: false, byUnlock: true)
                } != nil
            }
            for (change, undo) in [
                ("retired_at = 1", "retired_at = NULL"), ("active_since = NULL", "active_since = 1"),
                ("paused_until = 5000000000", "paused_until = 0"), ("wrong_in_a_row = 100", "wrong_in_a_row = 0"),
            ] {
                func set(_ values: String) async throws {
                    try store.pool.write { try $0.execute(sql: "UPDATE keys SET \(values) WHERE kid = 'first face'") }
                }
                try await set(change)
                expect(try await opens(), is: false, "\(change)")
                try await set(undo)
                expect(try await opens(), is: true, "\(undo)")
            }
            let told = try await store.auditRows(after: 0, limit: 100).filter { $0.event.contains("\"step-up\"") }
            #expect(told.count == 4, "each is told")
            for _ in 1...Limits.stepUps { expect(try await opens(), is: true) }
            let count = try await store.pool.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions WHERE granted IS NOT NULL")
            }
            #expect(count == Limits.stepUps, "the oldest ones end")
        }
    }

    @Test("the group of the account itself decides about a visit, which ends once") func visits() async throws {
        try await with { store, clock, account in
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            try store.pool.write { db in
                try db.execute(
                    sql: "INSERT INTO account_groups (name, protection, verification) VALUES ('staff', 'software', 'pin')")
            }
            func open(of account: AccountID) async throws -> SessionView? {
                let ticket = Tickets.Right(
                    account: account, spend: spend(.ticket), voucher: nil, freshness: .fresh,
                    credentials: .init(methods: ["pwd"], verifiedAt: clock.now))
                return try await store.openVisit(
                    NewVisit(id: .random(), tokenHash: [], jkt: "visit", lifetime: .seconds(300)), by: ticket)
            }
            for (strict, other) in [(account, eve), (eve, account)] {
                expect(try await store.setGroup("staff", of: strict), is: true)
                expect(try await store.setGroup("", of: other), is: true)
                expect(try await open(of: strict) == nil, is: true)
                let visit = try #require(try await open(of: other))
                #expect(visit.coolsOffUntil == UnixTime(seconds: 0) && visit.isLive && visit.account == other)
                let ends = try await store.writer.write { db, now in
                    try ["another", "visit", "visit"].map { try SQLStore.endVisit(visit.id, of: $0, in: db, at: now) }
                }
                #expect(ends == [false, true, false])
            }
        }
    }

    @Test("a device cools off if its account has another device, or had one lately") func coolOff() async throws {
        try await with { store, clock, account in
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            _ = try await store.enrol(device("eve's", eve), spending: [])
            func coolsOff(_ name: String) async throws -> Bool {
                try #require(try await store.key("\(name) face")).coolsOffUntil > clock.now
            }
            let first = device("first", account)
            _ = try await store.enrol(first, spending: [])
            expect(try await coolsOff("first"), is: false, "another account's device does not count, nor does it itself")
            expect(try await store.revoke(first.id, of: account), is: true)
            _ = try await store.enrol(device("second", account), spending: [])
            expect(try await coolsOff("second"), is: true, "a device that was revoked just now counts")
            expect(try await store.revoke(try #require(try await store.key("second face")).device, of: account), is: true)
            clock.advance(by: .seconds(24 * 3600))
            _ = try await store.enrol(device("third", account), spending: [])
            expect(try await coolsOff("third"), is: false, "one that was revoked a cool-off ago does not")
            _ = try await store.enrol(device("fourth", account), spending: [])
            expect(try await coolsOff("fourth"), is: true)
        }
    }

    @Test("a device that cools off vouches for none") func coolingVoucher() async throws {
        try await with { store, clock, account in
            _ = try await store.enrol(device("first", account), spending: [])
            _ = try await store.enrol(device("second", account), spending: [])
            for (name, isEnrolled) in [("first", true), ("second", false)] {
                let new = device("by \(name)", account)
                let ticket = Tickets.Right(
                    account: account, spend: spend(.ticket), voucher: try await session(name, store), freshness: .fresh)
                let outcome = try await store.enrol(
                    new, by: Authorisation(rules: .enrol, spends: [], grounds: .ticket(ticket), jkt: new.sessionJKT))
                #expect((outcome.name == "done") == isEnrolled)
            }
        }
    }

    @Test("a session of a PIN lets in a device, which cools off") func voucherByPIN() async throws {
        try await with { store, clock, account in
            var first = device("first", account)
            first.keys.append(.init(kid: "first pin", kind: .pin, x963: [], isActive: true))
            _ = try await store.enrol(first, spending: [])
            let opened = NewSession(id: .random(), tokenHash: [])
            _ = try await store.openSession(opened, by: .signIn("first pin", jkt: "first session", spend()))
            let new = device("second", account)
            let ticket = Tickets.Right(account: account, spend: spend(.ticket), voucher: opened.id, freshness: .fresh)
            let outcome = try await store.enrol(
                new, by: Authorisation(rules: .enrol, spends: [], grounds: .ticket(ticket), jkt: new.sessionJKT))
            #expect(outcome.name == "done")
            let key = try #require(try await store.key("second face"))
            #expect(key.enrolledBy == .pin && key.coolsOffUntil == clock.now + .seconds(100))
        }
    }

    @Test("a known key is read from memory until it counts a wrong signature") func knownKey() async throws {
        try await with { store, _, account in
            _ = try await store.enrol(device("ada", account), spending: [])
            func name() async throws -> String? { try await store.knownKey("ada face")?.accountName }
            expect(try await name(), is: "ada")
            try store.pool.write { try $0.execute(sql: "UPDATE accounts SET name = 'eve'") }
            expect(try await store.key("ada face")?.accountName, is: "eve")
            expect(try await name(), is: "ada")
            let outcome = try await store.openSession(
                NewSession(id: .random(), tokenHash: []), by: .signIn("ada face", jkt: "ada session", spend()))
            guard case .done(let session) = outcome else {
                Issue.record("the key signs in")
                return
            }
            #expect(session.accountName == "ada", "a sign-in does not read the row again")
            expect(try await name(), is: "ada", "and leaves the key in memory")
            _ = try await store.countWrongSignature(of: "ada face", spending: [spend()])
            expect(try await name(), is: "eve")
        }
    }

    @Test("a key with a wrong signature is not kept in memory") func wrongKey() async throws {
        try await with { store, _, account in
            _ = try await store.enrol(device("ada", account), spending: [])
            _ = try await store.countWrongSignature(of: "ada face", spending: [spend()])
            expect(try await store.knownKey("ada face")?.wrongInARow, is: 1)
            try store.pool.write { try $0.execute(sql: "UPDATE keys SET wrong_in_a_row = 2") }
            expect(try await store.knownKey("ada face")?.wrongInARow, is: 2)
        }
    }

    @Test("a session that has ended keeps the time of its end") func endsOnce() async throws {
        try await with { store, clock, account in
            _ = try await store.enrol(device("ada", account), spending: [])
            let (over, granted) = (try await session("ada", store), try await session("ada", store))
            _ = try await session("ada", store)
            try store.pool.write {
                try $0.execute(sql: "UPDATE sessions SET granted = '{}' WHERE id = ?", arguments: [Data(granted.bytes)])
            }
            func ends() async throws -> [Int64] {
                try await store.pool.read {
                    try Int64.fetchAll($0, sql: "SELECT coalesce(ended_at, 0) FROM sessions ORDER BY coalesce(ended_at, 0)")
                }
            }
            let first = clock.now.seconds
            try await store.end(over, by: "ada session")
            expect(try await ends(), is: [0, first, first], "the session, and the step-up of its device")
            clock.advance(by: .seconds(10))
            try await store.end(over, by: "ada session")
            let rotation = RefreshRotation(
                session: over, generation: 9, tokenHash: [], successorHash: [], jkt: "ada session", grace: .zero,
                lifetime: .seconds(90_000), idleLimit: .seconds(90_000))
            guard case .over = try await store.rotate(rotation) else {
                Issue.record("a session that has ended has no successor")
                return
            }
            expect(try await ends(), is: [0, first, first])
            clock.advance(by: .seconds(10))
            try await store.beginEpoch()
            expect(try await ends(), is: [first, first, first + 20])
        }
    }

    @Test("a session that has ended revokes nothing, and a revoked device has no new name") func ended() async throws {
        try await with { store, _, account in
            let (first, second) = (device("first", account), device("second", account))
            for device in [first, second] { _ = try await store.enrol(device, spending: []) }
            let (live, over) = (try await session("first", store), try await session("first", store))
            try await store.end(over, by: "first session")
            expect(try await store.revoke(second.id, by: over), is: false)
            expect(try await store.revoke(second.id, by: .random()), is: false)
            expect(try await store.rename(second.id, to: "new", by: over)?.name, is: nil)
            expect(try await store.rename(second.id, to: "new", by: live)?.name, is: "new")
            expect(try await store.revoke(second.id, by: live), is: true)
            expect(try await store.rename(second.id, to: "newer", by: live)?.name, is: nil)
            expect(try await store.revoke(second.id, by: live), is: false)
        }
    }

    @Test("approvals that expired or were declined leave room for others", arguments: [false, true])
    func cap(_ isSecond: Bool) async throws {
        try await with { store, clock, account in
            let other = AccountID.random()
            _ = try await store.addAccount(Account(id: other, name: "bob", passwordHash: "x"))
            _ = try await store.addClient(NewClient(id: "shop", scopes: [.approvals], keys: []))
            func ask(_ number: Int, by creator: String = "bank", txn: String = "e30") async throws -> Bool {
                let new = NewApproval(
                    id: .random(), creator: creator, transactionID: "t-\(number)", account: isSecond ? other : account,
                    second: isSecond ? account : nil, txn: txn, demand: .oneKey, lifetime: .seconds(60), cap: 2)
                guard case .made = try await store.create(new) else { return false }
                return true
            }
            expect(try await ask(1), is: true)
            expect(try await ask(2), is: true)
            expect(try await ask(3), is: false)
            expect(try await ask(1, txn: "W10"), is: true, "in the place of one with other contents")
            expect(try await ask(3), is: false)
            expect(try await ask(3, by: "shop"), is: true, "another back end's are counted apart")
            clock.advance(by: .seconds(60))
            expect(try await ask(4), is: true)
            expect(try await ask(5), is: true)
            let open = try await store.openApprovals(of: account).filter { $0.expiresAt > clock.now }
            #expect(open.count == 2)
            _ = try await store.enrol(device("ada", account), spending: [])
            for approval in open { _ = try await store.decline(approval.id, byDeviceOf: "ada session") }
            expect(try await store.openApprovals(of: account).filter { $0.expiresAt > clock.now }.count, is: 0)
            expect(try await ask(6), is: true)
        }
    }

    @Test("a later signature by the same factor replaces the former one whole") func laterSignature() async throws {
        try await with { store, clock, account in
            let demand = try #require(ApprovalDemand(keys: [.biometric, .pin]))
            let new = NewApproval(
                id: .random(), creator: "bank", transactionID: "t", account: account, second: nil, txn: "e30", demand: demand,
                lifetime: .seconds(60), cap: 2)
            _ = try await store.create(new)
            for name in ["first", "second"] {
                var device = device(name, account, coolOff: .zero)
                (device.quota, device.keys) = (
                    .unbounded, device.keys + [.init(kid: "\(name) pin", kind: .pin, x963: [], isActive: true)]
                )
                _ = try await store.enrol(device, spending: [])
            }
            func sign(_ key: String, _ proof: String, liveness: String?) async throws -> ApprovalView? {
                clock.advance(by: .seconds(1))
                let signature = NewApprovalSignature(
                    approval: new.id, account: account, txn: "e30", demand: demand, proof: proof, liveness: liveness,
                    redeemableFor: .seconds(300))
                let device = key.split(separator: " ")[0]
                let authorisation = Authorisation(
                    rules: .approve, spends: [spend()], grounds: .keys([key]), jkt: "\(device) session")
                guard case .done(let approval) = try await store.approve(signature, by: authorisation) else { return nil }
                return approval
            }
            for (key, proof, liveness) in [
                ("first face", "a", "live"), ("first face", "b", nil), ("second face", "c", "live"), ("first face", "d", nil),
            ] {
                let approval = try #require(try await sign(key, proof, liveness: liveness))
                let signature = try #require(approval.signatures.first)
                #expect(approval.signatures.count == 1 && approval.state == .open)
                #expect(signature.kid == key && signature.proof == proof && signature.liveness == liveness)
                #expect(signature.at == clock.now)
                #expect(try await store.key(key)?.device == signature.device)
            }
            let approval = try #require(try await sign("first pin", "e", liveness: nil))
            #expect(approval.state == .approved && approval.signatures.map(\.kid) == ["first face", "first pin"])
            #expect(approval.signatures.map(\.proof) == ["d", nil])
        }
    }

    @Test("an approval that ended is not withdrawn by a changed transaction") func endedApproval() async throws {
        try await with { store, _, account in
            let new = NewApproval(
                id: .random(), creator: "bank", transactionID: "t", account: account, second: nil, txn: "e30", demand: .oneKey,
                lifetime: .seconds(60), cap: 2)
            _ = try await store.create(new)
            _ = try await store.enrol(device("ada", account), spending: [])
            _ = try await store.decline(new.id, byDeviceOf: "ada session")
            let redemption = Redemption(approval: new.id, creator: "bank", key: "k", txn: "W10") { _, _, _ in "" }
            guard case .changed = try await store.redeem(redemption) else {
                Issue.record("redeemed with another transaction")
                return
            }
            expect(try await store.approval(new.id)?.state, is: .declined)
            expect(try await refusals(in: store), is: 0, "the call ended nothing")
        }
    }

    @Test("a changed transaction has one row in the audit log, however often it is redeemed", arguments: [false, true])
    func changedTransaction(_ isSigned: Bool) async throws {
        try await with { store, _, account in
            let new = NewApproval(
                id: .random(), creator: "bank", transactionID: "t", account: account, second: nil, txn: "e30", demand: .oneKey,
                lifetime: .seconds(60), cap: 2)
            _ = try await store.create(new)
            if isSigned {
                try store.pool.write { db in
                    try db.execute(sql: "UPDATE approvals SET state = 'approved' WHERE id = ?", arguments: [blob(new.id.bytes)])
                }
            }
            let redemption = Redemption(approval: new.id, creator: "bank", key: "k", txn: "W10") { _, _, _ in "" }
            for _ in 1...5 {
                guard case .changed = try await store.redeem(redemption) else {
                    Issue.record("redeemed with another transaction")
                    return
                }
            }
            expect(try await store.approval(new.id)?.state, is: .withdrawn)
            expect(try await refusals(in: store), is: 1)
        }
    }

    /// The number of rows of refused redemptions in the audit log.
    private func refusals(in store: SQLStore) async throws -> Int {
        try await store.auditRows(after: 0, limit: .max).filter { $0.event.contains(#""event":"redemption-refused""#) }.count
    }

    @Test("an account's wrong signatures are noted once an hour, whatever others have") func hourlyNotice() async throws {
        try await with { store, clock, account in
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            for (name, owner) in [("eve", eve), ("ada", account)] {
                _ = try await store.enrol(device(name, owner), spending: [])
            }
            func noted(_ account: AccountID) async throws -> Int {
                try await store.notices(of: account).filter { $0.kind == .wrongSignatures }.count
            }
            func sign(_ name: String, _ count: Int) async throws {
                for _ in 0..<count { _ = try await store.countWrongSignature(of: "\(name) face", spending: [fresh(clock)]) }
            }
            try await sign("eve", 5)
            try await sign("ada", 4)
            expect(try await noted(account), is: 0)
            try await sign("ada", 1)
            expect(try await noted(account), is: 1)
            clock.advance(by: .seconds(3599))
            try await sign("ada", 1)
            expect(try await noted(account), is: 1)
            clock.advance(by: .seconds(1))
            // The sixth began a pause of a minute, in which nothing is counted.
            try store.pool.write { try $0.execute(sql: "UPDATE keys SET paused_until = 0") }
            try await sign("ada", 1)
            expect(try await noted(account), is: 2)
            expect(try await noted(eve), is: 1)
        }
    }

    @Test("a leaked refresh token is noted once an hour") func foreignKey() async throws {
        try await with { store, clock, account in
            _ = try await store.enrol(device("ada", account), spending: [])
            let session = try await session("ada", store)
            func present() async throws -> Int {
                let rotation = RefreshRotation(
                    session: session, generation: 0, tokenHash: [], successorHash: [], jkt: "another", grace: .zero,
                    lifetime: .seconds(90_000), idleLimit: .seconds(90_000))
                guard case .foreign = try await store.rotate(rotation) else { return -1 }
                return try await store.notices(of: account).filter { $0.kind == .foreignKey }.count
            }
            expect(try await present(), is: 1)
            clock.advance(by: .seconds(3599))
            expect(try await present(), is: 1)
            clock.advance(by: .seconds(1))
            expect(try await present(), is: 2)
        }
    }

    /// Enrols a device and has it try wrong passwords until it has to wait.
    private func tryWrongly(
        _ account: AccountID, _ store: SQLStore
    ) async throws -> (device: NewDevice, attempt: SignInAttempt) {
        let phone = device("ada", account)
        _ = try await store.enrol(phone, spending: [])
        let attempt = SignInAttempt(
            account: account, evidence: .nothing, inARow: [.device(phone.id)], byRate: [], limits: .standard)
        for _ in 0..<5 { _ = try await store.settle(attempt) }
        return (phone, attempt)
    }

    @Test("the notice of wrong sign-ins names the device that they count at") func wrongSignInsOfADevice() async throws {
        try await with { store, _, account in
            let (phone, _) = try await tryWrongly(account, store)
            let noted = try await store.notices(of: account).filter { $0.kind == .wrongSignIns }
            #expect(noted.map(\.device) == [phone.id.text])
        }
    }

    @Test("wrong attempts in a row are free, then wait, then end") func inARow() async throws {
        try await with { store, clock, account in
            var limits = ThrottleLimits()
            (limits.freeInARow, limits.mostInARow) = (3, 5)
            let wrong = SignInAttempt(
                account: account, evidence: .nothing, inARow: [.account(account)], byRate: [], limits: limits)
            func noted() async throws -> Int {
                try await store.notices(of: account).filter { $0.kind == .wrongSignIns }.count
            }
            for _ in 0..<2 { expect(try await store.settle(wrong), is: .wrong) }
            expect(try await store.standing(of: wrong), is: .open)
            expect(try await noted(), is: 0)
            expect(try await store.settle(wrong), is: .wrong)
            expect(try await noted(), is: 1)
            clock.advance(by: .seconds(29))
            expect(try await store.standing(of: wrong), is: .paused)
            clock.advance(by: .seconds(1))
            expect(try await store.standing(of: wrong), is: .open)
            expect(try await store.settle(wrong), is: .wrong)
            clock.advance(by: .seconds(60))
            expect(try await store.standing(of: wrong), is: .open)
            expect(try await noted(), is: 1)
            clock.advance(by: .seconds(3600 - 91))
            expect(try await store.settle(wrong), is: .wrong)
            expect(try await noted(), is: 1, "an hour has not passed")
            clock.advance(by: .seconds(100_000))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.standing(of: wrong), is: .paused, "the fifth ends it")
        }
    }

    @Test("an address has its burst, and one more attempt after each refill") func byRate() async throws {
        try await with { store, clock, _ in
            var limits = ThrottleLimits()
            limits.addressBurst = 3
            func from(_ address: UInt16) -> SignInAttempt {
                SignInAttempt(account: nil, evidence: .nothing, inARow: [], byRate: [.address(address)], limits: limits)
            }
            for _ in 0..<3 { expect(try await store.settle(from(1)), is: .wrong) }
            expect(try await store.settle(from(1)), is: .closed)
            expect(try await store.settle(from(2)), is: .wrong)
            clock.advance(by: .seconds(29))
            expect(try await store.standing(of: from(1)), is: .closed)
            clock.advance(by: .seconds(1))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.settle(from(1)), is: .wrong)
            expect(try await store.settle(from(1)), is: .closed)
        }
    }

    @Test("the counts of names are kept up to a number, those of the latest attempts") func mostNames() throws {
        try SQLitePool(inMemory: nil).write { db in
            for number in 1...4 {
                for scope in [1, 3] {
                    try db.execute(
                        sql: "INSERT INTO throttles (scope, id, wrong, until) VALUES (?, ?, 1, ?)",
                        arguments: [scope, Data([UInt8(number)]), 10 * number])
                }
            }
            try SQLStore.forgetThrottles(in: db, at: UnixTime(seconds: 1_000_000), keeping: 2)
            let kept = try db.all(ThumbturnServer.Row.self, sql: "SELECT scope, until FROM throttles ORDER BY scope, until")
            expect(try kept.map { try $0["scope"] as Int }, is: [1, 1, 3, 3, 3, 3])
            expect(try kept.prefix(2).map { try $0["until"] as Int }, is: [30, 40])
        }
        #expect(Duration.seconds(Limits.names) > .seconds(100 * 3600), "waiting is the faster way to guess")
    }

    /// The count of a name.
    private func name(_ number: UInt8) -> ThrottleID {
        .account(AccountID(unchecked: [UInt8](repeating: 0, count: 15) + [number]))
    }

    /// A wrong sign-in that is noted at once and followed by no wait.
    private func noted(_ account: AccountID?, _ id: ThrottleID) -> SignInAttempt {
        var limits = ThrottleLimits()
        (limits.freeInARow, limits.firstWait) = (1, .zero)
        return SignInAttempt(account: account, evidence: .nothing, inARow: [id], byRate: [], limits: limits)
    }

    @Test("a name without an account is noted once an hour, as an account is") func unknownNames() async throws {
        try await with { store, clock, account in
            func notes(_ sql: String) async throws -> Int? { try await store.pool.read { try Int.fetchOne($0, sql: sql) } }
            func wrong(_ place: UInt8) async throws -> Int? {
                _ = try await store.settle(noted(nil, name(place)))
                return try await notes("SELECT count(*) FROM notices_to_nobody")
            }
            func wrongHers() async throws -> Int? {
                _ = try await store.settle(noted(account, .account(account)))
                return try await notes("SELECT count(*) FROM notices")
            }
            expect(try await wrong(1), is: 1)
            expect(try await wrong(2), is: 2, "another name")
            expect(try await wrong(1), is: 2)
            expect(try await wrongHers(), is: 1)
            try store.pool.write {
                try $0.execute(
                    sql: "INSERT INTO notices_to_nobody (id, place, kind, at) VALUES (?, ?, 'another', 1000000)",
                    arguments: [Data([3]), Data(name(3).bytes)])
            }
            expect(try await wrong(3), is: 4, "a note of another kind does not count")
            clock.advance(by: .seconds(3599))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await wrong(1), is: 4)
            expect(try await wrongHers(), is: 1)
            clock.advance(by: .seconds(1))
            expect(try await wrong(1), is: 5)
            expect(try await wrongHers(), is: 2)
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await notes("SELECT count(*) FROM notices_to_nobody"), is: 1, "the notes of an hour ago are gone")
        }
    }

    @Test("notes of one name push out none of another's") func notesApart() async throws {
        try await with { store, _, _ in
            try store.pool.write { db in
                for number in 1...Limits.noticesOfKind {
                    try db.execute(
                        sql: "INSERT INTO notices_to_nobody (id, place, kind, at) VALUES (?, ?, ?, ?)",
                        arguments: [
                            Data([UInt8(number)]), Data(name(2).bytes), Notice.Kind.wrongSignIns.rawValue, 990_000 + number,
                        ])
                }
            }
            _ = try await store.settle(noted(nil, name(1)))
            let count = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notices_to_nobody") }
            #expect(count == Limits.noticesOfKind + 1)
        }
    }

    @Test("an account that is unlocked forgets what was counted at its own live devices") func unlockedDevices() async throws {
        try await with { store, _, account in
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            let devices = [device("first", account), device("gone", account), device("eve's", eve)]
            for device in devices { _ = try await store.enrol(device, spending: []) }
            expect(try await store.revoke(devices[1].id, of: account), is: true)
            for device in devices { _ = try await store.settle(noted(account, .device(device.id))) }
            try await store.unlock(account)
            let wrong = try await store.pool.read { db in
                try devices.map { try SQLStore.row(.device($0.id), in: db).wrong }
            }
            #expect(wrong == [0, 1, 1])
        }
    }

    @Test("an equal notice is looked for among those of one device, of none, or of any") func equalNotices() async throws {
        try await with { store, clock, account in
            let phone = device("ada", account)
            _ = try await store.enrol(phone, spending: [])
            let now = clock.now
            try store.pool.write { db in
                func isNoted(_ subject: SQLStore.NoticeSubject, since time: UnixTime) throws -> Bool {
                    try SQLStore.wasNoted(.wrongSignIns, of: account, subject, since: time, in: db)
                }
                let before = now + .seconds(-1)
                #expect(try !isNoted(.anyDevice, since: before))
                try SQLStore.note(.wrongSignIns, of: account, phone.id, in: db, at: now)
                #expect(try isNoted(.anyDevice, since: before) && isNoted(.device(phone.id), since: before))
                #expect(try !isNoted(.device(nil), since: before), "the notice is about a device")
                #expect(try !isNoted(.anyDevice, since: now))
                try SQLStore.note(.wrongSignIns, of: account, nil, in: db, at: now)
                #expect(try isNoted(.device(nil), since: before))
            }
        }
    }

    @Test("without any account, a sign-in is as wrong as with others") func noAccounts() async throws {
        try await with { store, _, _ in
            try store.pool.write { try $0.execute(sql: "DELETE FROM accounts") }
            for evidence in [SignInAttempt.Evidence.nothing, .password(oneTimeStep: nil)] {
                var attempt = noted(nil, name(1))
                attempt.evidence = evidence
                expect(try await store.settle(attempt), is: .wrong)
            }
        }
    }

    @Test("each step of one-time codes is accepted once, and again with a new secret") func steps() async throws {
        try await with { store, _, account in
            func settle(_ step: Int64) async throws -> SignInStanding {
                var attempt = noted(account, .account(account))
                attempt.evidence = .password(oneTimeStep: step)
                attempt.credentialGeneration = try #require(try await store.account(named: "ada")).credentialGeneration
                return try await store.settle(attempt)
            }
            try await store.setOneTimeSecret([1], of: account)
            expect(try await settle(7), is: .open)
            expect(try await settle(7), is: .wrong)
            try await store.setOneTimeSecret([2], of: account)
            expect(try await settle(7), is: .open)
        }
    }

    @Test("counts of two kinds are apart where their bytes are equal") func scopes() async throws {
        try await with { store, _, account in
            try await store.count(against: [.address(7)], limits: .standard)
            expect(try await store.standing(of: noted(nil, name(7))), is: .open, "an address is no name")
            var attempt = noted(account, .device(DeviceID(unchecked: account.bytes)))
            attempt.limits.firstWait = .seconds(30)
            expect(try await store.settle(attempt), is: .wrong)
            try await store.unlock(account)
            expect(try await store.standing(of: attempt), is: .closed, "an account is no device")
            attempt.inARow = [.account(account)]
            expect(try await store.settle(attempt), is: .wrong)
            try await store.unlock(account)
            expect(try await store.standing(of: attempt), is: .open)
        }
    }

    @Test("a purge forgets the counts that have returned to zero, and of accounts none") func forgotten() async throws {
        try await with { store, clock, account in
            var limits = ThrottleLimits()
            limits.freeInARow = 3
            func from(_ id: ThrottleID) -> SignInAttempt {
                SignInAttempt(account: nil, evidence: .nothing, inARow: [id], byRate: [.address(1)], limits: limits)
            }
            func purge() async throws -> [Int] {
                try await store.purge(sessionsBefore: UnixTime(seconds: 0))
                return try await store.pool.read { try Int.fetchAll($0, sql: "SELECT scope FROM throttles ORDER BY scope") }
            }
            for _ in 0..<2 { expect(try await store.settle(from(name(1))), is: .wrong) }
            // Nothing was compared, so nothing is counted.
            for id in [name(2), .account(account)] {
                var attempt = from(id)
                attempt.isJudged = false
                expect(try await store.settle(attempt), is: .paused)
            }
            expect(try await purge(), is: [1, 1, 1, 4], "names and accounts are kept alike")
            clock.advance(by: .seconds(120))
            expect(try await purge(), is: [1, 1, 1], "and the address has a count no more")
            expect(try await store.settle(from(name(1))), is: .wrong)
            expect(try await store.standing(of: from(name(1))), is: .paused, "the third in a row")
        }
    }

    private func fresh(_ clock: TestClock) -> Spend {
        Spend(.challenge, id: Identifier<StoreGuardTests>.random().bytes, expiresAt: clock.now + .seconds(60), epoch: 0)
    }

    @Test("a notice is delivered again after 30 s, and is kept for 30 days") func notices() async throws {
        try await with { store, clock, account in
            try await store.setRecoveryCodes([], of: account)
            expect(try await store.takeDueNotices().count, is: 1)
            try await store.setRecoveryCodes([], of: account)
            expect(try await store.takeDueNotices().map(\.tries), is: [0], "the first one is not due")
            clock.advance(by: .seconds(29))
            expect(try await store.takeDueNotices().count, is: 0)
            clock.advance(by: .seconds(1))
            expect(try await store.takeDueNotices().map(\.tries), is: [1, 1])
            let due = try await store.notices(of: account)
            try await store.settle(due[0].id)
            clock.advance(by: .seconds(60))
            expect(try await store.takeDueNotices().map(\.notice.id), is: [due[1].id])
            clock.advance(by: .seconds(30 * 24 * 3600 - 91))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.notices(of: account).count, is: 2)
            clock.advance(by: .seconds(1))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.notices(of: account).count, is: 0)
        }
    }

    @Test("a purge forgets what has expired, and nothing else") func purge() async throws {
        try await with { store, clock, _ in
            let (short, long) = (fresh(clock), spend())
            expect(try await store.spend([short, long]), is: true)
            clock.advance(by: .seconds(60))
            try await store.purge(sessionsBefore: UnixTime(seconds: 0))
            expect(try await store.spentCount(), is: 1)
            expect(try await store.spend([long]), is: false)
        }
    }

    @Test("two secrets of challenges are kept, and all other secrets") func secrets() async throws {
        try await with { store, _, _ in
            for _ in 0..<4 {
                _ = try await store.secrets(
                    checking: { _ in }, renewing: { _ in true },
                    make: { SealedSecret(id: Identifier<StoreGuardTests>.random().text, use: $0, createdAt: $1, sealed: []) })
            }
            let kept = try await store.secrets(checking: { _ in }, renewing: { _ in false }, make: { _, _ in fatalError() })
                .secrets
            #expect(kept.filter { $0.use == .challenge }.count == 2)
            #expect(kept.filter { $0.use == .token }.count == 4 && kept.filter { $0.use == .refresh }.count == 4)
        }
    }

    @Test("a new epoch ends the secrets of challenges and of refresh tokens, and no key of access tokens")
    func secretsOfAnEpoch() async throws {
        try await with { store, _, _ in
            _ = try await store.secrets(
                checking: { _ in }, renewing: { _ in false },
                make: { SealedSecret(id: Identifier<StoreGuardTests>.random().text, use: $0, createdAt: $1, sealed: []) })
            func uses() async throws -> [String] {
                try await store.pool.read { try String.fetchAll($0, sql: "SELECT use FROM secrets ORDER BY use") }
            }
            expect(try await uses(), is: ["challenge", "refresh", "token"])
            try await store.beginEpoch()
            expect(try await uses(), is: ["token"])
        }
    }

    @Test("a new secret is newer than all others of its use") func newerSecret() async throws {
        try await with { store, clock, _ in
            for (use, seconds) in [(SecretUse.refresh, 0), (.refresh, 1), (.refresh, 2), (.token, 0), (.token, 1)] {
                try await store.addSecret(for: use) { time in
                    #expect(time == clock.now + .seconds(seconds))
                    return SealedSecret(id: "\(use) \(seconds)", use: use, createdAt: time, sealed: [])
                }
            }
        }
    }

    @Test("a backup that is not there is not made") func missingBackup() async throws {
        try await with { store, _, _ in
            let path = LiveServer.temporaryFolder() + ".backup"
            await #expect(throws: SetupError.self) {
                try await store.restore(from: path, coolOff: .zero, sealing: { sealed, _ in sealed })
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("where the master key was changed meanwhile, a restore changes nothing") func changedMasterKey() async throws {
        try await with { store, _, _ in
            let path = LiveServer.temporaryFolder() + ".backup"
            defer { try? FileManager.default.removeItem(atPath: path) }
            _ = try await store.addSecret(for: .token) {
                SealedSecret(id: "token", use: .token, createdAt: $0, sealed: [7])
            }
            try await store.backUp(to: path)
            let before = try await store.secretsEdition()
            await #expect(throws: SetupError.self) {
                try await store.restore(
                    from: path, coolOff: .zero, sealing: { sealed, _ in sealed },
                    own: { sealed, label in
                        #expect(sealed == [7] && label == SealLabel.secret("token", use: "token"))
                        throw SetupError.masterKeyWrong
                    })
            }
            expect(try await store.secretsEdition(), is: before)
        }
    }

    @Test(
        "what others have signed is remembered ten minutes longer than what this server made",
        arguments: [
            (Spend.Use.challenge, false), (.assertion, true), (.idToken, true), (.ticket, false),
        ])
    func remembered(_ use: Spend.Use, isLonger: Bool) async throws {
        try await with { store, clock, _ in
            let spent = spend(use)
            expect(try await store.spend([spent]), is: true)
            func isThere(after seconds: Int) async throws -> Bool {
                clock.advance(by: .seconds(seconds))
                for _ in 1...2 { try await store.purge(sessionsBefore: UnixTime(seconds: 0)) }
                return try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM spent") } == 1
            }
            expect(try await isThere(after: 299), is: true)
            expect(try await isThere(after: 600), is: isLonger)
            expect(try await isThere(after: 1), is: false)
        }
    }

    @Test("the backup of another folder is taken over") func foreignBackup() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let backup = try DatabaseQueue(path: folder + "/backup")
        try Schema.migrator.migrate(backup)
        try await backup.write { try $0.execute(sql: "UPDATE node SET place = 'elsewhere'") }
        try backup.close()
        let time = NodeTime(TestClock(UnixTime(seconds: 1_000_000)).node)
        let store = try SQLStore(path: folder + "/store.sqlite", time: time)
        try await store.restore(from: folder + "/backup", coolOff: .zero, sealing: { sealed, _ in sealed })
        let again = try SQLStore(path: folder + "/store.sqlite", time: time)
        #expect(!again.wasRestored, "the epoch has begun already")
        expect(try await again.addAccount(Account(id: .random(), name: "ada", passwordHash: "x")), is: true)
    }

    @Test("evidence of a liveness check is a minute old at most, and its vendor's clock 5 s ahead")
    func timeOfLiveness() throws {
        let now = UnixTime(seconds: 1_000_000)
        let vendors = try ApprovalDemandTests.vendors(certified: .high)
        for (seconds, isAccepted) in [(-61, false), (-60, true), (5, true), (6, false)] as [(Int64, Bool)] {
            let evidence = try ApprovalDemandTests.evidence("c", at: now + .seconds(seconds), level: .high)
            #expect((vendors.level(of: evidence, for: "c", at: now) != nil) == isAccepted, "\(seconds)")
        }
    }

    @Test("to unlock an account is to unlock its devices") func unlockedDevice() async throws {
        try await with { store, _, account in
            let (_, attempt) = try await tryWrongly(account, store)
            expect(try await store.standing(of: attempt), is: .closed)
            try await store.unlock(account)
            expect(try await store.standing(of: attempt), is: .open)
        }
    }

    @Test("a replay and a revoked key have no row in the audit log, and each attempt at a paused account has one")
    func auditRows() async throws {
        try await with { store, _, account in
            let phone = device("ada", account)
            _ = try await store.enrol(phone, spending: [])
            let key = try #require(try await store.key("ada face"))
            func rows() async throws -> Int { try await store.auditRows(after: 0, limit: .max).count }
            let (once, before) = (spend(), try await rows())
            for _ in 1...3 { _ = try await store.spend([once], recording: AuditEvent(.refused, by: key)) }
            expect(try await rows(), is: before + 1)
            _ = try await store.revoke(phone.id, of: account)
            let revoked = try await rows()
            _ = try await store.openSession(
                NewSession(id: .random(), tokenHash: []), by: .signIn("ada face", jkt: "ada session", spend()))
            expect(try await rows(), is: revoked)
            let wrong = SignInAttempt(
                account: account, evidence: .nothing, inARow: [.account(account)], byRate: [], limits: .standard)
            for _ in 1...6 { _ = try await store.settle(wrong) }
            expect(try await store.standing(of: wrong), is: .paused)
            expect(try await rows(), is: revoked + 6)
        }
    }

    @Test("a time that is set back leaves neither rates nor void signatures ahead of it") func setBack() async throws {
        try await with { store, clock, account in
            try await store.count(against: [.global, .address(1)], limits: .standard)
            expect(try await store.disable(account), is: true)
            let time = clock.now + .seconds(-86_400)
            try await store.setTime(to: time, retiring: [], coolOff: .zero)
            let left = try await store.pool.read { db in
                try Int64.fetchAll(
                    db, sql: "SELECT (SELECT count(*) FROM throttles) UNION ALL SELECT max(signatures_over) FROM accounts")
            }
            #expect(left == [0, time.seconds - 1])
        }
    }

    @Test("a code of little later than a time that is set back stays used", arguments: [false, true])
    func usedCode(_ isFar: Bool) async throws {
        try await with { store, clock, account in
            let time = clock.now + .seconds(-86_400)
            let last = (time.seconds + 600) / 30 + (isFar ? 2 : 1)
            try store.pool.write { try $0.execute(sql: "UPDATE accounts SET one_time_last = ?", arguments: [last]) }
            try await store.setTime(to: time, retiring: [], coolOff: .zero)
            let kept = try await store.pool.read { try Int64.fetchOne($0, sql: "SELECT one_time_last FROM accounts") }
            #expect(kept == (isFar ? time.seconds / 30 + 1 : last))
        }
    }

    /// The store decides about the token itself: no other check compares it.
    @Test("a refresh of a visit needs the visit's token, and leaves other visits alone") func visitRefresh() async throws {
        try await with { store, clock, account in
            var visits: [SessionID] = []
            for _ in 1...3 { visits.append(try await visit(account, store, clock)) }
            func rotate(_ visit: SessionID, _ hash: [UInt8]) async throws -> Bool {
                var rotation = RefreshRotation(
                    session: visit, generation: 0, tokenHash: hash, successorHash: [8], jkt: "visit", grace: .zero,
                    lifetime: .seconds(1000), idleLimit: .seconds(1000))
                rotation.visitLifetime = .seconds(300)
                guard case .rotated = try await store.rotate(rotation) else { return false }
                return true
            }
            expect(try await rotate(visits[1], [9]), is: false)
            expect(try await rotate(visits[1], [7]), is: true)
            var generations: [UInt32?] = []
            for visit in visits { generations.append(try await store.session(visit)?.generation) }
            #expect(generations == [0, 1, 0])
        }
    }

    @Test("the visit that is one too many ends the oldest of its account, and no other") func visitsApart() async throws {
        try await with { store, clock, account in
            let bob = AccountID.random()
            _ = try await store.addAccount(Account(id: bob, name: "bob", passwordHash: "x"))
            let other = try await visit(bob, store, clock)
            var visits: [SessionID] = []
            for _ in 0...Limits.visits { visits.append(try await visit(account, store, clock)) }
            var areThere: [Bool] = []
            for visit in visits { areThere.append(try await store.session(visit) != nil) }
            #expect(areThere == [false] + Array(repeating: true, count: Limits.visits))
            #expect(try await store.session(other) != nil)
        }
    }

    private func visit(_ account: AccountID, _ store: SQLStore, _ clock: TestClock) async throws -> SessionID {
        let ticket = Tickets.Right(
            account: account, spend: spend(.ticket), voucher: nil, freshness: .fresh,
            credentials: .init(methods: ["pwd"], verifiedAt: clock.now))
        let new = NewVisit(id: .random(at: clock.now, 0), tokenHash: [7], jkt: "visit", lifetime: .seconds(300))
        return try #require(try await store.openVisit(new, by: ticket)).id
    }

    @Test("a purge deletes the sessions and visits that are old enough, and no others") func oldSessions() async throws {
        try await with { store, clock, account in
            _ = try await store.enrol(device("first", account), spending: [])
            var pairs: [[SessionID]] = []
            for _ in 1...2 {
                clock.advance(by: .seconds(100))
                let new = NewSession(id: .random(at: clock.now, 0), tokenHash: [])
                _ = try await store.openSession(new, by: .signIn("first face", jkt: "first session", spend()))
                pairs.append([new.id, try await visit(account, store, clock)])
            }
            try await store.purge(sessionsBefore: clock.now + .seconds(-50))
            for (pair, isLeft) in zip(pairs, [false, true]) {
                for id in pair { expect(try await store.session(id) != nil, is: isLeft) }
            }
        }
    }

    @Test("a proof that nodes remember together stays for the purge after the one that saw it expire") func oldProofs()
        async throws
    {
        try await with { store, clock, _ in
            try store.pool.write {
                try $0.execute(
                    sql: "INSERT INTO spent (use, id, expires_at) VALUES (?, ?, ?)",
                    arguments: [Spend.Use.dpopProof.rawValue, Data([1]), 1_000_001])
            }
            clock.advance(by: .seconds(2))
            for left in [1, 0] {
                try await store.purge(sessionsBefore: UnixTime(seconds: 0))
                expect(try await store.spentCount(), is: left)
            }
        }
    }

    @Test("another master key seals each account's secret again") func sealedAgain() async throws {
        try await with { store, _, ada in
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            try await store.setOneTimeSecret([1], of: ada)
            try await store.setOneTimeSecret([2], of: eve)
            try await store.sealAgain { sealed, _ in sealed + [0] }
            expect(try await store.account(named: "ada")?.oneTimeSecret, is: [1, 0])
            expect(try await store.account(named: "eve")?.oneTimeSecret, is: [2, 0])
        }
    }

    @Test("a time that is set back keeps wrong attempts, earlier sessions, and redeemed approvals as they were") func keptByTime()
        async throws
    {
        try await with { store, clock, account in
            let time = clock.now + .seconds(-100)
            _ = try await store.enrol(device("first", account), spending: [])
            for seconds in [-200, 0] {
                let new = NewSession(id: .random(), tokenHash: [], authTime: clock.now + .seconds(seconds))
                _ = try await store.openSession(new, by: .signIn("first face", jkt: "first session", spend()))
            }
            var approvals: [ApprovalID] = []
            for state in ["open", "redeemed"] {
                let new = NewApproval(
                    id: .random(), creator: "bank", transactionID: state, account: account, second: nil, txn: "e30",
                    demand: .oneKey, lifetime: .seconds(60), cap: 2)
                _ = try await store.create(new)
                try store.pool.write {
                    try $0.execute(
                        sql: "UPDATE approvals SET state = ? WHERE transaction_id = ?", arguments: [state, state])
                }
                approvals.append(new.id)
            }
            let wrong = SignInAttempt(
                account: account, evidence: .nothing, inARow: [.account(account)], byRate: [], limits: .standard)
            _ = try await store.settle(wrong)
            try await store.setTime(to: time, retiring: [], coolOff: .zero)
            let rows = try await store.pool.read { db in
                try Int64.fetchAll(db, sql: "SELECT count(*) FROM throttles UNION ALL SELECT count(*) FROM sessions")
            }
            #expect(rows == [1, 1])
            var ends: [UnixTime?] = []
            for id in approvals { ends.append(try await store.approval(id)?.expiresAt) }
            #expect(ends == [time, clock.now + .seconds(60)])
        }
    }

    @Test("a lowered rate and a time that was set back make a back end wait for seconds") func clientRates() {
        let (rates, now) = (RequestRates<String>(), UnixTime(seconds: 1_000_000))
        for _ in 1...6000 { #expect(rates.wait(of: "bank", perMinute: 6000, at: now) == nil) }
        #expect(rates.wait(of: "bank", perMinute: 60, at: now) == .seconds(1))
        #expect(rates.wait(of: "bank", perMinute: 60, at: now + .seconds(-3600)) == nil)
    }

    @Test("evidence of a liveness check shows the level that its vendor is certified for") func liveness() throws {
        let now = UnixTime(seconds: 1_000_000)
        let vendors = try ApprovalDemandTests.vendors(certified: .high)
        func level(_ level: LivenessLevel, of challenge: String = "c") throws -> FurtherProof? {
            vendors.level(of: try ApprovalDemandTests.evidence(challenge, at: now, level: level), for: "c", at: now)
        }
        #expect(try level(.high) == .highLiveness)
        #expect(try level(.substantial) == .substantialLiveness)
        #expect(try level(.high, of: "another") == nil)
        let weak = try ApprovalDemandTests.vendors(certified: .substantial)
        let boast = try ApprovalDemandTests.evidence("c", at: now, level: .high)
        #expect(weak.level(of: boast, for: "c", at: now) == nil, "a vendor that claims more than its certificate is refused")
    }
}
#endif
