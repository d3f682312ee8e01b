import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnHost
import ThumbturnTestKit
@testable import ThumbturnDevice

@Suite struct PrivateFilesTests {
    /// Darwin's `fsync` leaves bytes in the drive's own cache, which no test can see. So this one reads the source: both
    /// syncs go through the function that asks for a full one.
    @Test func everySyncIsAFullOne() throws {
        let file = repository.appendingPathComponent("Sources/ThumbturnHost/PrivateFiles.swift")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "private static func flush(")
        let full = try #require(parts.last?.components(separatedBy: "\n    }\n").first)
        #expect(parts.count == 2 && full.contains("fcntl(file, F_FULLFSYNC) == 0"))
        let elsewhere = parts[0] + parts[1].dropFirst(full.count)
        #expect(!elsewhere.contains("fsync("))
        #expect(elsewhere.components(separatedBy: "Self.flush(").count == 3, "the file, and the folder")
    }

    // MARK: Writers at once

    /// Files in a folder of their own, which is deleted afterwards.
    private static func with(_ body: (_ files: PrivateFiles, _ folder: String) async throws -> Void) async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(PrivateFiles(folder: folder), folder)
    }

    /// A draft as a writer has it that was killed, or that is still writing.
    private static let draft = ".thumbturn-draft-1"

    @Test func manyWritersOfOneFileAllSucceedAndItIsAlwaysOneOfTheirs() async throws {
        try await Self.with { files, folder in
            // Longer than what one write of the system takes at a time.
            let written = (0..<8).map { [UInt8](repeating: UInt8($0), count: 200_000 + $0) }
            try files.write(written[0], to: "one file")
            let wrong = await withTaskGroup(of: Int.self) { group in
                for bytes in written {
                    group.addTask {
                        (0..<25).count { _ in
                            do throws(Failure) { try files.write(bytes, to: "one file") } catch { return true }
                            return false
                        }
                    }
                }
                for _ in 0..<4 {
                    group.addTask {
                        (0..<100).count { _ in
                            guard let read = try? files.read("one file"), let first = read.first else { return true }
                            return read != written[Int(first)]
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0, "no write failed, and no read found half a file or none")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one file"], "no draft is left")
        }
    }

    @Test func savesOfOneSealedFileAtOnceAllSucceed() async throws {
        try await Self.with { _, folder in
            let file = URL(fileURLWithPath: folder + "/house.plan")
            let vault = Vault(named: "designs", platform: SimulatedPhone(.plain).platform(), access: .userPresence)
            try await vault.unlocked("Open the vault") { secrets in
                try secrets.seal([0], to: file, as: "house.plan", revision: 1)
                let failures = await withTaskGroup(of: Int.self) { group in
                    for number in 1...6 as ClosedRange<UInt8> {
                        group.addTask {
                            (0..<20).count { _ in
                                let bytes = [UInt8](repeating: number, count: 100_000)
                                do throws(Failure) {
                                    try secrets.seal(bytes, to: file, as: "house.plan", revision: 1)
                                    return try secrets.open(contentsOf: file, as: "house.plan", revision: 1) == nil
                                } catch {
                                    return true
                                }
                            }
                        }
                    }
                    return await group.reduce(0, +)
                }
                #expect(failures == 0)
            }
        }
    }

    @Test func aDraftThatIsBeingWrittenIsNotDeleted() async throws {
        try await Self.with { files, folder in
            // The lock of a writer that is under way, in this process or in another one.
            let writer = try #require(try files.openLocked(Self.draft))
            try files.write([1], to: "one file")
            try files.delete("another file")
            #expect(FileManager.default.fileExists(atPath: folder + "/" + Self.draft))
            PrivateFiles.unlock(writer)
            try files.write([2], to: "one file")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one file"], "its writer has ended")
        }
    }

    // MARK: Drafts that are left

    @Test("a draft that a crash left is deleted by the next write and the next deletion", arguments: [false, true])
    func crashed(_ deletes: Bool) async throws {
        try await Self.with { files, folder in
            try files.write([1], to: "one file")
            try Data("half a".utf8).write(to: URL(fileURLWithPath: folder + "/" + Self.draft))
            expect(try files.read("one file"), is: [1])
            if deletes { try files.delete("one file") } else { try files.write([2], to: "another file") }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(left == (deletes ? [] : ["another file", "one file"]))
        }
    }

    @Test func aWriteThatFailsLeavesNoDraft() async throws {
        try await Self.with { files, folder in
            try FileManager.default.createDirectory(atPath: folder + "/one file", withIntermediateDirectories: true)
            await expectFailure(.platform) { try files.write([1], to: "one file") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one file"])
        }
    }

    @Test func aDraftIsNeverTheFileOfAnotherWriter() async throws {
        try await Self.with { _, folder in
            let unlucky = PrivateFiles(folder: folder) { 1 }
            let theirs = folder + "/.thumbturn-draft-00000000000000010000000000000001"
            let writer = try #require(try unlucky.openLocked(".thumbturn-draft-00000000000000010000000000000001"))
            await expectFailure(.platform) { try unlucky.write([1], to: "one file") }
            #expect(FileManager.default.fileExists(atPath: theirs), "it was neither taken nor deleted")
            PrivateFiles.unlock(writer)
        }
    }

    @Test func namesListsNoDrafts() async throws {
        try await Self.with { files, folder in
            try files.write([1], to: "owner.1.key")
            try files.write([1], to: ".hidden.key")
            try Data().write(to: URL(fileURLWithPath: folder + "/" + Self.draft + ".key"))
            #expect(try files.names(from: "owner", to: ".key") == ["owner.1.key"])
            #expect(try files.names(from: "", to: "key") == [".hidden.key"])
        }
    }

    @Test func aNameMayBeAsLongAsTheFileSystemTakes() async throws {
        try await Self.with { files, _ in
            let name = String(repeating: "n", count: 255)
            try files.write([1], to: name)
            expect(try files.read(name), is: [1])
        }
    }
}
