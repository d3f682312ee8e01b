import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The stores of small secrets that run on every machine.
@Suite struct SecretStoreTests {
    enum Implementation: CaseIterable, Sendable {
        case simulatedPhone, files, memory
    }

    /// Two values of one store, as two processes have them.
    private static func with(
        _ implementation: Implementation, _ body: @escaping @Sendable ([any SecretStore]) async throws -> Void
    ) async throws {
        switch implementation {
        case .simulatedPhone:
            let clock = VirtualClock()
            let phone = SimulatedPhone(clock: clock)
            let stores = [phone.platform().secrets, phone.platform().secrets]
            try await clock.run { try await body(stores) }
        case .files:
            let folder = Built.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await body([FileSecrets(folder: folder), FileSecrets(folder: folder)])
        case .memory: try await body([NamedSecrets()])
        }
    }

    @Test(arguments: Implementation.allCases) func secretsLive(_ implementation: Implementation) async throws {
        try await Self.with(implementation) { try await SecretStoreConformance.secretsLive(in: $0) }
    }

    @Test(arguments: Implementation.allCases) func oneOfManyWritersWins(_ implementation: Implementation) async throws {
        try await Self.with(implementation) { try await SecretStoreConformance.oneOfManyWritersWins(in: $0) }
    }

    @Test(arguments: Implementation.allCases) func noChangeIsLost(_ implementation: Implementation) async throws {
        try await Self.with(implementation) { try await SecretStoreConformance.noChangeIsLost(in: $0) }
    }

    @Test func aSecretThatCannotBeReadIsNotReplaced() async throws {
        let phone = SimulatedPhone()
        let secrets = phone.platform().secrets
        try await secrets.write([1], as: "a")
        phone.prewarm()
        await expectFailure(.notYetReadable) { _ = try await secrets.replace([1], by: [2], as: "a") }
        await expectFailure(.notYetReadable) { _ = try await secrets.replace(nil, by: [2], as: "b") }
        phone.unlockWithPasscode()
        expect(try await secrets.read("a"), is: [1])
        expect(try await secrets.read("b"), is: nil)
    }
}

/// Locks that processes share.
@Suite struct FileLocksTests {
    private static func with(_ body: (_ locks: FileLocks, _ others: FileLocks) throws -> Void) throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(FileLocks(folder: folder), FileLocks(folder: folder))
    }

    @Test func aNameIsLockedOnce() throws {
        try Self.with { locks, others in
            let lock = try #require(try locks.tryLock("a/../a"))
            #expect(try locks.tryLock("a/../a") == nil)
            #expect(try others.tryLock("a/../a") == nil)
            let other = try #require(try others.tryLock("b"))
            lock.release()
            lock.release()
            let next = try #require(try others.tryLock("a/../a"))
            #expect(try locks.tryLock("a/../a") == nil)
            next.release()
            other.release()
        }
    }

    @Test func aLockEndsWithItsLastReference() throws {
        try Self.with { locks, others in
            var lock = try locks.tryLock("a")
            #expect(lock != nil)
            #expect(try others.tryLock("a") == nil)
            lock = nil
            let next = try others.tryLock("a")
            #expect(next != nil)
        }
    }

    #if os(Linux)
    /// A child has the parent's descriptors from the fork until it runs its program.
    @Test("a lock that was freed is free while a child still has its descriptor") func childHasDescriptor() throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let locks = FileLocks(folder: folder)
        let lock = try #require(try locks.tryLock("a"))
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let own = try #require(
            descriptors.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0))?.contains(folder) == true
            }.flatMap { Int32($0) })
        let inherited = dup(own)
        defer { close(inherited) }
        #expect(try locks.tryLock("a") == nil)
        lock.release()
        #expect(try locks.tryLock("a") != nil)
    }
    #endif

    @Test func aFolderThatCannotBeUsedIsAFailure() throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data().write(to: URL(fileURLWithPath: folder))
        #expect(throws: Failure.self) { try FileLocks(folder: folder).tryLock("a") }
        #expect(throws: Failure.self) { try FileLocks(folder: folder + "/in").tryLock("a") }
    }

    /// A link in the folder would let its owner choose the file that is locked.
    @Test func aLinkIsNotFollowed() throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let locks = FileLocks(folder: folder)
        try locks.tryLock("a")?.release()
        let file = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
        try FileManager.default.removeItem(atPath: folder + "/" + file)
        try FileManager.default.createSymbolicLink(atPath: folder + "/" + file, withDestinationPath: folder + "/elsewhere")
        #expect(throws: Failure.self) { try locks.tryLock("a") }
        #expect(!FileManager.default.fileExists(atPath: folder + "/elsewhere"))
    }
}
