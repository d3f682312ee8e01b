#if Tools
import Crypto
import Foundation
import GRDB
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// The audit log: what it tells, what it does not, and that no row can be changed, dropped, swapped or cut off unnoticed.
@Suite struct AuditTests {
    // MARK: The chain

    private static let log = [UInt8](repeating: 7, count: 16)

    /// Rows as the server writes them, some seconds apart.
    private func rows(_ count: Int, of kind: AuditEvent.Kind = .signedIn, apart seconds: Int64 = 1) -> [AuditRow] {
        var previous: [UInt8] = []
        return (1...Int64(count)).map { number in
            let at = UnixTime(seconds: 1000 + number * seconds)
            let event = #"{"event":"\#(kind.rawValue)","count":\#(number)}"#
            previous = AuditChain.hash(log: Self.log, previous: previous, number: number, at: at, event: event)
            return AuditRow(number: number, at: at, event: event, hash: previous)
        }
    }

    private func check(
        _ rows: [AuditRow], head: AuditVerification.Head, checkpoints: [AuditVerification.StoredCheckpoint] = [],
        keys: [String: VerifyingKey] = [:]
    ) throws {
        var check = try AuditVerification(of: Self.log, checkpoints: checkpoints, keys: keys, first: rows.first?.number)
        for row in rows { try check.add(row) }
        try check.end(at: head)
    }

    private func head(_ rows: [AuditRow]) -> AuditVerification.Head {
        rows.last.map { .init(number: $0.number, hash: $0.hash) } ?? .init(number: 0, hash: [])
    }

    @Test("a row that is changed, dropped, swapped or cut off is found, with its place") func faults() throws {
        let written = rows(9)
        let end = head(written)
        try check(written, head: end)
        try check([], head: .init(number: 0, hash: []))

        func fault(_ change: (inout [AuditRow]) -> Void) throws -> AuditFault {
            var rows = written
            change(&rows)
            return try #require(throws: AuditFault.self) { try check(rows, head: end) }
        }
        #expect(try fault { $0[3].event = #"{"event":"sign-in","count":5}"# } == .changed(4))
        #expect(try fault { $0[3].at = UnixTime(seconds: 1) } == .changed(4))
        #expect(try fault { $0[3].hash[0] ^= 1 } == .changed(4))
        #expect(try fault { $0[3].hash = [] } == .changed(4), "a row that was written past the server")
        #expect(try fault { $0.remove(at: 4) } == .missing(from: 5, to: 5))
        #expect(try fault { $0.removeSubrange(2...4) } == .missing(from: 3, to: 5))
        #expect(try fault { $0.removeFirst(2) } == .missing(from: 1, to: 2), "no checkpoint vouches for what is gone")
        #expect(try fault { $0.removeLast() } == .missing(from: 9, to: 9))
        #expect(try fault { $0 = [] } == .missing(from: 1, to: 9))
        #expect(
            try fault { rows in
                (rows[2].event, rows[5].event) = (rows[5].event, rows[2].event)
            } == .changed(3), "swapped contents")
        #expect(
            try fault { rows in
                rows.swapAt(2, 5)
                (rows[2].number, rows[5].number) = (3, 6)
            } == .changed(3), "swapped rows")
        #expect(try fault { $0.append($0[8]) } == .changed(9), "a row that stands twice")
    }

    @Test("a log that was written anew does not fit its checkpoints") func rewritten() throws {
        let signer = try TokenSigner(P256.Signing.PrivateKey())
        let key = try VerifyingKey(jwk: signer.jwk)
        func checkpoint(_ row: AuditRow, log: [UInt8] = Self.log) throws -> AuditVerification.StoredCheckpoint {
            .init(
                number: row.number,
                signed: try signer.sign(
                    AuditCheckpoint(iss: "https://x", iat: row.at, log: log, number: row.number, hash: row.hash)))
        }
        let (written, keys) = (rows(9), [signer.kid: key])
        let signed = try checkpoint(written[5])
        try check(written, head: head(written), checkpoints: [signed], keys: keys)

        // Who can write to the database computes the whole chain anew, and its end.
        var forged: [AuditRow] = []
        var previous: [UInt8] = []
        for row in written where row.number != 4 {
            let number = Int64(forged.count + 1)
            previous = AuditChain.hash(log: Self.log, previous: previous, number: number, at: row.at, event: row.event)
            forged.append(AuditRow(number: number, at: row.at, event: row.event, hash: previous))
        }
        try check(forged, head: head(forged))
        let fault = try #require(throws: AuditFault.self) {
            try check(forged, head: head(forged), checkpoints: [signed], keys: keys)
        }
        #expect(fault == .rewritten(upTo: 6))
        let short = Array(written.prefix(3))
        let cut = try #require(throws: AuditFault.self) {
            try check(short, head: head(short), checkpoints: [signed], keys: keys)
        }
        #expect(cut == .missing(from: 4, to: 6))

        // The rest of a log begins where a checkpoint vouches for what was deleted.
        let rest = Array(written.dropFirst(6))
        try check(rest, head: head(rest), checkpoints: [signed], keys: keys)
        let later = Array(written.dropFirst(7))
        let gap = try #require(throws: AuditFault.self) { try check(later, head: head(later), checkpoints: [signed], keys: keys) }
        #expect(gap == .missing(from: 1, to: 7))

        for wrong in [
            AuditVerification.StoredCheckpoint(number: 5, signed: signed.signed), .init(number: 6, signed: "x"),
            try checkpoint(written[5], log: [UInt8](repeating: 8, count: 16)),
        ] {
            let fault = try #require(throws: AuditFault.self) {
                try check(written, head: head(written), checkpoints: [wrong], keys: keys)
            }
            #expect(fault == .checkpoint(wrong.number))
        }
        let stranger = try #require(throws: AuditFault.self) {
            try check(written, head: head(written), checkpoints: [signed], keys: [:])
        }
        #expect(stranger == .checkpoint(6))
    }

    @Test("rows that a running server wrote over many minutes need a checkpoint") func unsigned() throws {
        let signer = try TokenSigner(P256.Signing.PrivateKey())
        let keys = [signer.kid: try VerifyingKey(jwk: signer.jwk)]
        func check(_ rows: [AuditRow], signedAt numbers: [Int] = []) throws {
            let checkpoints = try numbers.map { number in
                let row = rows[number - 1]
                let checkpoint = AuditCheckpoint(
                    iss: "https://x", iat: row.at, log: Self.log, number: row.number, hash: row.hash)
                return AuditVerification.StoredCheckpoint(number: row.number, signed: try signer.sign(checkpoint))
            }
            try self.check(rows, head: head(rows), checkpoints: checkpoints, keys: keys)
        }
        func fault(_ rows: [AuditRow], signedAt numbers: [Int] = []) throws -> AuditFault {
            try #require(throws: AuditFault.self) { try check(rows, signedAt: numbers) }
        }
        try check(rows(10, apart: 60))
        #expect(try fault(rows(11, apart: 60)) == .unsigned(from: 1, to: 11))
        try check(rows(30, apart: 60), signedAt: [10, 20])
        #expect(try fault(rows(30, apart: 60), signedAt: [10]) == .unsigned(from: 11, to: 30))
        #expect(
            try fault(rows(30, apart: 60), signedAt: [30]) == .unsigned(from: 1, to: 30),
            "the others were deleted, and the running server has signed what it found")
        try check(rows(3000, apart: 0))
        try check(rows(30, of: .accountAdded, apart: 3600), signedAt: [])
    }

    // MARK: The store

    private func with(_ body: (SQLStore, DatabaseQueue, TestClock) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_000_000))
        let store = try SQLStore(path: folder + "/store.sqlite", time: NodeTime(clock.node))
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try await body(store, try DatabaseQueue(path: folder + "/store.sqlite", configuration: configuration), clock)
    }

    private func verify(_ store: SQLStore, keys: [String: VerifyingKey] = [:]) async throws -> Int {
        let state = try await store.auditState()
        var check = try AuditVerification(
            of: state.log, checkpoints: try await store.checkpoints(), keys: keys, first: state.first)
        for row in try await store.auditRows(after: 0, limit: .max) { try check.add(row) }
        try check.end(at: state.head)
        return check.rows
    }

    @Test("requests that share a transaction have one row each, and a failed one has none") func batches() async throws {
        try await with { store, _, _ in
            struct Failed: Error {}
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        try? await store.writer.write { db, now in
                            try SQLStore.audit(AuditEvent(.signedIn, count: number), in: db, at: now)
                            if number.isMultiple(of: 3) { throw Failed() }
                        }
                    }
                }
            }
            let numbers = try await store.auditRows(after: 0, limit: .max).map {
                try WireJSON.decodeClaims(AuditEvent.self, from: Array($0.event.utf8)).count
            }
            #expect(numbers.compactMap { $0 }.sorted() == (0..<200).filter { !$0.isMultiple(of: 3) })
            #expect(try await verify(store) == numbers.count)
        }
    }

    @Test("two processes write one chain") func twoProcesses() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stores = try (1...2).map { _ in try SQLStore(path: folder + "/store.sqlite", time: NodeTime(TestClock().node)) }
        await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask { try? await stores[number % 2].record(AuditEvent(.signedIn, count: number)) }
            }
        }
        expect(try await verify(stores[0]), is: 100)
    }

    @Test("a checkpoint covers the rows so far, and what it covers can be deleted") func retention() async throws {
        try await with { store, _, clock in
            let signer = try TokenSigner(P256.Signing.PrivateKey())
            let keys = [signer.kid: try VerifyingKey(jwk: signer.jwk)]
            func checkpoint() async throws -> Bool {
                try await store.addCheckpoint { log, head, now in
                    try signer.sign(
                        AuditCheckpoint(iss: "https://x", iat: now, log: log, number: head.number, hash: head.hash))
                }
            }
            expect(try await checkpoint(), is: false, "there is nothing to sign")
            for number in 1...3 { try await store.record(AuditEvent(.signedIn, count: number)) }
            expect(try await checkpoint(), is: true)
            expect(try await checkpoint(), is: false, "nothing was added since")
            clock.advance(by: .seconds(100))
            for number in 4...6 { try await store.record(AuditEvent(.signedIn, count: number)) }
            expect(try await checkpoint(), is: true)
            expect(try await store.auditState().checkpoint.at, is: clock.now)
            try await store.purgeAudit(before: clock.now + .seconds(-100))
            expect(try await verify(store, keys: keys), is: 6, "the first checkpoint is not older than that")
            try await store.purgeAudit(before: clock.now)
            expect(try await verify(store, keys: keys), is: 4, "three rows are left, and one tells of the deletion")
            let left = try await store.auditRows(after: 0, limit: .max)
            #expect(left.first?.number == 4 && left.last?.event.contains(#""event":"purged""#) == true)
            try await store.purgeAudit(before: clock.now)
            expect(try await verify(store, keys: keys), is: 4, "nothing more to delete")
        }
    }

    @Test("a shorter retention deletes some ten thousand rows at a time") func longPurge() async throws {
        try await with { store, _, clock in
            try await fill(store)
            expect(try await store.purgeAudit(before: UnixTime(seconds: 1)), is: false, "none is older than that")
            var first: [Int64?] = []
            for round in 1...4 {
                expect(try await store.purgeAudit(before: clock.now), is: round < 4, "it tells whether to call it again")
                first.append(try await store.auditState().first)
            }
            #expect(first == [11_001, 22_001, 25_001, 25_001], "up to the next checkpoint after ten thousand rows")
            let told = try await store.auditRows(after: 0, limit: .max).map {
                try WireJSON.decodeClaims(AuditEvent.self, from: Array($0.event.utf8)).count
            }
            #expect(told == [11_000, 22_000, 25_000], "one row tells of each deletion")
            expect(try await store.checkpoints().map(\.number), is: [25_000])
        }
    }

    /// Writes 25000 old rows with their checkpoints. Deleting looks at no hash, so these rows need no chain.
    private func fill(_ store: SQLStore) async throws {
        try store.pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM audit;
                    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25000)
                    INSERT INTO audit (number, at, event, hash) SELECT n, 1, '{}', x'01' FROM numbers;
                    INSERT INTO audit_checkpoints (number, at, signed)
                    SELECT number, 1, 'x' FROM audit WHERE number % 1000 = 0;
                    UPDATE node SET audit_number = 25000, audit_hash = x'01';
                    """)
        }
    }

    // MARK: The server

    /// The server without HTTP, in a folder of its own. It keeps the rows of the audit log for an hour.
    private func withServer(_ body: (AuthorizationServer, TestClock) async throws -> Void) async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock()
        var settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
        settings.auditRetention = .seconds(3600)
        try await body(try await AuthorizationServer(settings, clock: clock.node), clock)
    }

    @Test("tidying deletes all rows past their retention, in several transactions") func tidying() async throws {
        try await withServer { server, _ in
            try await fill(server.store)
            try await server.tidyAudit()
            let told = try await server.store.auditRows(after: 0, limit: .max).map {
                try WireJSON.decodeClaims(AuditEvent.self, from: Array($0.event.utf8)).count
            }
            #expect(told == [11_000, 22_000, 25_000], "once a minute is enough, whatever was written in the meantime")
        }
    }

    private func events(_ live: LiveServer) async throws -> [AuditEvent] {
        try await live.service.store.auditRows(after: 0, limit: .max).map {
            try WireJSON.decodeClaims(AuditEvent.self, from: Array($0.event.utf8))
        }
    }

    @Test("a day at the server has its rows in order, with ids and without secrets") func aDay() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let tokens = try await ada.signIn()
            let (challenge, nonce) = try await ada.challenge()
            let proof = ada.device.proof(challenge)
            let other = try await live.device(of: "bob").device.proof(challenge)
            let wrong = (proof.split(separator: ".").prefix(2) + other.split(separator: ".").suffix(1)).joined(separator: ".")
            expect(try await ada.redeem(wrong, nonce: nonce).status, is: 400)
            let again = try await ada.redeem(wrong, nonce: try await ada.nonce())
            expect(again.status, is: 400)
            try await live.server.unlock(accountNamed: "ada")
            try await live.service.tidy()

            let events = try await events(live)
            let kinds = events.map(\.kind)
            #expect(kinds.prefix(2) == [.accountAdded, .accountAdded])
            for kind in [AuditEvent.Kind.credentials, .deviceEnrolled, .signedIn, .wrongSignature, .accountUnlocked, .refusals] {
                #expect(kinds.contains(kind), "\(kind)")
            }
            let signIn = try #require(events.first { $0.kind == .signedIn })
            #expect(signIn.key == .biometric && signIn.device != nil && signIn.session != nil && signIn.from == "127.0.0.1")
            #expect(events.first { $0.kind == .wrongSignature }?.count == 1)
            #expect(
                events.last { $0.kind == .refusals }?.counts?["proof wrongSignature"] == 2,
                "the second one was not counted against the key")

            let text = try await live.service.store.auditRows(after: 0, limit: .max).map(\.event).joined()
            for secret in [LiveServer.password, tokens.accessToken, tokens.refreshToken, proof, challenge, "ada"] {
                #expect(!text.contains(secret))
            }
            let verified = try await live.server.verifyAuditLog()
            #expect(verified.rows == events.count)
        }
    }

    @Test("a checkpoint is due after a minute, and it verifies") func checkpoints() async throws {
        try await LiveServer.run { live in
            /// The number of checkpoints when those that are due are there. The server writes them too, each second.
            func checkpoints(after wait: Duration) async throws -> Int {
                live.clock.advance(by: wait)
                _ = try await live.service.checkpointAudit()
                return try await live.service.store.checkpoints().count
            }
            expect(try await checkpoints(after: .seconds(61)), is: 1)
            try await live.service.store.record(AuditEvent(.policy))
            expect(try await checkpoints(after: .seconds(58)), is: 1)
            expect(try await checkpoints(after: .seconds(2)), is: 2)
            let kept = try await live.service.store.checkpoints()
            #expect(try await live.server.verifyAuditLog().checkpoints == kept.count)

            // The database is changed past the server, to an earlier state with an earlier end.
            let first = try #require(kept.first)
            try live.tables { db in
                try db.run(sql: "DELETE FROM audit WHERE number > ?", arguments: [first.number])
                try db.run(sql: "DELETE FROM audit_checkpoints WHERE number > ?", arguments: [first.number])
                try db.run(
                    sql: """
                        UPDATE node SET audit_number = ?1, audit_hash = (SELECT hash FROM audit WHERE number = ?1)
                        """, arguments: [first.number])
            }
            #expect(try await live.server.verifyAuditLog().rows == Int(first.number), "by itself the log cannot tell")
            let fault = try await #require(throws: AuditFault.self) {
                _ = try await live.server.verifyAuditLog(against: kept.map(\.signed))
            }
            #expect(fault == .missing(from: first.number + 1, to: kept[kept.count - 1].number))
        }
    }

    @Test("a log is verified beside a server that writes rows and checkpoints, and deletes rows")
    func besideAServer() async throws {
        try await LiveServer.run { live in
            let service = live.service
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let signer = service.secrets.current.signer(at: service.time.now)
                    for number in 1...100 {
                        try await service.store.record(AuditEvent(.signedIn, count: number))
                        _ = try await service.store.addCheckpoint { log, head, now in
                            try signer.sign(
                                AuditCheckpoint(iss: "https://x", iat: now, log: log, number: head.number, hash: head.hash))
                        }
                        guard number.isMultiple(of: 10) else { continue }
                        try await service.store.purgeAudit(before: service.time.now + .seconds(1))
                    }
                }
                for _ in 0..<30 { _ = try await EmbeddedServer(service).verifyAuditLog() }
                try await group.waitForAll()
            }
            #expect(try await EmbeddedServer(service).verifyAuditLog().rows > 0)
        }
    }

    @Test func aRowThatWasWrittenPastTheServerStaysOutsideTheChain() async throws {
        try await LiveServer.run { live in
            let written = try live.tables { db in
                try db.run(
                    sql: """
                        INSERT INTO audit (number, at, event)
                        SELECT max(number) + 1, max(at), '{"event":"sign-in"}' FROM audit
                        """)
                return try db.value(Int64.self, sql: "SELECT max(number) FROM audit")
            }
            // The next row of the server does not take it for one of its own.
            try await live.service.store.record(AuditEvent(.policy))
            let fault = try await #require(throws: AuditFault.self) { _ = try await live.server.verifyAuditLog() }
            #expect(fault == .changed(written))
        }
    }

    /// The operator keeps checkpoints elsewhere, and some of them are older than the first row that is left.
    @Test("a kept checkpoint whose row was purged is no fault, and one whose row was deleted too early is one")
    func kept() async throws {
        try await withServer { server, clock in
            func checkpoint() async throws -> AuditVerification.StoredCheckpoint {
                try await server.store.record(AuditEvent(.policy))
                clock.advance(by: .seconds(60))
                expect(try await server.checkpointAudit(), is: true)
                let all = try await server.store.checkpoints()
                return try #require(all.last)
            }
            let first = try await checkpoint()
            let second = try await checkpoint()
            clock.advance(by: server.settings.auditRetention + .seconds(1))
            try await server.tidy()
            expect(try await server.store.auditState().first, is: second.number + 1)
            let verified = try await EmbeddedServer(server).verifyAuditLog(against: [first.signed, second.signed])
            #expect(verified.rows == 1, "the row that tells of the deletion")

            let third = try await checkpoint()
            let fourth = try await checkpoint()
            try await server.store.record(AuditEvent(.policy))
            try await DatabaseQueue(path: server.settings.dataFolder + "/thumbturn.sqlite").write { db in
                try db.execute(sql: "DELETE FROM audit WHERE number <= ?", arguments: [fourth.number])
                try db.execute(sql: "DELETE FROM audit_checkpoints WHERE number < ?", arguments: [fourth.number])
            }
            #expect(try await EmbeddedServer(server).verifyAuditLog().rows == 1, "by itself the log cannot tell")
            let fault = try await #require(throws: AuditFault.self) {
                _ = try await EmbeddedServer(server).verifyAuditLog(against: [first.signed, third.signed])
            }
            #expect(fault == .missing(from: 1, to: third.number))
        }
    }

    @Test("a ticket that became void leaves the row of a refusal") func voidTicket() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let draft = try await phone.draft(.resetPIN, paidBy: .credentials)
            try await live.server.setPassword(PasswordChangeTests.newPassword, ofAccountNamed: "ada")
            #expect(try await phone.send(draft).kind == "verification-failed")
            let refused = try await events(live).filter { $0.kind == .refused }
            #expect(refused.map(\.reason) == ["key-change changed"])
            let device = try await phone.record().read(DeviceRecord.self).id
            #expect(refused.first?.device == device)
        }
    }

    @Test("an export masks addresses, and keeps to its times") func export() async throws {
        try await LiveServer.run { live in
            _ = try await live.device().signIn()
            live.clock.advance(by: .seconds(100))
            try await live.server.unlock(accountNamed: "bob")
            let server = live.server
            func lines(_ addresses: EmbeddedServer.AuditAddresses, from: UnixTime = UnixTime(seconds: 0)) async throws -> [String]
            {
                var lines: [String] = []
                try await server.exportAuditLog(from: from, to: UnixTime(seconds: .max), addresses: addresses) {
                    lines.append($0)
                }
                return lines
            }
            #expect(try await lines(.full).contains { $0.contains(#""from":"127.0.0.1""#) })
            #expect(try await lines(.masked).contains { $0.contains(#""from":"127.0.0.0/24""#) })
            #expect(try await !lines(.none).contains { $0.contains("from") })
            let late = try await lines(.full, from: live.clock.now)
            #expect(late.count == 1 && late[0].contains("account-unlocked"))
        }
    }

    @Test("every kind of event stands in the page, and no other") func page() throws {
        let page = try String(
            contentsOf: repository.appendingPathComponent("docs/audit-log.md"), encoding: .utf8)
        let named = Set(page.matches(of: #/(?m)^\| `([a-z-]+)` \|/#).map { String($0.1) })
        #expect(named == Set(AuditEvent.Kind.allCases.map(\.rawValue)))
    }
}
#endif
