#if os(Linux)
import Foundation

/// The control channel of swtpm, as far as the lab needs it.
enum TPMControl {
    /// Whether the TPM answers. It asks for its capabilities (command 1); the TPM's own channel serves one client at a time and is left
    /// alone.
    static func answers(port: UInt16) async -> Bool {
        await withCheckedContinuation { done in
            // Not on a queue: where hundreds of them are busy, one more waits longer than a TPM needs to start.
            Thread.detachNewThread {
                let answer = try? LocalSocket(port: port, patience: 2)
                try? answer?.write([0, 0, 0, 1])
                done.resume(returning: (try? answer?.read(upTo: 16))?.isEmpty == false)
            }
        }
    }
}
#endif
