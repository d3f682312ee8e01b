#if LinuxDevice && os(Linux)
import Dispatch

/// Runs a blocking call outside the cooperative thread pool that Swift's tasks share.
package func onOwnThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
}
#endif
