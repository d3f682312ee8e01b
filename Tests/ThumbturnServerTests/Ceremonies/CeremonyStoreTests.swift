#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer
import ThumbturnVerifier

/// The store judges a ceremony again, by the rows as its transaction finds them.
@Suite struct CeremonyStoreTests {
    /// A store with a device of one account, whose biometric key may authorise something, and an approval that it may sign.
    private struct World {
        let store: SQLStore
        let account: AccountID
        let approval: ApprovalID
        private let folder: String

        init() async throws {
            folder = LiveServer.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let clock = TestClock(UnixTime(seconds: 1_000_000))
            store = try TestStore.open(in: folder, clock)
            account = .random()
            approval = .random()
            _ = try await store.addAccount(Account(id: account, name: "ada", passwordHash: "x"))
            _ = try await store.addClient(
                NewClient(id: "bank", scopes: [.approvals], keys: [try VerifyingKey(jwk: PINKeyTests.jwk(.init()))]))
            let new = NewApproval(
                id: approval, creator: "bank", transactionID: "t-1", account: account, second: nil, txn: "e30", demand: .oneKey,
                lifetime: .seconds(300), cap: 8)
            _ = try await store.create(new)
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }

        /// A device whose keys are named by its number.
        func enrol(_ number: Int) async throws -> DeviceID {
            var device = NewDevice(
                id: .random(), account: account, name: "d", sessionJKT: "session \(number)",
                keys: [
                    .init(kid: "session \(number)", kind: .session, x963: [], isActive: true),
                    .init(kid: "face \(number)", kind: .biometric, x963: [], isActive: true),
                ], coolOff: .zero)
            device.quota = .unbounded
            _ = try await store.enrol(device, spending: [])
            return device.id
        }

        func spend(_ number: Int) -> Spend {
            Spend(.challenge, id: Identifier<World>.random().bytes, expiresAt: UnixTime(seconds: 1_000_300), epoch: 0)
        }

        func authorisation(_ rules: CeremonyRules, _ number: Int) -> Authorisation {
            Authorisation(rules: rules, spends: [spend(number)], grounds: .keys(["face \(number)"]), jkt: "session \(number)")
        }
    }

    /// Every column that the standing of a key is told from.
    private static let changes = [
        "UPDATE keys SET retired_at = 1 WHERE kid = ?1",
        "UPDATE keys SET active_since = NULL WHERE kid = ?1",
        "UPDATE keys SET wrong_in_a_row = 100 WHERE kid = ?1",
        "UPDATE keys SET paused_until = 5000000000 WHERE kid = ?1",
        "UPDATE devices SET revoked_at = 1 WHERE id = (SELECT device_id FROM keys WHERE kid = ?1)",
        "UPDATE devices SET session_jkt = 'another' WHERE id = (SELECT device_id FROM keys WHERE kid = ?1)",
        "UPDATE devices SET cools_off_until = 5000000000 WHERE id = (SELECT device_id FROM keys WHERE kid = ?1)",
    ]

    @Test("whatever has changed, the one statement does as the function says", arguments: [CeremonyRules.signIn, .bringKey])
    func theOneStatement(_ rules: CeremonyRules) async throws {
        let world = try await World()
        defer { world.remove() }
        var ends: Set<String> = []
        for combination in 0..<(1 << Self.changes.count) {
            let kid = "face \(combination)"
            _ = try await world.enrol(combination)
            _ = try await world.store.knownKey(kid)
            try world.store.pool.write { db in
                for (bit, sql) in Self.changes.enumerated() where combination >> bit & 1 == 1 {
                    try db.execute(sql: sql, arguments: [kid])
                }
            }
            let authorisation = world.authorisation(rules, combination)
            let said = authorisation.judge([try await world.store.key(kid)], at: UnixTime(seconds: 1_000_000)).name
            let new = NewSession(id: .random(), tokenHash: [])
            let did = try await world.store.openSession(new, by: authorisation)
            #expect(did.name == said, "the changes \(String(combination, radix: 2))")
            ends.insert(said)
            expect(try await world.store.spend(authorisation.spends), is: false, "and the spend stands")
            guard case .done(let session) = did, let kept = try await world.store.session(new.id) else { continue }
            #expect(
                session.coolsOffUntil == kept.coolsOffUntil && session.isLive == kept.isLive
                    && session.generation == kept.generation)
            expect(try await world.store.key(kid)?.isActive, is: true, "a key is active from its first proof on")
        }
        #expect(ends == ["done", "refused", "disabled"])
    }

    /// The further columns: what the key has proven, and what its account and its group demand.
    @Test(
        "what a cached key opens is what its row opens",
        arguments: [
            (nil, "done"), ("UPDATE keys SET protection = 'attestedHardware' WHERE kid = ?1", "done"),
            ("UPDATE keys SET verification = 'biometric' WHERE kid = ?1", "done"),
            ("UPDATE accounts SET disabled_at = 1 WHERE ?1 != ''", "refused"),
            ("UPDATE account_groups SET protection = 'attestedApp' WHERE ?1 != ''", "refused"),
            ("UPDATE account_groups SET verification = 'biometric' WHERE ?1 != ''", "refused"),
        ] as [(String?, String)], [true, false])
    func furtherColumns(_ changed: (sql: String?, end: String), isCached: Bool) async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        if isCached { _ = try await world.store.knownKey("face 1") }
        if let sql = changed.sql { try world.store.pool.write { try $0.execute(sql: sql, arguments: ["face 1"]) } }
        let authorisation = world.authorisation(.signIn, 1)
        let said = authorisation.judge([try await world.store.key("face 1")], at: UnixTime(seconds: 1_000_000)).name
        let new = NewSession(id: .random(), tokenHash: [])
        let did = try await world.store.openSession(new, by: authorisation)
        #expect(did.name == said && said == changed.end)
        guard case .done(let session) = did else { return }
        let kept = try #require(try await world.store.session(new.id))
        #expect(session.opener == kept.opener && session.isLive && session.generation == 0)
        let told = try await world.store.auditRows(after: 0, limit: 100).filter { $0.event.contains("\"sign-in\"") }
        #expect(told.count == 1, "a sign-in is told as one, and once")
    }

    @Test("the oldest session ends, whether the key was cached or not", arguments: [true, false])
    func surplus(isCached: Bool) async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        var opened: [SessionID] = []
        for _ in 0...Limits.sessions {
            if isCached { _ = try await world.store.knownKey("face 1") } else { world.store.recentKeys.forget("face 1") }
            let new = NewSession(id: .random(), tokenHash: [])
            expect(try await world.store.openSession(new, by: world.authorisation(.signIn, 1)).name, is: "done")
            opened.append(new.id)
        }
        expect(try await world.store.session(opened[0]) == nil, is: true)
        expect(try await world.store.session(opened[1])?.isLive, is: true)
    }

    @Test("a change and an approval are judged again, too", arguments: 0..<7, [CeremonyRules.removeKey, .approve])
    func others(_ change: Int, _ rules: CeremonyRules) async throws {
        let world = try await World()
        defer { world.remove() }
        for isChanged in [true, false] {
            let number = isChanged ? 1 : 2
            let device = try await world.enrol(number)
            if isChanged {
                try world.store.pool.write { try $0.execute(sql: Self.changes[change], arguments: ["face 1"]) }
            }
            let authorisation = world.authorisation(rules, number)
            let said = authorisation.judge(
                [try await world.store.key("face \(number)")], at: UnixTime(seconds: 1_000_000)
            ).name
            let did =
                rules == .approve
                ? try await world.store.approve(signature(world), by: authorisation).name
                : try await world.store.change(
                    NewKeys(device: device, kind: .biometric, old: "face \(number)", new: nil, coolOff: .zero), by: authorisation
                ).name
            #expect(did == said)
            #expect(isChanged || did == "done")
            expect(try await world.store.spend(authorisation.spends), is: false, "and the spend stands")
            if rules == .approve, did == "done" { break }
        }
    }

    private func signature(_ world: World) -> NewApprovalSignature {
        NewApprovalSignature(
            approval: world.approval, account: world.account, txn: "e30", demand: .oneKey, proof: "", redeemableFor: .seconds(300)
        )
    }

    @Test("an approval that is no longer what was signed takes no signature", arguments: 0..<6)
    func approvals(_ change: Int) async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        var new = signature(world)
        switch change {
        case 0: break
        case 1: new.approval = .random()
        case 2: new.account = .random()
        case 3: new.txn = "W10"
        case 4: new.demand = ApprovalDemand(keys: [.biometric])!
        default: _ = try await world.store.decline(world.approval, byDeviceOf: "session 1")
        }
        let outcome = try await world.store.approve(new, by: world.authorisation(.approve, 1))
        #expect(outcome.name == (change == 0 ? "done" : "refused"))
        if change == 0 {
            #expect(try await world.store.approve(new, by: world.authorisation(.approve, 1)).name == "refused", "signed before")
        }
    }

    /// A thief who knows the passcode sets a PIN with it, or a face. Neither approves a payment.
    @Test("a key that the passcode brought takes no part in an approval", arguments: [KeyKind.biometric, .pin])
    func whatThePasscodeBrought(_ kind: KeyKind) async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        try world.store.pool.write {
            try $0.execute(
                sql: "UPDATE keys SET kind = ?, enrolled_by = 'passcode' WHERE kid = 'face 1'", arguments: [kind.rawValue])
        }
        #expect(try await world.store.approve(signature(world), by: world.authorisation(.approve, 1)).name == "refused")
        // A signature that an older server kept counts for nothing either.
        try world.store.pool.write {
            try $0.execute(
                sql: """
                    INSERT INTO approval_proofs (approval_id, account_id, kind, kid, device_id, proof, at)
                    SELECT ?, ?, kind, kid, device_id, '', 1 FROM keys WHERE kid = 'face 1'
                    """, arguments: [Data(world.approval.bytes), Data(world.account.bytes)])
        }
        expect(try await world.store.approval(world.approval)?.isSigned(by: world.account), is: false)
    }

    @Test("a receipt names the signatures that the redemption finds")
    func receipt() async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        // What the request read before the transaction: an approval that nobody has signed.
        let redemption = Redemption(approval: world.approval, creator: "bank", key: "k", txn: "e30") { approval, now, _ in
            "\(approval.signatures.map(\.kid)) at \(now.seconds)"
        }
        guard case .not(.open) = try await world.store.redeem(redemption) else {
            Issue.record("nobody has signed it")
            return
        }
        #expect(try await world.store.approve(signature(world), by: world.authorisation(.approve, 1)).name == "done")
        guard case .redeemed(let approval) = try await world.store.redeem(redemption) else {
            Issue.record("it is approved")
            return
        }
        #expect(approval.redemption?.receipt == #"["face 1"] at 1000000"#)
        // The proof stays whole when the key goes later.
        try world.store.pool.write { try $0.execute(sql: "UPDATE keys SET retired_at = 1 WHERE kid = 'face 1'") }
        expect(try await world.store.approval(world.approval)?.signatures.count, is: 1)
    }

    @Test("a signature counts no longer than its key", arguments: ["keys SET retired_at", "devices SET revoked_at"])
    func retired(_ change: String) async throws {
        let world = try await World()
        defer { world.remove() }
        _ = try await world.enrol(1)
        #expect(try await world.store.approve(signature(world), by: world.authorisation(.approve, 1)).name == "done")
        try world.store.pool.write { try $0.execute(sql: "UPDATE \(change) = 1") }
        expect(try await world.store.approval(world.approval)?.isSigned(by: world.account), is: false)
        let redemption = Redemption(approval: world.approval, creator: "bank", key: "k", txn: "e30") { _, _, _ in "" }
        guard case .not(.withdrawn) = try await world.store.redeem(redemption) else {
            Issue.record("redeemed by a key that is gone")
            return
        }
        expect(try await world.store.approval(world.approval)?.state, is: .withdrawn, "for ever")
    }

    @Test("what a retired key signed is in no receipt and in no proof")
    func replacedSignature() async throws {
        let world = try await World()
        defer { world.remove() }
        let device = try await world.enrol(1)
        // A second account is asked too, so the approval stays open after the first signature.
        let second = AccountID.random()
        _ = try await world.store.addAccount(Account(id: second, name: "bob", passwordHash: "x"))
        try world.store.pool.write {
            try $0.execute(sql: "UPDATE approvals SET second_id = ?", arguments: [Data(second.bytes)])
            // Another kind of key, whose row does not replace the first one's.
            try $0.execute(
                sql: """
                    INSERT INTO keys (kid, device_id, kind, x963, active_since, enrolled_by)
                    SELECT 'pin 1', device_id, 'pin', x963, active_since, enrolled_by FROM keys WHERE kid = 'face 1'
                    """)
        }
        #expect(try await world.store.approve(signature(world), by: world.authorisation(.approve, 1)).name == "done")
        let removal = NewKeys(device: device, kind: .biometric, old: "face 1", new: nil, coolOff: .zero)
        #expect(try await world.store.change(removal, by: world.authorisation(.removeKey, 1)).name == "done")
        var byPIN = world.authorisation(.approve, 1)
        byPIN.grounds = .keys(["pin 1"])
        #expect(try await world.store.approve(signature(world), by: byPIN).name == "done")
        let kept = try await world.store.pool.read {
            try String.fetchAll($0, sql: "SELECT kid FROM approval_proofs")
        }
        #expect(kept == ["pin 1"])
    }

    @Test("what a key brings in rests on what the key rests on")
    func origins() async throws {
        let world = try await World()
        defer { world.remove() }
        let device = try await world.enrol(1)
        try world.store.pool.write { try $0.execute(sql: "UPDATE keys SET enrolled_by = 'passcode' WHERE kid = 'face 1'") }
        let new = NewKeys(
            device: device, kind: .pin, old: nil, new: .init(kid: "pin", kind: .pin, x963: [1], isActive: true), coolOff: .zero)
        #expect(try await world.store.change(new, by: world.authorisation(.bringKey, 1)).name == "done")
        expect(try await world.store.key("pin")?.enrolledBy, is: .passcode)
    }
}
#endif
