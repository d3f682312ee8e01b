#if Tools
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnServer

@Suite struct GroupCommitTests {
    struct Broken: Error {}

    private func with(
        spacing: Duration = .zero, pause: @escaping @Sendable (Duration) -> Void = { _ in },
        _ body: (SQLitePool, GroupCommit) async throws -> Void
    ) async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pool = try SQLitePool(path: folder + "/store.sqlite")
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY)")
            try db.execute(sql: "CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
            try db.execute(sql: "INSERT INTO parent VALUES (1)")
        }
        try await body(
            pool,
            GroupCommit(
                pool: pool, time: NodeTime(.system), edition: SecretsEdition(epoch: 0, changes: 0), spacing: spacing,
                pause: pause))
    }

    private final class Pauses: Sendable {
        private let noted = Mutex<[Duration]>([])
        var all: [Duration] { noted.withLock { $0 } }
        func note(_ pause: Duration) { noted.withLock { $0.append(pause) } }
    }

    @Test func onlyAWriterWithManyRequestsWaitsForMore() async throws {
        let (pauses, spacing) = (Pauses(), Duration.seconds(3600))
        try await with(spacing: spacing, pause: { pause in pauses.note(pause) }) { _, writer in
            for _ in 1...3 { try await writer.write { db, _ in try Self.add(1)(db) } }
            #expect(pauses.all.isEmpty)

            // The first of these has its own commit; the second and the third share one, and the next commit has to wait.
            #expect(await together(writer, [Self.add(1), Self.add(1)]) == [true, true])
            try await writer.write { db, _ in try Self.add(1)(db) }
            let asked = pauses.all
            #expect(!asked.isEmpty && asked.allSatisfy { $0 <= spacing })

            for _ in 1...3 { try await writer.write { db, _ in try Self.add(1)(db) } }
            #expect(pauses.all == asked, "the last commit was not shared")
        }
    }

    /// Starts pieces of work while the writer is busy, so that they share the next transaction; returns how each ended.
    private func together(_ writer: GroupCommit, _ work: [@Sendable (Database) throws -> Void]) async -> [Bool] {
        let busy = DispatchSemaphore(value: 0)
        let (running, started) = AsyncStream.makeStream(of: Void.self)
        return await withTaskGroup(of: (Int, Bool).self) { group in
            group.addTask {
                let held: Void? = try? await writer.write { _, _ in
                    started.finish()
                    busy.wait()
                }
                return (-1, held != nil)
            }
            for await _ in running {}
            for (index, piece) in work.enumerated() {
                group.addTask { (index, (try? await writer.write { db, _ in try piece(db) }) != nil) }
            }
            while writer.waitingCount < work.count { await Task.yield() }
            busy.signal()
            var ends = [Bool](repeating: false, count: work.count)
            for await (index, isDone) in group where index >= 0 { ends[index] = isDone }
            return ends
        }
    }

    private static func add(_ id: Int) -> @Sendable (Database) throws -> Void {
        { try $0.execute(sql: "INSERT INTO child VALUES (?)", arguments: [id]) }
    }

    private static func children(_ pool: SQLitePool) async throws -> Int? {
        try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM child") }
    }

    @Test func aRequestThatFailsDoesNotFailTheOthers() async throws {
        try await with { pool, writer in
            let ends = await together(
                writer,
                [
                    Self.add(1),
                    { db in
                        try db.execute(sql: "INSERT INTO child VALUES (1)")
                        throw Broken()
                    }, Self.add(1),
                ])
            #expect(ends == [true, false, true])
            expect(try await Self.children(pool), is: 2)
        }
    }

    @Test func theAuditLogHasNoGapWhereARequestFails() async throws {
        try await with { pool, writer in
            let row: @Sendable (Database) throws -> Void = { db in
                try SQLStore.audit(AuditEvent(.policy), in: db, at: UnixTime(seconds: 1000))
            }
            let ends = await together(
                writer,
                [
                    row,
                    { db in
                        try row(db)
                        throw Broken()
                    }, row,
                ])
            #expect(ends == [true, false, true])
            try await writer.write { db, _ in try row(db) }
            try await pool.read { db in
                let node = try db.value(Row.self, sql: "SELECT audit_log, audit_number, audit_hash FROM node")
                let log = Array(try node["audit_log"] as Data)
                var hash: [UInt8] = []
                let rows = try db.all(Row.self, sql: "SELECT number, at, event, hash FROM audit ORDER BY number")
                expect(try rows.map { try $0["number"] as Int64 }, is: [1, 2, 3])
                expect(try node["audit_number"] as Int64, is: 3)
                for row in rows {
                    hash = try AuditChain.hash(
                        log: log, previous: hash, number: row["number"], at: UnixTime(seconds: row["at"]), event: row["event"])
                    expect(try Array(row["hash"] as Data), is: hash)
                }
                expect(try Array(node["audit_hash"] as Data), is: hash)
            }
        }
    }

    @Test func requestsBeforeAFailureRunAgainAndCountOnce() async throws {
        try await with { pool, writer in
            let twice: @Sendable (Database) throws -> Void = { db in
                try db.execute(sql: "INSERT INTO parent (id) VALUES (77)")
                try db.execute(sql: "INSERT INTO parent (id) VALUES (77)")
            }
            let ends = await together(writer, [Self.add(1), twice, Self.add(1), Self.add(1)])
            #expect(ends == [true, false, true, true])
            expect(try await Self.children(pool), is: 3)
        }
    }

    /// As SQLite does by itself when the disk is full. What came after it must not begin a transaction of its own.
    @Test func aTransactionThatEndedByItselfRefusesTheWholeBatch() async throws {
        try await with { pool, writer in
            let ends = await together(writer, [Self.add(1), { try $0.execute(sql: "ROLLBACK") }, Self.add(1)])
            #expect(ends == [false, false, false])
            expect(try await Self.children(pool), is: 0)
        }
    }

    @Test func aCommitThatFailsRefusesTheWholeBatch() async throws {
        try await with { pool, writer in
            // A child without its parent is noticed when the transaction is committed, not before.
            let ends = await together(writer, [Self.add(1), Self.add(2), Self.add(1)])
            #expect(ends == [false, false, false])
            expect(try await Self.children(pool), is: 0)
            try await writer.write { db, _ in try Self.add(1)(db) }
            expect(try await Self.children(pool), is: 1, "and the writer goes on")
        }
    }
}
#endif
