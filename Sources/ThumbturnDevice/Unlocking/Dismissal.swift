import Synchronization

/// Dismisses one prompt without ending the other child tasks of its flow, and reports when the prompt is gone.
final class Dismissal: Sendable {
    private let dismissed = Mutex(false)
    private let dismissals: AsyncStream<Void>
    private let dismissing: AsyncStream<Void>.Continuation
    private let ends: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation

    init() {
        (dismissals, dismissing) = AsyncStream.makeStream()
        (ends, ending) = AsyncStream.makeStream()
    }

    var isDismissed: Bool { dismissed.withLock { $0 } }

    func dismiss() {
        dismissed.withLock { $0 = true }
        dismissing.finish()
    }

    func promptIsGone() { ending.finish() }

    /// Waits until the prompt is gone.
    func untilPromptIsGone() async { for await _ in ends {} }

    /// The operation's answer, or nil when the prompt was dismissed first. The loser of the race is cancelled and
    /// waited for.
    func race<Answer: Sendable>(_ operation: @escaping @Sendable () async -> Answer) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                for await _ in self.dismissals {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
