#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The lock of a data folder: processes that open it, and a change of its master key, run one after the other.
final class FolderLock: Sendable {
    let file: Int32

    /// Waits for the lock.
    init(_ folder: String) throws(SetupError) {
        file = unsafe open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(folder) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(file)
                throw .unwritable(folder)
            }
        }
    }

    /// Releases the lock; the end of the process does so too. Closing alone would leave it to a child that was just forked. Call it
    /// once.
    func release() {
        _ = flock(file, LOCK_UN)
        close(file)
    }
}
#endif
