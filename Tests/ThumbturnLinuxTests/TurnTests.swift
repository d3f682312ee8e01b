#if LinuxDevice && os(Linux)
import Testing

@testable import ThumbturnLinux

@Suite struct TurnTests {
    private let now = ContinuousClock.now

    @Test func whoeverIsAloneHasTimeAndWhoeverIsWaitedForHasLess() async {
        let turn = Turn()
        #expect(turn.take(by: 1))
        #expect(turn.deadline(of: 1, since: now) == now + .seconds(60))
        let waiting = Task.detached { await onOwnThread { turn.take(by: 2) } }
        // Returns as soon as the other one waits.
        while turn.deadline(of: 1, since: now) != now + .seconds(10) { await Task.yield() }
        turn.giveBack(by: 1, answered: true)
        #expect(await waiting.value)
        turn.giveBack(by: 2, answered: true)
    }

    @Test func aUserWhoseQuestionWasNotAnsweredComesAfterTheOthers() async {
        let turn = Turn()
        #expect(turn.take(by: 1))
        let second = Task.detached { await onOwnThread { turn.take(by: 2) } }
        while turn.deadline(of: 1, since: now) != now + .seconds(10) { await Task.yield() }
        // The first one asks again and again without touching the reader; the other one is next all the same.
        turn.giveBack(by: 1, answered: false)
        let again = Task.detached { await onOwnThread { turn.take(by: 1) } }
        #expect(await second.value)
        turn.giveBack(by: 2, answered: true)
        #expect(await again.value, "and then it is the first one's turn")
        turn.giveBack(by: 1, answered: true)
    }
}
#endif
