#if LinuxDevice && os(Linux)
import Glibc
import Synchronization

/// Somebody still wants an answer. It is withdrawn once, from any thread, and wakes whoever watches its descriptor.
final class Wish: Sendable {
    /// Can be read, or has hung up, once the wish is withdrawn.
    let watched: Int32
    private let held: Mutex<Int32?>

    init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        watched = ends[0]
        held = Mutex(ends[1])
    }

    var isWithdrawn: Bool { held.withLock { $0 == nil } }

    func withdraw() {
        held.withLock { end in
            if let end { close(end) }
            end = nil
        }
    }

    deinit {
        withdraw()
        close(watched)
    }
}
#endif
