public import ThumbturnCore
import ThumbturnHost

/// Locks that are files of a folder, one for each name (`flock`). The kernel frees them when their process ends, also
/// one that was killed.
///
/// The system ends an iOS app that is suspended while it holds a lock in a folder that it shares with others.
public struct FileLocks: PlaceLocks {
    private let files: PrivateFiles

    /// Makes locks in a folder.
    ///
    /// - Parameter folder: created with mode 0700 where it does not exist.
    public init(folder: String) {
        files = PrivateFiles(folder: folder)
    }

    /// Locks a name. Throws `platform` where the file cannot be opened or its file system has no locks.
    public func tryLock(_ name: String) throws(Failure) -> PlaceLock? {
        guard let file = try files.openLocked("\(Signing.hash(Array(name.utf8))).lock") else { return nil }
        return PlaceLock { PrivateFiles.unlock(file) }
    }
}
