#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer

/// What single columns are set to, where no flow looks at them before something else is refused.
extension StoreGuardTests {
    private static let hardware = Assurance(protection: .attestedHardware, verification: .biometric)

    private func evidence(
        _ keys: [String: Assurance], as id: EvidenceID = .random(), counter: UInt32? = nil, at now: UnixTime
    ) -> NewEvidence {
        var new = NewEvidence(id: id, record: "{}", verdict: EvidenceVerdict(keys: keys, policy: "before"))
        new.appAttestKey = counter.map {
            AppAttestRecord(
                id: [1], x963: [4], appID: "app", isProduction: true, counter: $0, attestedAt: now, receipt: [])
        }
        return new
    }

    @Test("a verdict that is renewed has its time, and ends the sessions of a key that was replaced") func renewedVerdict()
        async throws
    {
        try await with { store, clock, account in
            var new = device("first", account)
            let id = EvidenceID.random()
            new.evidence = evidence(["first face": Self.hardware], as: id, at: clock.now)
            _ = try await store.enrol(new, spending: [])
            let opened = try await session("first", store)
            func raw(_ sql: String) throws { try store.pool.write { try $0.execute(sql: sql) } }
            try raw("UPDATE keys SET retired_at = 1 WHERE kid = 'first face'")
            expect(try await store.session(opened)?.isLive, is: true)
            clock.advance(by: .seconds(7))
            let verdict = EvidenceVerdict(keys: [:], policy: "after", refusal: "revoked")
            expect(try await store.record(RenewedVerdict(evidence: id, verdict: verdict)), is: .kept)
            expect(try await store.session(opened)?.isLive, is: false)
            let stored = try #require(try await store.evidence(of: new.id).first)
            #expect(stored.judgedAt == clock.now && stored.receivedAt == clock.now + .seconds(-7))
            #expect(stored.verdict.policy == "after" && stored.verdict.refusal == "revoked")
        }
    }

    @Test("a right signature ends the count and the pause of its key") func rightSignature() async throws {
        try await with { store, _, account in
            _ = try await store.enrol(device("first", account), spending: [])
            try store.pool.write {
                try $0.execute(sql: "UPDATE keys SET wrong_in_a_row = 3, paused_until = 500 WHERE kid = 'first face'")
            }
            _ = try await session("first", store)
            let key = try #require(try await store.key("first face"))
            #expect(key.wrongInARow == 0 && key.pausedUntil == UnixTime(seconds: 0))
        }
    }

    private static func number(_ sql: String, _ store: SQLStore) throws -> Int64? {
        try store.pool.read { try Int64.fetchOne($0, sql: sql) }
    }

    @Test("an epoch that begins is told, has the latest time, and ends what was begun") func epochBegins() async throws {
        try await with { store, clock, account in
            func node(_ column: String) throws -> Int64? { try Self.number("SELECT \(column) FROM node", store) }
            _ = try await store.openVisit(
                NewVisit(id: .random(), tokenHash: [], jkt: "visit", lifetime: .seconds(300)),
                by: Tickets.Right(
                    account: account, spend: spend(.ticket), voucher: nil, freshness: .fresh,
                    credentials: .init(methods: ["pwd"], verifiedAt: clock.now)))
            expect(try Self.number("SELECT count(*) FROM visits", store), is: 1)
            clock.advance(by: .seconds(100))
            try await store.beginEpoch()
            for column in ["high_water", "epoch_began", "purged_until"] {
                expect(try node(column), is: clock.now.seconds, "\(column)")
            }
            expect(try Self.number("SELECT count(*) FROM visits", store), is: 0)
            let epoch = try await store.secretsEdition().epoch
            let told = try await store.auditRows(after: 0, limit: 100).filter { $0.event.contains("\"epoch-began\"") }
            #expect(told.count == 1 && told[0].event.contains("\"\(epoch)\""))
            // The time of the database may be ahead of this transaction's, or behind it.
            let later = clock.now.seconds + 50
            try store.pool.write { db in
                try db.execute(sql: "UPDATE node SET high_water = ?", arguments: [later])
                try Schema.beginEpoch(db, at: clock.now, lackingUntil: clock.now)
            }
            for column in ["high_water", "epoch_began", "purged_until"] { expect(try node(column), is: later, "\(column)") }
            try store.pool.write { try Schema.beginEpoch($0, at: UnixTime(seconds: later + 50), lackingUntil: nil) }
            for column in ["high_water", "epoch_began", "purged_until"] { expect(try node(column), is: later + 50, "\(column)") }
        }
    }

    @Test("a transaction of another epoch leaves the time as it is") func timeOfEpoch() async throws {
        try await with { store, clock, _ in
            let epoch = try await store.secretsEdition().epoch
            let stored = try Self.number("SELECT high_water FROM node", store)
            let later = UnixTime(seconds: clock.now.seconds + 1000)
            for (caller, time) in [(epoch + 1, stored), (epoch - 1, stored), (epoch, later.seconds)] {
                expect(try store.pool.write { try Schema.tick($0, at: later, in: caller).now.seconds }, is: time)
                expect(try Self.number("SELECT high_water FROM node", store), is: time)
            }
        }
    }

    @Test("an epoch of a database that may be an older one is dated by the clock, as far as it concerns what was used since")
    func olderDatabase() async throws {
        try await with { store, clock, account in
            let later = clock.now.seconds + 3000
            try store.pool.write { db in
                try Schema.beginEpoch(db, at: clock.now, lackingUntil: UnixTime(seconds: later))
            }
            expect(try Self.number("SELECT epoch_began FROM node", store), is: later)
            expect(try Self.number("SELECT high_water FROM node", store), is: clock.now.seconds)
            expect(try Self.number("SELECT min(one_time_last) FROM accounts", store), is: later / 30 + 1)
        }
    }

    @Test("a verdict by an older policy than another node's is not recorded, and nothing is enrolled by it") func olderPolicy()
        async throws
    {
        try await with { store, clock, account in
            var new = device("first", account)
            let id = EvidenceID.random()
            new.evidence = evidence(["first face": Self.hardware], as: id, at: clock.now)
            _ = try await store.enrol(new, spending: [])
            try await store.raise(policyVersions: [.evidence: 2])
            for version in [nil, 1] as [Int64?] {
                let verdict = EvidenceVerdict(keys: [:], policy: "before", version: version)
                await #expect(throws: SetupError.self) {
                    _ = try await store.record(RenewedVerdict(evidence: id, verdict: verdict))
                }
                var judged = evidence(["second face": Self.hardware], at: clock.now)
                judged.verdict.version = version
                var next = device("second", account)
                next.evidence = judged
                let second = next
                await #expect(throws: SetupError.self) { _ = try await store.enrol(second, spending: []) }
            }
            expect(try await store.key("first face")?.proven, is: Self.hardware)
            expect(try await store.key("second face")?.kid, is: nil)
            let verdict = EvidenceVerdict(keys: [:], policy: "after", version: 2)
            expect(try await store.record(RenewedVerdict(evidence: id, verdict: verdict)), is: .lowered)
        }
    }

    /// Each column that the wrong time may have dated.
    private static let dated: [(table: String, column: String, rest: Int64)] = [
        ("node", "high_water", 0), ("node", "purged_until", 0), ("throttles", "until", 3600), ("keys", "paused_until", 3600),
        ("devices", "cools_off_until", 100), ("devices", "enrolled_at", 0), ("devices", "revoked_at", 0),
        ("keys", "retired_at", 0), ("accounts", "signatures_over", -1), ("accounts", "quotas_over", 0),
        ("clients", "created_at", 0), ("approvals", "expires_at", 0), ("notices", "at", 0), ("notices", "due_at", 0),
        ("notices_to_nobody", "at", 0),
    ]

    @Test("a time that is set back brings forward whatever it has dated, and no further", arguments: [true, false])
    func datedColumns(isLater: Bool) async throws {
        try await with { store, clock, account in
            _ = try await store.enrol(device("first", account), spending: [])
            _ = try await store.create(
                NewApproval(
                    id: .random(), creator: "bank", transactionID: "t", account: account, second: nil, txn: "e30",
                    demand: .oneKey, lifetime: .seconds(60), cap: 2))
            try store.pool.write { db in
                try db.execute(sql: "INSERT INTO throttles (scope, id, wrong, until) VALUES (1, ?, 1, 0)", arguments: [blob([1])])
                try db.execute(
                    sql: "INSERT INTO notices_to_nobody (id, place, kind, at) VALUES (?1, ?1, 'k', 0)", arguments: [blob([1])])
            }
            #expect(try Self.number("SELECT count(*) FROM notices", store) ?? 0 > 0)
            let time = clock.now + .seconds(-86_400)
            // Seven seconds later than it may be, or earlier.
            try store.pool.write { db in
                for (table, column, rest) in Self.dated where table != "node" {
                    try db.execute(
                        sql: "UPDATE \(table) SET \(column) = ?", arguments: [time.seconds + rest - (isLater ? -7 : 7)])
                }
                try db.execute(sql: "UPDATE node SET high_water = ?1, purged_until = ?1", arguments: [clock.now.seconds])
            }
            try await store.setTime(to: time, retiring: [], coolOff: .seconds(100))
            for (table, column, rest) in Self.dated where table != "node" || isLater {
                let found = try Self.number("SELECT max(\(column)) FROM \(table)", store)
                #expect(found == time.seconds + rest - (isLater ? 0 : 7), "\(table).\(column)")
            }
            expect(try Self.number("SELECT count(*) FROM approval_rates", store), is: 0)
        }
    }

    @Test("a refreshed token has the time of its refresh", arguments: [true, false]) func refreshed(isVisit: Bool) async throws {
        try await with { store, clock, account in
            let id = SessionID.random()
            if isVisit {
                _ = try await store.openVisit(
                    NewVisit(id: id, tokenHash: [7], jkt: "first session", lifetime: .seconds(300)),
                    by: Tickets.Right(
                        account: account, spend: spend(.ticket), voucher: nil, freshness: .fresh,
                        credentials: .init(methods: ["pwd"], verifiedAt: clock.now)))
            } else {
                _ = try await store.enrol(device("first", account), spending: [])
                _ = try await store.openSession(
                    NewSession(id: id, tokenHash: [7]), by: .signIn("first face", jkt: "first session", spend()))
            }
            clock.advance(by: .seconds(40))
            var rotation = RefreshRotation(
                session: id, generation: 0, tokenHash: [7], successorHash: [8], jkt: "first session", grace: .zero,
                lifetime: .seconds(1000), idleLimit: .seconds(1000))
            rotation.visitLifetime = .seconds(300)
            guard case .rotated = try await store.rotate(rotation) else {
                Issue.record("not refreshed")
                return
            }
            expect(try await store.session(id)?.rotatedAt, is: clock.now)
        }
    }

    @Test("the notices to names without an account are as many as an account's") func noticesToNobody() async throws {
        try await with { store, clock, _ in
            let name = ThrottleID.account(.random())
            let wrong = SignInAttempt(account: nil, evidence: .nothing, inARow: [name], byRate: [], limits: .standard)
            try store.pool.write { db in
                for number in 0..<(Limits.noticesOfKind + 5) {
                    try db.execute(
                        sql: "INSERT INTO notices_to_nobody (id, place, kind, at) VALUES (?, ?, 'wrong-sign-ins', ?)",
                        arguments: [Data("\(number)".utf8), blob(name.bytes), number])
                }
            }
            for _ in 1...8 { _ = try await store.settle(wrong) }
            expect(
                try Self.number("SELECT count(*) FROM notices_to_nobody", store), is: Int64(Limits.noticesOfKind))
        }
    }

    @Test("the evidence of a device goes with it") func evidenceOfRevoked() async throws {
        try await with { store, clock, account in
            for name in ["first", "second"] {
                var new = device(name, account)
                new.evidence = evidence(["\(name) face": Self.hardware], at: clock.now)
                _ = try await store.enrol(new, spending: [])
            }
            let first = try #require(try await store.key("first face")).device
            expect(try await store.revoke(first, of: account), is: true)
            let left = try await store.pool.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM evidence") ?? 0
            }
            #expect(left == 1)
        }
    }

    @Test("a key of App Attest belongs to the account that uses it first") func appAttestAccount() async throws {
        try await with { store, clock, account in
            var new = device("first", account)
            new.evidence = evidence(["first face": Self.hardware], counter: 1, at: clock.now)
            _ = try await store.enrol(new, spending: [])
            // As a server of an older version left it.
            try store.pool.write { try $0.execute(sql: "UPDATE app_attest_keys SET account_id = NULL") }
            expect(try await store.appAttestKey([1])?.account, is: nil)
            var next = device("second", account)
            next.evidence = evidence(["second face": Self.hardware], counter: 2, at: clock.now)
            _ = try await store.enrol(next, spending: [])
            let key = try #require(try await store.appAttestKey([1]))
            #expect(key.account == account && key.counter == 2)
        }
    }

    @Test("a biometric key that the passcode unlocks as well shows the passcode from then on") func passcodeForFace() async throws
    {
        try await with { store, clock, account in
            var new = device("first", account)
            let (id, passcode) = (EvidenceID.random(), Assurance(protection: .attestedHardware, verification: .passcode))
            new.evidence = evidence(["first face": passcode], as: id, at: clock.now)
            _ = try await store.enrol(new, spending: [])
            expect(try await store.key("first face")?.enrolledBy, is: .passcode)
            let better = EvidenceVerdict(keys: ["first face": Self.hardware], policy: "after")
            expect(try await store.record(RenewedVerdict(evidence: id, verdict: better)), is: .kept)
            expect(try await store.key("first face")?.enrolledBy, is: .passcode)
        }
    }

    @Test("a key that nobody proved becomes wholly that of the device that proves it") func keyOfItsHolder() async throws {
        try await with { store, clock, account in
            var first = device("first", account)
            first.keys.append(.init(kid: "shared", kind: .passcode, x963: [1], isActive: false))
            _ = try await store.enrol(first, spending: [])
            try store.pool.write {
                try $0.execute(
                    sql: """
                        UPDATE keys SET enrolled_by = 'pin', protection = 'attestedHardware', verification = 'passcode',
                            evidence_id = ?, wrong_in_a_row = 3, paused_until = 5000000000, retired_at = 1,
                            sessions_over = 5000000000 WHERE kid = 'shared'
                        """, arguments: [blob([1])])
            }
            let eve = AccountID.random()
            _ = try await store.addAccount(Account(id: eve, name: "eve", passwordHash: "x"))
            var second = device("second", eve, coolOff: .zero)
            second.keys[1] = .init(kid: "shared", kind: .biometric, x963: [2], isActive: true)
            _ = try await store.enrol(second, spending: [])
            let key = try #require(try await store.key("shared"))
            #expect(key.device == second.id && key.account == eve && key.kind == .biometric && key.x963 == [2])
            #expect(key.isActive && !key.isRevoked && key.enrolledBy == .credentials && key.wrongInARow == 0)
            #expect(key.pausedUntil <= clock.now && key.proven == .withoutEvidence)
            let kept = "SELECT count(*) FROM keys WHERE kid = 'shared' AND evidence_id IS NULL AND sessions_over = -1"
            expect(try Self.number(kept, store), is: 1)
        }
    }

    @Test("each attempt changes its row, also one that counts nothing new") func equalWork() async throws {
        try await with { store, _, _ in
            var limits = ThrottleLimits()
            limits.globalBurst = 2
            var turns: [Int64] = []
            // The last ones find the count at its limit.
            for _ in 0..<5 {
                try await store.count(against: [.global], limits: limits)
                turns.append(try Self.number("SELECT turn FROM throttles", store) ?? -1)
            }
            #expect(turns == [0, 1, 2, 3, 4])
        }
    }
}
#endif
