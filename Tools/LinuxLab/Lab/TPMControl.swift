#if os(Linux)
import Foundation

/// A client of swtpm's control channel.
enum TPMControl {
    /// Whether the TPM answers a request for its capabilities (command 1). The data channel serves one client at a time
    /// and is not used.
    static func answers(port: UInt16) async -> Bool {
        await withCheckedContinuation { done in
            // A thread, not a queue: when hundreds of queues are busy, a new one waits longer than a TPM needs to
            // start.
            Thread.detachNewThread {
                let answer = try? LocalSocket(port: port, timeout: 2)
                try? answer?.write([0, 0, 0, 1])
                done.resume(returning: (try? answer?.read(upTo: 16))?.isEmpty == false)
            }
        }
    }
}
#endif
