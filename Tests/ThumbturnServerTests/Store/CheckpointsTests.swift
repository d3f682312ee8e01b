#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnServer

@Suite struct CheckpointsTests {
    @Test("a log starts over while the writer is busy")
    func theLogStaysShort() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/store.sqlite"
        let pool = try SQLitePool(path: path, checkpointsEvery: 8)
        let writer = GroupCommit(pool: pool, time: NodeTime(.system), edition: SecretsEdition(epoch: 0, changes: 0))
        let first = try Self.turn(path)
        var commits = 0
        while try Self.turn(path) < first + 3, commits < 5000 {
            try await writer.write { db, _ in try db.execute(sql: "UPDATE node SET purged_until = purged_until + 1") }
            commits += 1
        }
        #expect(try Self.turn(path) >= first + 3)
        #expect(commits < 5000)
        let kept = try await pool.read { try Int.fetchOne($0, sql: "SELECT purged_until FROM node") }
        #expect(kept == commits)
    }

    /// How often the log has started over: the fourth number of its head (SQLite, "WAL-mode file format").
    private static func turn(_ path: String) throws -> UInt32 {
        let file = try #require(FileHandle(forReadingAtPath: path + "-wal"))
        defer { try? file.close() }
        return try #require(try file.read(upToCount: 16)).suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
#endif
