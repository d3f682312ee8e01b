#if os(Linux)
import Dispatch

/// The control channel of swtpm, as far as the lab needs it.
enum TPMControl {
    private static let queue = DispatchQueue(label: "thumbturn.lab.tpm")

    /// Whether the TPM answers. It asks for its capabilities (command 1); the TPM's own channel serves one client at a time and is left
    /// alone.
    static func answers(port: UInt16) async -> Bool {
        await withCheckedContinuation { done in
            queue.async {
                let answer = try? LocalSocket(port: port, patience: 2)
                try? answer?.write([0, 0, 0, 1])
                done.resume(returning: (try? answer?.read(upTo: 16))?.isEmpty == false)
            }
        }
    }
}
#endif
