#if LinuxDevice && os(Linux)
import Dispatch
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

/// One at a time: whoever has the turn has the reader.
final class Turn: Sendable {
    private let free = DispatchSemaphore(value: 1)

    /// Returns false when it did not become free in time.
    func take(within limit: Duration) -> Bool {
        free.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    }

    func giveBack() { free.signal() }
}

/// Runs a blocking call on a thread of its own, away from those that Swift's tasks share.
func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
}
#endif
