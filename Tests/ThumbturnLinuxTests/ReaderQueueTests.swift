#if LinuxDevice && os(Linux)
import Testing

@testable import ThumbturnMatcher

/// The queue of users at the reader.
@Suite struct ReaderQueueTests {
    private let now = ContinuousClock.now

    @Test func aQuestionIsShorterWhileAnotherUserWaits() async {
        let queue = ReaderQueue()
        #expect(queue.acquire(for: 1))
        #expect(queue.deadline(of: 1, since: now) == now + .seconds(60))
        let waiting = Task.detached { await onOwnThread { queue.acquire(for: 2) } }
        // The deadline moves as soon as the other user waits.
        while queue.deadline(of: 1, since: now) != now + .seconds(10) { await Task.yield() }
        queue.release(by: 1, answered: true)
        #expect(await waiting.value)
        queue.release(by: 2, answered: true)
    }

    @Test func aUserWhoLeftAQuestionUnansweredComesAfterTheOthers() async {
        let queue = ReaderQueue()
        #expect(queue.acquire(for: 1))
        let second = Task.detached { await onOwnThread { queue.acquire(for: 2) } }
        while queue.deadline(of: 1, since: now) != now + .seconds(10) { await Task.yield() }
        // The first user asks again without having touched the reader, but the other user is next.
        queue.release(by: 1, answered: false)
        let again = Task.detached { await onOwnThread { queue.acquire(for: 1) } }
        #expect(await second.value)
        queue.release(by: 2, answered: true)
        #expect(await again.value, "then the first user is next")
        queue.release(by: 1, answered: true)
    }
}
#endif
