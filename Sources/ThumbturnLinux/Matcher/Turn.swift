#if LinuxDevice && os(Linux)
import Dispatch

/// One at a time: whoever has the turn has the reader.
final class Turn: Sendable {
    private let free = DispatchSemaphore(value: 1)

    /// Returns false when it did not become free in time.
    func take(within limit: Duration) -> Bool {
        free.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    }

    func giveBack() { free.signal() }
}
#endif
