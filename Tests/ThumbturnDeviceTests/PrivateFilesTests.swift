import Foundation
import TestSupport
import Testing

@Suite struct PrivateFilesTests {
    /// Darwin's `fsync` leaves bytes in the drive's own cache, which no test can see. So this one reads the source: both
    /// syncs go through the function that asks for a full one.
    @Test func everySyncIsAFullOne() throws {
        let file = repository.appendingPathComponent("Sources/ThumbturnDevice/Support/PrivateFiles.swift")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "private static func flush(")
        let full = try #require(parts.last?.components(separatedBy: "\n    }\n").first)
        #expect(parts.count == 2 && full.contains("fcntl(file, F_FULLFSYNC) == 0"))
        let elsewhere = parts[0] + parts[1].dropFirst(full.count)
        #expect(!elsewhere.contains("fsync("))
        #expect(elsewhere.components(separatedBy: "Self.flush(").count == 3, "the file, and the folder")
    }
}
