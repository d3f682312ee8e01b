#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// A change of one account, device or approval leaves those beside it alone. Every table has rows of neighbours, whose
/// ids are lower and higher, so a statement that forgets a condition changes one of them or reads it.
@Suite struct NeighbourTests {
    /// Three accounts with equal rows. Ada, who makes the changes, is between the others and has a second device.
    private struct World {
        let store: SQLStore
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        private let folder: String

        static let people = ["amy", "ada", "bob"]
        /// The devices by name, with the accounts that they belong to. The order is that of their ids.
        static let devices = [("amy", "amy"), ("ada", "ada"), ("ida", "ada"), ("bob", "bob")]

        init() async throws {
            folder = LiveServer.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try TestStore.open(in: folder, clock)
            for name in Self.people { try await add(name) }
            for (name, owner) in Self.devices { try await enrol(name, owner) }
            for name in Self.people { try await ask(name) }
            // A right signature resets these counts.
            for (name, _) in Self.devices { _ = try await store.countWrongSignature(of: "\(name) pin", spending: [spend()]) }
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }

        /// The bytes of an id that belongs to this name.
        static func bytes(_ name: String, _ kind: UInt8) -> [UInt8] {
            let order = UInt8(1 + (devices.firstIndex { $0.0 == name } ?? 0))
            return [order, kind] + [UInt8](repeating: 0xA0 + order, count: 14)
        }

        func account(_ name: String) -> AccountID { AccountID(unchecked: Self.bytes(name, 1)) }
        func device(_ name: String) -> DeviceID { DeviceID(unchecked: Self.bytes(name, 2)) }
        func session(_ name: String, _ kind: String) -> SessionID {
            SessionID(unchecked: Self.bytes(name, kind == "face" ? 3 : 4))
        }
        func approval(_ name: String, _ number: UInt8 = 0) -> ApprovalID { ApprovalID(unchecked: Self.bytes(name, 5 + number)) }
        func plainDevice(_ name: String) -> DeviceID { DeviceID(unchecked: Self.bytes(name, 9)) }

        func spend(_ use: Spend.Use = .challenge) -> Spend {
            Spend(use, id: Identifier<World>.random().bytes, expiresAt: clock.now + .seconds(300), epoch: 0)
        }

        func ticket(_ name: String) -> Tickets.Right {
            Tickets.Right(
                account: account(name), spend: spend(.ticket), voucher: nil, freshness: .fresh,
                credentialGeneration: Self.generation)
        }

        func by(_ rules: CeremonyRules, _ name: String, _ kinds: String...) -> Authorisation {
            Authorisation(
                rules: rules, spends: [spend()], grounds: .keys(kinds.map { "\(name) \($0)" }), jkt: "\(name) session")
        }

        func signature(_ name: String, _ number: UInt8 = 0) -> NewApprovalSignature {
            NewApprovalSignature(
                approval: approval(name, number), account: account(name), txn: "e30", demand: Self.demand, proof: "",
                redeemableFor: .seconds(300))
        }

        static let demand = ApprovalDemand(keys: [.biometric, .pin])!
        /// The credential generation of each account, after its one-time codes and its recovery codes.
        static let generation: Int64 = 2

        private func add(_ name: String) async throws {
            let id = account(name)
            _ = try await store.addAccount(Account(id: id, name: name, passwordHash: "hash of \(name)"))
            try await store.setOneTimeSecret(id.bytes, of: id)
            try await store.setRecoveryCodes([id.bytes], of: id)
            for issuer in ["https://one", "https://two"] {
                let fresh = Account(
                    id: .init(unchecked: Self.bytes(name, issuer == "https://one" ? 20 : 21)), name: "\(name) of \(issuer)",
                    passwordHash: "")
                _ = try await store.account(
                    of: Identity(issuer: issuer, subject: name), orMaking: fresh, by: .fresh, spending: [spend(.idToken)])
            }
            _ = try await store.addClient(
                NewClient(id: "\(name) bank", scopes: [.approvals], keys: [try VerifyingKey(jwk: PINKeyTests.jwk(.init()))]))
            let plain = NewDevice(
                id: plainDevice(name), account: id, name: "plain", sessionJKT: "", keys: [], coolOff: .zero)
            _ = try await store.enrol(
                plain, with: NewPlainKey(kid: "\(name) plain", spki: id.bytes), by: ticket(name))
            try await store.addSecret(for: .token) {
                SealedSecret(id: "secret of \(name)", use: .token, createdAt: $0, sealed: id.bytes)
            }
            _ = try await store.settle(attempt(name, .nothing))
        }

        func attempt(_ name: String, _ evidence: SignInAttempt.Evidence) -> SignInAttempt {
            var attempt = SignInAttempt(
                account: account(name), evidence: evidence, inARow: [.account(account(name))], byRate: [],
                limits: .standard)
            attempt.credentialGeneration = Self.generation
            return attempt
        }

        /// Evidence of the device of this name, whose key of App Attest has signed as often as `counter` says.
        func evidence(
            _ name: String, _ keys: [String: Assurance], counter: UInt32, id: EvidenceID? = nil
        ) -> NewEvidence {
            NewEvidence(
                id: id ?? evidence(name), record: "evidence \(counter) of \(name)",
                verdict: EvidenceVerdict(keys: keys, policy: "policy"),
                appAttestKey: AppAttestRecord(
                    id: Self.bytes(name, 31), x963: [4], appID: "app of \(name)", isProduction: true, counter: counter,
                    attestedAt: clock.now, receipt: []))
        }

        func evidence(_ name: String) -> EvidenceID { EvidenceID(unchecked: Self.bytes(name, 30)) }

        /// Another PIN key for Ada's first device, brought by its biometric key with evidence that says this of the keys.
        func changePIN(_ proven: [String: Assurance]) async throws -> Bool {
            var change = NewKeys(
                device: device("ada"), kind: .pin, old: "ada pin",
                new: .init(kid: "ada new pin", kind: .pin, x963: [8], isActive: true), coolOff: .zero)
            let id = EvidenceID(unchecked: Self.bytes("ada", 32))
            change.evidence = evidence("ada", proven, counter: 2, id: id)
            return try await store.change(change, by: by(.bringKey, "ada", "face")).name == "done"
        }

        /// Removes the passcode key of the device of this name, by its biometric key.
        func removePasscode(of name: String) async throws -> Bool {
            let gone = NewKeys(device: device(name), kind: .passcode, old: "\(name) passcode", new: nil, coolOff: .zero)
            return try await store.change(gone, by: by(.removeKey, name, "face")).name == "done"
        }

        private func enrol(_ name: String, _ owner: String) async throws {
            var device = NewDevice(
                id: device(name), account: account(owner), name: name, sessionJKT: "\(name) session",
                keys: [
                    .init(kid: "\(name) session", kind: .session, x963: [], isActive: true),
                    .init(kid: "\(name) face", kind: .biometric, x963: [1], isActive: true),
                    .init(kid: "\(name) passcode", kind: .passcode, x963: [2], isActive: false),
                    .init(kid: "\(name) pin", kind: .pin, x963: [3], isActive: true),
                ], coolOff: .zero)
            device.evidence = evidence(
                name, ["\(name) face": NeighbourTests.face, "\(name) passcode": NeighbourTests.passcode], counter: 1)
            _ = try await store.enrol(device, spending: [], generation: Self.generation)
            for kind in ["face", "pin"] {
                _ = try await store.openSession(
                    NewSession(id: session(name, kind), tokenHash: [7]), by: by(.signIn, name, kind))
            }
        }

        /// Two open approvals that one key has signed, and an approved one.
        private func ask(_ name: String) async throws {
            for number in UInt8(0)..<3 {
                let new = NewApproval(
                    id: approval(name, number), creator: "\(name) bank", transactionID: "t-\(number)", account: account(name),
                    second: nil, txn: "e30", demand: Self.demand, lifetime: .seconds(300), cap: 8)
                _ = try await store.create(new)
                // One of Ada's has a signature of her other device.
                let signer = name == "ada" && number == 1 ? "ida" : name
                _ = try await store.approve(signature(name, number), by: by(.approve, signer, "face"))
            }
            _ = try await store.approve(signature(name, 2), by: by(.approve, name, "pin"))
        }

        /// The rows of all tables that name a neighbour of Ada's first device, or of her account, and all other rows.
        func rows(ofAccount: Bool = false) async throws -> (neighbours: Set<String>, others: Set<String>) {
            let marks = (ofAccount ? ["amy", "bob"] : ["amy", "ida", "bob"]).flatMap { name in
                [name, Self.bytes(name, 0).dropFirst(2).map { String($0, radix: 16) }.joined()]
            }
            return try await store.pool.read { db in
                var (neighbours, others): (Set<String>, Set<String>) = ([], [])
                for table in try Tables.names where !["node", "spent"].contains(table) {
                    for row in try db.all(Row.self, sql: "SELECT * FROM \"\(table)\"") {
                        let cells = zip(row.columns.names, row.values).map { column, value in
                            guard case .blob(let bytes) = value else { return "\(column)=\(value)" }
                            return "\(column)=" + bytes.map { String(format: "%02x", $0) }.joined()
                        }
                        let text = "\(table): " + cells.joined(separator: " ")
                        if marks.contains(where: text.contains) { neighbours.insert(text) } else { others.insert(text) }
                    }
                }
                return (neighbours, others)
            }
        }
    }

    private struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Whether it changes all devices of the account.
        var ofAccount: Bool
        /// What happens to all before it.
        var first: @Sendable (World) async throws -> Void
        /// True if it was made.
        var make: @Sendable (World) async throws -> Bool
        init(
            _ name: String, ofAccount: Bool = false, first: @escaping @Sendable (World) async throws -> Void = { _ in },
            _ make: @escaping @Sendable (World) async throws -> Bool
        ) {
            (testDescription, self.ofAccount, self.first, self.make) = (name, ofAccount, first, make)
        }
    }

    private static let face = Assurance(protection: .attestedHardware, verification: .biometric)
    private static let passcode = Assurance(protection: .attestedHardware, verification: .passcode)

    private static let changes: [Change] = [
        Change("one-time codes") {
            try await $0.store.setOneTimeSecret(nil, of: $0.account("ada"))
            return true
        },
        Change("recovery codes") {
            try await $0.store.setRecoveryCodes([[1]], of: $0.account("ada"))
            return true
        },
        Change("a wrong sign-in") { try await $0.store.settle($0.attempt("ada", .nothing)) == .wrong },
        Change("a right sign-in") {
            try await $0.store.settle($0.attempt("ada", .password(oneTimeStep: 9))) == .open
        },
        Change("a recovery code") {
            try await $0.store.settle(
                $0.attempt("ada", .recoveryCode($0.account("ada").bytes, passwordFits: true))) == .open
        },
        Change("an unlocked account") {
            try await $0.store.unlock($0.account("ada"))
            return true
        },
        Change("another password by the operator", ofAccount: true) {
            try await $0.store.setPassword("new", of: $0.account("ada"))
            return true
        },
        Change("an account switched off", ofAccount: true) { try await $0.store.disable($0.account("ada")) },
        Change(
            "an account switched on", ofAccount: true,
            first: { for name in World.people { _ = try await $0.store.disable($0.account(name)) } }
        ) { try await $0.store.enable($0.account("ada")) },
        Change("all devices of an account revoked", ofAccount: true) {
            try await $0.store.revokeDevices(of: $0.account("ada")) == 3
        },
        Change(
            "an account in a group",
            first: { try await $0.store.setMinimums(["staff": .withoutKey, "others": .withoutKey], version: nil) }
        ) { try await $0.store.setGroup("staff", of: $0.account("ada")) },
        Change("another name") {
            try await $0.store.rename($0.device("ada"), to: "new", by: $0.session("ada", "face")) != nil
        },
        Change("a device revoked by a session") {
            try await $0.store.revoke($0.device("ada"), by: $0.session("ada", "face"))
        },
        Change("a device revoked by its session key") { try await $0.store.revoke(deviceWithSessionKey: "ada session") },
        Change("a device revoked by the operator") {
            try await $0.store.revoke($0.device("ada"), of: $0.account("ada"))
        },
        Change("a plain device revoked") { try await $0.store.revoke($0.plainDevice("ada"), of: $0.account("ada")) },
        Change("an enrolment again") {
            var again = NewDevice(
                id: .random(), account: $0.account("ada"), name: "new", sessionJKT: "ada session",
                keys: [
                    .init(kid: "ada session", kind: .session, x963: [], isActive: true),
                    .init(kid: "ada new face", kind: .biometric, x963: [9], isActive: true),
                ], coolOff: .seconds(100))
            again.ifEnrolled = .replace
            let notes = try await $0.store.notices(of: $0.account("ada")).filter { $0.kind == .keysChanged }.count
            guard try await $0.store.enrol(again, spending: [], generation: World.generation) != nil else { return false }
            expect(try await $0.store.notices(of: $0.account("ada")).filter { $0.kind == .keysChanged }.count, is: notes + 1)
            return true
        },
        Change("a key of another device, proven here") {
            let key = NewDevice.Key(kid: "ada passcode", kind: .passcode, x963: [2], isActive: true)
            let device = NewDevice(
                id: .random(), account: $0.account("ada"), name: "third", sessionJKT: "third",
                keys: [.init(kid: "third", kind: .session, x963: [], isActive: true), key], coolOff: .seconds(100))
            return try await $0.store.enrol(device, spending: [], generation: World.generation) != nil
        },
        Change("a changed key") {
            let change = NewKeys(
                device: $0.device("ada"), kind: .pin, old: "ada pin",
                new: .init(kid: "ada new pin", kind: .pin, x963: [8], isActive: true), coolOff: .zero)
            let outcome = try await $0.store.change(change, by: $0.by(.bringKey, "ada", "face"))
            expect(
                try await $0.store.notices(of: $0.account("ada")).filter { $0.kind == .keysChanged }.count, is: 1)
            return outcome.name == "done"
        },
        Change(
            "a key removed beside retired ones",
            first: {
                expect(try await $0.removePasscode(of: "ida"), is: true)
                // A key that replaces itself ends no sessions.
                let replaced = NewKeys(
                    device: $0.device("ada"), kind: .pin, old: "ada pin",
                    new: .init(kid: "ada new pin", kind: .pin, x963: [8], isActive: true), coolOff: .zero)
                _ = try await $0.store.change(replaced, by: $0.by(.bringKey, "ada", "pin"))
            }
        ) {
            guard try await $0.removePasscode(of: "ada") else { return false }
            return try await $0.store.session($0.session("ada", "pin"))?.isLive == true
        },
        Change(
            "a changed key with evidence",
            first: { world in
                // No key needs the neighbours' evidence any more.
                try world.store.pool.write { try $0.execute(sql: "UPDATE keys SET evidence_id = NULL WHERE kid NOT LIKE 'ada%'") }
            }
        ) {
            // It says something of a neighbour's key as well.
            let proven = [
                "ada face": face, "ada passcode": passcode, "ada new pin": passcode, "bob pin": passcode,
            ]
            guard try await $0.changePIN(proven) else { return false }
            expect(try await $0.store.session($0.session("ada", "face"))?.isLive, is: true)
            let left = try await $0.store.evidence(of: $0.device("ada"))
            return left.map(\.record) == ["evidence 2 of ada"] && left[0].verdict.keys.count == 3
        },
        Change("a changed key with evidence that proves less of another") {
            guard try await $0.changePIN(["ada face": .withoutEvidence, "ada new pin": passcode]) else { return false }
            expect(try await $0.store.session($0.session("ada", "face"))?.isLive, is: false)
            // The passcode's key has its evidence still.
            return try await $0.store.evidence(of: $0.device("ada")).count == 2
        },
        Change("evidence that proves less") {
            let verdict = EvidenceVerdict(keys: ["ada face": .withoutEvidence, "ada passcode": passcode], policy: "new")
            let renewed = RenewedVerdict(evidence: $0.evidence("ada"), verdict: verdict)
            guard try await $0.store.record(renewed) == .lowered else { return false }
            return try await $0.store.evidence(of: $0.device("ada")).map(\.verdict) == [verdict]
        },
        Change(
            "evidence of a retired key that proves less",
            first: {
                let gone = NewKeys(device: $0.device("ada"), kind: .biometric, old: "ada face", new: nil, coolOff: .zero)
                _ = try await $0.store.change(gone, by: $0.by(.removeKey, "ada", "pin"))
            }
        ) {
            let verdict = EvidenceVerdict(keys: ["ada face": .withoutEvidence, "ada passcode": passcode], policy: "new")
            let renewed = RenewedVerdict(evidence: $0.evidence("ada"), verdict: verdict)
            return try await $0.store.record(renewed) == .kept
        },
        Change("a key changed by a ticket") {
            let change = NewKeys(
                device: $0.device("ada"), kind: .pin, old: "ada pin",
                new: .init(kid: "ada new pin", kind: .pin, x963: [8], isActive: true), coolOff: .seconds(100))
            let ticket = Authorisation(
                rules: .replaceKeyByTicket, spends: [], grounds: .ticket($0.ticket("ada")), jkt: "ada session")
            return try await $0.store.change(change, by: ticket).name == "done"
        },
        Change("an unproven key taken by a plain client") {
            let plain = NewDevice(
                id: .random(), account: $0.account("ada"), name: "plain", sessionJKT: "", keys: [], coolOff: .zero)
            return try await $0.store.enrol(
                plain, with: NewPlainKey(kid: "ada passcode", spki: [1]), by: $0.ticket("ada"))
        },
        Change("a wrong PIN") { try await $0.store.countWrongSignature(of: "ada pin", spending: [$0.spend()]) == 2 },
        Change("five wrong signatures") {
            for _ in 0..<4 { _ = try await $0.store.countWrongSignature(of: "ada face", spending: [$0.spend()]) }
            let noted = { (world: World) in
                try await world.store.notices(of: world.account("ada")).filter { $0.kind == .wrongSignatures }.count
            }
            expect(try await noted($0), is: 0)
            let count = try await $0.store.countWrongSignature(of: "ada face", spending: [$0.spend()])
            expect(try await noted($0), is: 1)
            return count == 5
        },
        Change("a right PIN") {
            try await $0.store.openSession(.init(id: .random(), tokenHash: []), by: $0.by(.signIn, "ada", "pin")).name == "done"
        },
        Change("a first proof") {
            try await $0.store.openSession(.init(id: .random(), tokenHash: []), by: $0.by(.signIn, "ada", "passcode")).name
                == "done"
        },
        Change("signing out") {
            try await $0.store.end($0.session("ada", "face"), by: "ada session")
            return try await $0.store.session($0.session("ada", "pin"))?.isLive == true
        },
        Change("a refresh") {
            let outcome = try await $0.store.rotate(Self.rotation($0, generation: 0, hash: [7]))
            guard case .rotated = outcome else { return false }
            return true
        },
        Change("a refresh token used again") {
            _ = try await $0.store.rotate(Self.rotation($0, generation: 0, hash: [7]))
            _ = try await $0.store.rotate(Self.rotation($0, generation: 1, hash: [8]))
            guard case .reused = try await $0.store.rotate(Self.rotation($0, generation: 0, hash: [7])) else { return false }
            return true
        },
        Change("an approval signed") {
            guard case .done(let view) = try await $0.store.approve($0.signature("ada"), by: $0.by(.approve, "ada", "pin"))
            else { return false }
            return view.state == .approved && view.signatures.count == 2
        },
        Change(
            "an approval signed after a neighbour's key is gone",
            first: { expect(try await $0.removePasscode(of: "ida"), is: true) }
        ) {
            guard case .done(let view) = try await $0.store.approve($0.signature("ada"), by: $0.by(.approve, "ada", "pin"))
            else { return false }
            return view.state == .approved && view.signatures.count == 2
        },
        Change("an approval signed after another key is gone") {
            guard try await $0.removePasscode(of: "ada"),
                case .done(let view) = try await $0.store.approve($0.signature("ada"), by: $0.by(.approve, "ada", "pin"))
            else { return false }
            return view.state == .approved && view.signatures.count == 2
        },
        Change("an open approval declined") {
            try await $0.store.decline($0.approval("ada"), byDeviceOf: "ada session")?.state == .declined
        },
        Change("an approved one declined") {
            try await $0.store.decline($0.approval("ada", 2), byDeviceOf: "ada session")?.state == .declined
        },
        Change("an open approval withdrawn") {
            try await $0.store.withdraw($0.approval("ada"), by: "ada bank")?.state == .withdrawn
        },
        Change("an approved one withdrawn") {
            try await $0.store.withdraw($0.approval("ada", 2), by: "ada bank")?.state == .withdrawn
        },
        Change("an approval redeemed") {
            guard case .redeemed = try await $0.store.redeem(Self.redemption($0, "e30")) else { return false }
            return true
        },
        Change("an approval redeemed with another transaction") {
            guard case .changed = try await $0.store.redeem(Self.redemption($0, "W10")) else { return false }
            return try await $0.store.approval($0.approval("ada", 2))?.state == .withdrawn
        },
        Change("an open approval redeemed with another transaction") {
            guard case .changed = try await $0.store.redeem(Self.redemption($0, "W10", of: 0)) else { return false }
            return try await $0.store.approval($0.approval("ada"))?.state == .withdrawn
        },
        Change("a transaction with other contents") {
            let new = NewApproval(
                id: .random(), creator: "ada bank", transactionID: "t-0", account: $0.account("ada"), second: nil, txn: "W10",
                demand: .oneKey, lifetime: .seconds(300), cap: 8)
            guard case .made = try await $0.store.create(new) else { return false }
            return try await $0.store.approval($0.approval("ada"))?.state == .withdrawn
        },
        Change("a removed back end") { try await $0.store.removeClient("ada bank") },
        Change("a retired token key") {
            try await $0.store.retire([RetiredKey(secret: "secret of ada", kid: "k", x963: [])])
            return true
        },
        Change("a delivered notice") {
            guard let notice = try await $0.store.notices(of: $0.account("ada")).first(where: { $0.device == nil }) else {
                return false
            }
            try await $0.store.settle(notice.id)
            return true
        },
    ]

    private static func rotation(_ world: World, generation: UInt32, hash: [UInt8]) -> RefreshRotation {
        RefreshRotation(
            session: world.session("ada", "face"), generation: generation, tokenHash: hash, successorHash: [hash[0] + 1],
            jkt: "ada session", grace: .zero, lifetime: .seconds(1000), idleLimit: .seconds(1000))
    }

    @Test("a session's own last refresh counts") func idle() async throws {
        let world = try await World()
        defer { world.remove() }
        world.clock.advance(by: .seconds(600))
        for name in ["amy", "ida", "bob"] {
            var rotation = Self.rotation(world, generation: 0, hash: [7])
            (rotation.session, rotation.jkt) = (world.session(name, "face"), "\(name) session")
            _ = try await world.store.rotate(rotation)
        }
        var late = Self.rotation(world, generation: 0, hash: [7])
        late.idleLimit = .seconds(500)
        guard case .over = try await world.store.rotate(late) else {
            Issue.record("the session was idle for too long")
            return
        }
    }

    private static func redemption(_ world: World, _ txn: String, of number: UInt8 = 2) -> Redemption {
        Redemption(approval: world.approval("ada", number), creator: "ada bank", key: "k", txn: txn) { _, _, _ in "receipt" }
    }

    @Test("a change leaves the neighbours alone", arguments: changes)
    private func change(_ change: Change) async throws {
        let world = try await World()
        defer { world.remove() }
        try await change.first(world)
        let before = try await world.rows(ofAccount: change.ofAccount)
        #expect(before.neighbours.count > (change.ofAccount ? 40 : 60), "each of the neighbours has some twenty rows")
        expect(try await change.make(world), is: true)
        let after = try await world.rows(ofAccount: change.ofAccount)
        #expect(after.neighbours.subtracting(before.neighbours).sorted() == [])
        #expect(before.neighbours.subtracting(after.neighbours).sorted() == [])
        #expect(after.others != before.others, "and something changed")
    }

    @Test("a question is answered with no neighbour's row") func reads() async throws {
        let world = try await World()
        defer { world.remove() }
        let store = world.store
        try await store.setMinimums(Dictionary(uniqueKeysWithValues: World.people.map { ($0, .withoutKey) }), version: nil)
        for name in World.people { expect(try await store.setGroup(name, of: world.account(name)), is: true) }
        for name in World.people {
            expect(try await store.group(of: world.account(name)), is: name)
            let account = try #require(try await store.account(named: name))
            #expect(account.id == world.account(name) && account.passwordHash == "hash of \(name)")
            #expect(account.oneTimeSecret == world.account(name).bytes)
            let state = try #require(try await store.state(of: account.id))
            #expect(state.recoveryCodes == 1 && state.hasOneTimeCodes && state.disabledAt == nil)
            for issuer in ["https://one", "https://two"] {
                let known = try await store.account(
                    of: Identity(issuer: issuer, subject: name), orMaking: Account(id: .random(), name: "x", passwordHash: ""),
                    by: .fresh, spending: [world.spend(.idToken)])
                #expect(known?.id.bytes[..<2] == [world.account(name).bytes[0], issuer == "https://one" ? 20 : 21])
            }
            let own = World.devices.filter { $0.1 == name }.map { world.device($0.0) } + [world.plainDevice(name)]
            let devices = try await store.devices(of: world.account(name))
            #expect(Set(devices.map(\.id)) == Set(own))
            #expect(Set(devices.map(\.name)) == Set(World.devices.filter { $0.1 == name }.map(\.0) + ["plain"]))
            #expect(devices.filter(\.isPlain).map(\.id) == [world.plainDevice(name)])
            expect(try await store.plainGeneration(of: world.plainDevice(name)) != nil, is: true)
            expect(try await store.client("\(name) bank")?.id, is: "\(name) bank")
            let asked = try await store.openApprovals(of: world.account(name))
            #expect(asked.map(\.id) == [world.approval(name, 0), world.approval(name, 1)])
            #expect(asked.map { $0.signatures.map(\.kid) } == [["\(name) face"], [name == "ada" ? "ida face" : "\(name) face"]])
            let notices = try await store.notices(of: world.account(name))
            #expect(!notices.isEmpty && notices.allSatisfy { $0.account == world.account(name).text })
        }
        for (name, owner) in World.devices {
            let device = try #require(try await store.device(withSessionKey: "\(name) session"))
            #expect(device.id == world.device(name) && device.account == world.account(owner))
            #expect(Set(device.keys.map(\.kid)) == Set(["session", "face", "passcode", "pin"].map { "\(name) \($0)" }))
            expect(try await store.plainGeneration(of: world.device(name)), is: nil)
            let evidence = try await store.evidence(of: world.device(name))
            #expect(evidence.map(\.id) == [world.evidence(name)])
            #expect(evidence.map(\.verdict.keys) == [["\(name) face": Self.face, "\(name) passcode": Self.passcode]])
            expect(try await store.appAttestKey(World.bytes(name, 31))?.appID, is: "app of \(name)")
            let key = try #require(try await store.key("\(name) pin"))
            #expect(key.device == world.device(name) && key.account == world.account(owner) && key.wrongInARow == 1)
            let session = try #require(try await store.session(world.session(name, "pin")))
            #expect(session.device == world.device(name) && session.account == world.account(owner))
            #expect(session.opener == .key(.pin, .credentials))
        }
        let evidence = World.devices.map { world.evidence($0.0) }
        expect(try await store.evidence(after: nil, atMost: 3).map(\.id), is: Array(evidence[..<3]))
        expect(try await store.evidence(after: evidence[1], atMost: 3).map(\.id), is: Array(evidence[2...]))
        expect(try await store.clients().count, is: 3)
        expect(try await store.account(named: "eve")?.name, is: nil)
    }

    @Test("the state of an account is its own") func states() async throws {
        let world = try await World()
        defer { world.remove() }
        let store = world.store
        let code = SignInAttempt.Evidence.recoveryCode(world.account("ada").bytes, passwordFits: true)
        expect(try await store.settle(world.attempt("ada", code)), is: .open)
        expect(try await store.disable(world.account("bob")), is: true)
        for name in World.people {
            let state = try #require(try await store.state(of: world.account(name)))
            #expect(state.recoveryCodes == (name == "ada" ? 0 : 1))
            #expect((state.disabledAt != nil) == (name == "bob"))
        }
    }

    @Test("an account that is off enrols nothing, whatever its ticket says, and is asked for nothing") func off() async throws {
        let world = try await World()
        defer { world.remove() }
        let store = world.store
        let plain = NewDevice(
            id: .random(), account: world.account("ada"), name: "late", sessionJKT: "", keys: [], coolOff: .zero)
        let key = NewPlainKey(kid: "late plain", spki: [1])
        expect(try await store.disable(world.account("ada")), is: true)
        let asked = NewApproval(
            id: .random(), creator: "ada bank", transactionID: "late", account: world.account("ada"), second: nil, txn: "e30",
            demand: .oneKey, lifetime: .seconds(300), cap: 8)
        guard case .unknownAccount = try await store.create(asked) else {
            Issue.record("an account that is off was asked")
            return
        }
        var ticket = world.ticket("ada")
        ticket.credentialGeneration += 1
        expect(try await store.enrol(plain, with: key, by: ticket), is: false)
        expect(try await store.enable(world.account("ada")), is: true)
        ticket.spend = world.spend(.ticket)
        expect(try await store.enrol(plain, with: key, by: ticket), is: true)
    }

    @Test("a list is forgotten alone") func lists() async throws {
        let world = try await World()
        defer { world.remove() }
        for kind in EvidenceList.Kind.allCases {
            let list = EvidenceList(kind: kind, text: [], fetchedAt: world.clock.now)
            expect(try await world.store.keep(list, naming: 1), is: true)
        }
        try await world.store.forget(EvidenceList.Kind.allCases[0])
        let left = EvidenceList.Kind.allCases.dropFirst()
        #expect(!left.isEmpty)
        for kind in left { #expect(try await world.store.evidenceList(kind) != nil) }
        #expect(try await world.store.evidenceList(EvidenceList.Kind.allCases[0]) == nil)
    }

    @Test("a neighbour may do nothing here", arguments: ["amy", "bob"]) func strangers(_ name: String) async throws {
        let world = try await World()
        defer { world.remove() }
        let (store, before) = (world.store, try await world.rows())
        expect(try await store.rename(world.device("ada"), to: "x", by: world.session(name, "face"))?.name, is: nil)
        expect(try await store.revoke(world.device("ada"), by: world.session(name, "face")), is: false)
        expect(try await store.revoke(world.device("ada"), of: world.account(name)), is: false)
        expect(try await store.decline(world.approval("ada"), byDeviceOf: "\(name) session")?.id, is: nil)
        expect(try await store.withdraw(world.approval("ada"), by: "\(name) bank")?.id, is: nil)
        try await store.end(world.session("ada", "face"), by: "\(name) session")
        try await store.end(world.session("ada", "face"), by: "ada face")
        expect(try await store.revoke(deviceWithSessionKey: "unknown session"), is: false)
        expect(try await world.rows().others, is: before.others)
        // A change of a revoked device, beside devices that are not.
        expect(try await store.revoke(world.device("ada"), of: world.account("ada")), is: true)
        let change = NewKeys(device: world.device("ada"), kind: .pin, old: "ada pin", new: nil, coolOff: .zero)
        let ticket = Authorisation(
            rules: .replaceKeyByTicket, spends: [], grounds: .ticket(world.ticket("ada")), jkt: "ada session")
        expect(try await store.change(change, by: ticket).name, is: "refused")
        expect(try await store.revoke(world.plainDevice("ada"), of: world.account("ada")), is: true)
        let plain = EnrolledPlainKey(spki: [], device: world.plainDevice("ada"), account: world.account("ada"))
        expect(try await store.spend(world.spend(.plainChallenge), on: plain), is: nil)
    }
}
#endif
