#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
package import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes files that only their owner can read: mode 0600 in a folder of mode 0700. A file is replaced as a
/// whole, and synced: at any time it is the one that a write left, also while several tasks and processes write it.
///
/// A write fills a draft and renames it. Each draft has a name of its own, so that no write touches the draft of another
/// one. A crash leaves its draft, which the next write or deletion in the folder deletes. The draft's lock (`flock`),
/// not its age, shows whether its writer is alive: the writer holds the lock until the draft is renamed, also if it is
/// suspended for days, and the kernel frees it when the writer's process ends, however it ends. On a file system without
/// such locks no writer deletes another one's draft.
///
/// iOS ends an app that is suspended while it holds a lock in a folder that it shares with others, so also in the middle of
/// a write there. The file is the old one then, and the draft is deleted later.
package struct PrivateFiles: Sendable {
    let folder: String
    private let random: @Sendable () -> UInt64

    /// Names a folder, which is made where it does not exist.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - random: makes the names of drafts.
    package init(folder: String, random: @escaping @Sendable () -> UInt64 = { .random(in: 0...UInt64.max) }) {
        self.folder = folder
        self.random = random
    }

    package func read(_ name: String) throws(Failure) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
        guard let data = FileManager.default.contents(atPath: path(name)) else {
            let failed = failure()
            // Another process may have deleted it since.
            guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
            throw failed
        }
        return Array(data)
    }

    package func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        try makeFolder()
        // What a crash has left takes room, and stands in no write's way.
        try? deleteAbandonedDrafts()
        let (draft, file) = try makeDraft()
        defer { close(file) }
        do throws(Failure) {
            guard unsafe bytes.withUnsafeBytes({ unsafe Self.writeAll($0, to: file) }), Self.flush(file),
                unsafe rename(draft, path(name)) == 0
            else { throw failure() }
        } catch {
            unsafe unlink(draft)
            throw error
        }
        guard syncFolder() else { throw failure() }
    }

    /// Deletes a file, and what crashes have left in the folder.
    package func delete(_ name: String) throws(Failure) {
        guard unsafe unlink(path(name)) == 0 || errno == ENOENT else { throw failure() }
        try deleteAbandonedDrafts()
    }

    /// The names of the folder's files with this first part and this ending. No draft is among them.
    package func names(from first: String, to ending: String) throws(Failure) -> [String] {
        try names(to: ending).filter { $0.hasPrefix(first + ".") }
    }

    /// The names of the folder's files with this ending. No draft is among them.
    package func names(to ending: String) throws(Failure) -> [String] {
        try files().filter { !Self.isDraft($0) && $0.hasSuffix(ending) }
    }

    private func files() throws(Failure) -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int(EACCES)))
        }
    }

    /// Opens a file that is locked for this process until `unlock(_:)`; nil where it is locked already. The
    /// lock belongs to the opened file, so that two callers in one process exclude each other as well.
    ///
    /// The file stays when the lock ends: a deleted one would let two processes lock two files of one name.
    package func openLocked(_ name: String) throws(Failure) -> Int32? {
        try makeFolder()
        let file = unsafe open(path(name), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure() }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
        let failed = errno
        close(file)
        guard failed == EWOULDBLOCK else { throw Failure(.platform, status: .init(domain: "POSIX", code: Int(failed))) }
        return nil
    }

    /// Ends the lock of an opened file, and closes it. Closing alone would leave the lock to a child of this process that was just
    /// forked, until the child runs its program.
    package static func unlock(_ file: Int32) {
        _ = flock(file, LOCK_UN)
        close(file)
    }

    // MARK: Drafts

    /// Makes a draft that is locked for this writer.
    ///
    /// The file is created with its mode, so that no other user can read the secret even for a moment.
    private func makeDraft() throws(Failure) -> (path: String, file: Int32) {
        while true {
            let draft = path(Self.draftName(random(), random()))
            let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure() }
            if Self.isOurs(file) { return (draft, file) }
            // Another writer looked for abandoned drafts before this one was locked, and takes it for one.
            close(file)
        }
    }

    /// Locks a draft that was just created. False where another writer has deleted it, or is about to.
    private static func isOurs(_ draft: Int32) -> Bool {
        guard flock(draft, LOCK_EX | LOCK_NB) == 0 else {
            // Without locks, no other writer finds a draft abandoned.
            return errno != EWOULDBLOCK
        }
        var facts = stat()
        return unsafe fstat(draft, &facts) == 0 && facts.st_nlink > 0
    }

    /// Deletes the drafts whose writers have ended.
    private func deleteAbandonedDrafts() throws(Failure) {
        for name in try files() where Self.isDraft(name) {
            let file = unsafe open(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            // It may have been renamed since, and is then no draft any more: its name is never used again.
            guard flock(file, LOCK_EX | LOCK_NB) == 0, unsafe unlink(path(name)) != 0, errno != ENOENT else { continue }
            throw failure()
        }
    }

    /// The name does not contain the file's, which may be as long as a name can be.
    private static func draftName(_ random: UInt64...) -> String {
        draftPrefix
            + random.map { number in
                let digits = String(number, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
    }

    private static func isDraft(_ name: String) -> Bool { name.hasPrefix(draftPrefix) }

    private static let draftPrefix = ".thumbturn-draft-"

    // MARK: Parts

    private func makeFolder() throws(Failure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int(EACCES)))
        }
    }

    /// Syncs the folder, without which the new name is not durable.
    private func syncFolder() -> Bool {
        let descriptor = unsafe open(folder, O_RDONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Self.flush(descriptor)
    }

    /// Writes to the drive what the system holds of a file. On Darwin `fsync` leaves it in the drive's own cache, where a
    /// power cut takes it.
    private static func flush(_ file: Int32) -> Bool {
        #if canImport(Darwin)
        // Some file systems have no full sync.
        return fcntl(file, F_FULLFSYNC) == 0 || fsync(file) == 0
        #else
        return fsync(file) == 0
        #endif
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    private func failure() -> Failure {
        Failure(.platform, status: .init(domain: "POSIX", code: Int(errno)))
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe writeOnce(file, UnsafeRawBufferPointer(rebasing: rest))
            guard count > 0 else { return false }
            unsafe rest = rest.dropFirst(count)
        }
        return true
    }
}

private func writeOnce(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(file, bytes.baseAddress, bytes.count)
}
