#if LinuxDevice && os(Linux)
import Glibc
import Synchronization

/// A cancellation that blocking calls can `poll`. Any thread may cancel; only the first call has an effect.
package final class CancellationPipe: Sendable {
    /// The read end of the pipe. It becomes readable, or hangs up, on cancellation.
    package let descriptor: Int32
    /// Nil once cancelled.
    private let writeEnd: Mutex<Int32?>

    package init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        writeEnd = Mutex(ends[1])
    }

    var isCancelled: Bool { writeEnd.withLock { $0 == nil } }

    package func cancel() {
        writeEnd.withLock { end in
            if let end { close(end) }
            end = nil
        }
    }

    deinit {
        cancel()
        close(descriptor)
    }
}
#endif
