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
/// whole, and synced.
package struct PrivateFiles: Sendable {
    let folder: String

    package init(folder: String) {
        self.folder = folder
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
        // The file is created with its mode, so that no other user can read the secret even for a moment.
        let draft = path(name) + ".new"
        unsafe unlink(draft)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        guard unsafe bytes.withUnsafeBytes({ unsafe Self.writeAll($0, to: file) }), Self.flush(file),
            unsafe rename(draft, path(name)) == 0, syncFolder()
        else { throw failure() }
    }

    package func delete(_ name: String) throws(Failure) {
        guard unsafe unlink(path(name)) == 0 || errno == ENOENT else { throw failure() }
    }

    /// The names of the folder's files whose first part is this one, and that end so.
    package func names(from first: String, to ending: String) throws(Failure) -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasPrefix(first + ".") && $0.hasSuffix(ending) }
        } catch {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int(EACCES)))
        }
    }

    /// Opens a file that is locked for this process until `unlock(_:)`; nil where it is locked already. The
    /// lock belongs to the opened file, so that two callers in one process exclude each other as well.
    ///
    /// The file stays when the lock ends: a deleted one would let two processes lock two files of one name.
    func openLocked(_ name: String) throws(Failure) -> Int32? {
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
    static func unlock(_ file: Int32) {
        _ = flock(file, LOCK_UN)
        close(file)
    }

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
