import Synchronization

/// The operations whose last answer has not come yet. Answers come from any thread; one for an unknown id is dropped.
final class OpenCalls: Sendable {
    private let mailboxes = Mutex<[Int64: AsyncStream<[UInt8]>.Continuation]>([:])

    /// Opens a call, and returns its answers.
    func open(_ id: Int64) -> AsyncStream<[UInt8]> {
        let (answers, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        // The caller has stopped listening.
        mailbox.onTermination = { [weak self] _ in _ = self?.close(id) }
        mailboxes.withLock { $0[id] = mailbox }
        return answers
    }

    /// Hands an answer on. The last one, and one that breaks the contract, ends its call.
    func answer(_ id: Int64, _ message: [UInt8]) {
        if case .news? = try? AndroidAnswer(message) {
            _ = mailboxes.withLock { $0[id] }?.yield(message)
        } else if let mailbox = close(id) {
            mailbox.yield(message)
            mailbox.finish()
        }
    }

    /// How many calls are open.
    var count: Int { mailboxes.withLock { $0.count } }

    private func close(_ id: Int64) -> AsyncStream<[UInt8]>.Continuation? {
        mailboxes.withLock { $0.removeValue(forKey: id) }
    }
}
