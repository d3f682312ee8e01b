import Synchronization
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// A process of an app that dies at one of its calls: nothing that it asks for afterwards is done, and no answer comes.
final class DyingAndroid: AndroidSystem {
    private let android: FakeAndroid
    private let left: Mutex<Int>
    private let unanswered = Mutex<[AsyncStream<[UInt8]>.Continuation]>([])

    /// - Parameter count: how many calls that change something are done before the death.
    init(_ android: FakeAndroid, after count: Int) {
        self.android = android
        left = Mutex(count)
    }

    var executor: (any TaskExecutor)? { android.executor }
    var isDead: Bool { left.withLock { $0 < 0 } }

    func sleep(_ time: Duration) async throws { try await android.sleep(time) }

    func begin(_ operation: AndroidOperation, _ request: [UInt8], id: Int64) -> AsyncStream<[UInt8]> {
        let changes: Set<AndroidOperation> = [.createKey, .http, .useHandle, .prompt, .deleteKey, .deleteKeys]
        let dies = left.withLock { left in
            if left >= 0, changes.contains(operation) { left -= 1 }
            return left < 0
        }
        guard dies else { return android.begin(operation, request, id: id) }
        let (answers, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        // A dead process holds no lock of a file. These are asked for under one, and nothing is written after they have failed.
        if [.encryptNow, .decryptNow, .keyExists].contains(operation) {
            mailbox.finish()
        } else {
            unanswered.withLock { $0.append(mailbox) }
        }
        return answers
    }
}
