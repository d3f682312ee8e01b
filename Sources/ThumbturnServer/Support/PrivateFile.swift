#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files and folders that only the server's own user may read.
enum PrivateFile {
    /// Throws if other users can read the file or folder, which holds password hashes and the server's keys, or if it
    /// belongs to another user, who could exchange it.
    static func refuseIfOpen(_ path: String, to user: UInt32 = geteuid()) throws(SetupError) {
        try refuseIfForeign(path, to: user)
        guard try status(of: path).st_mode & 0o077 == 0 else { throw .openToOthers(path) }
    }

    /// Throws if the file or folder belongs to another user than this one.
    static func refuseIfForeign(_ path: String, to user: UInt32 = geteuid()) throws(SetupError) {
        guard try status(of: path).st_uid == user else { throw .foreignOwner(path) }
    }

    /// A link has a status of its own and is not followed.
    private static func status(of path: String) throws(SetupError) -> stat {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .unreadable(path) }
        return status
    }

    /// Writes bytes to an open file, and returns how many were written.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int {
        #if canImport(Darwin)
        return unsafe Darwin.write(file, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
        return unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
        #else
        return unsafe Musl.write(file, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Syncs the folder of a file, so that a power failure does not undo that the file was made, renamed or removed.
    static func syncFolder(of path: String) throws(SetupError) {
        let folder = unsafe open(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), O_RDONLY)
        guard folder >= 0, fsync(folder) == 0, close(folder) == 0 else { throw .unwritable(path) }
    }
}
#endif
