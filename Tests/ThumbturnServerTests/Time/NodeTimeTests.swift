#if Tools
import Synchronization
import Testing
import ThumbturnCore
@testable import ThumbturnServer

@Suite struct NodeTimeTests {
    /// Two clocks that a test moves apart.
    final class Clocks: Sendable {
        private let values = Mutex((civil: Int64(1000), monotonic: Int64(50)))

        func move(civil: Int64, monotonic: Int64) {
            values.withLock { $0 = ($0.civil + civil, $0.monotonic + monotonic) }
        }

        var node: NodeClock {
            NodeClock(
                civil: { UnixTime(seconds: self.values.withLock { $0.civil }) },
                monotonic: { .seconds(self.values.withLock { $0.monotonic }) }
            )
        }
    }

    @Test func aClockThatIsSetBackMakesNothingValidAgainOrForLonger() {
        let clocks = Clocks()
        let time = NodeTime(clocks.node)
        #expect(time.now == UnixTime(seconds: 1000))
        clocks.move(civil: -3600, monotonic: 0)
        #expect(time.now == UnixTime(seconds: 1000))
        clocks.move(civil: 301, monotonic: 301)
        #expect(time.now == UnixTime(seconds: 1301), "time goes on")
        clocks.move(civil: 1, monotonic: 1)
        #expect(time.now == UnixTime(seconds: 1302))
        clocks.move(civil: 3600, monotonic: 1)
        #expect(time.now == UnixTime(seconds: 1303), "the clock is right again, and nothing jumps")
        clocks.move(civil: 100, monotonic: 10)
        #expect(time.now == UnixTime(seconds: 1402))
    }

    @Test func aClockThatJumpsAheadIsNotFollowed() {
        let clocks = Clocks()
        let time = NodeTime(clocks.node)
        clocks.move(civil: 600, monotonic: 0)
        #expect(time.now == UnixTime(seconds: 1600), "a step of ten minutes is")
        clocks.move(civil: 1, monotonic: 0)
        #expect(time.now == UnixTime(seconds: 1600), "small steps do not add up to a jump")
        clocks.move(civil: 1_000_000, monotonic: 100)
        #expect(time.now == UnixTime(seconds: 1700), "time goes on with the monotonic clock")
        clocks.move(civil: -1_000_000, monotonic: 0)
        #expect(time.now == UnixTime(seconds: 1700))
        clocks.move(civil: 100, monotonic: 100)
        #expect(time.now == UnixTime(seconds: 1800))
        let follows = NodeTime(clocks.node, largestStep: nil)
        clocks.move(civil: 1_000_000, monotonic: 0)
        #expect(follows.now == clocks.node.civil())
    }

    @Test func theTimeOfAnotherEpochIsTakenOverOnce() {
        let clocks = Clocks()
        let time = NodeTime(clocks.node)
        clocks.move(civil: -500, monotonic: 0)
        #expect(time.now == UnixTime(seconds: 1000))
        time.follow(epoch: 7, at: UnixTime(seconds: 400))
        #expect(time.now == UnixTime(seconds: 500), "an operator has set it")
        clocks.move(civil: 10, monotonic: 10)
        time.follow(epoch: 7, at: UnixTime(seconds: 400))
        #expect(time.now == UnixTime(seconds: 510))
    }

    @Test func aStoreFromTheFutureDoesNotStopTheClock() throws {
        let clocks = Clocks()
        let time = NodeTime(clocks.node)
        try time.observe(UnixTime(seconds: 1600))
        #expect(time.now == UnixTime(seconds: 1600))
        clocks.move(civil: 330, monotonic: 330)
        #expect(time.now == UnixTime(seconds: 1930))
        try time.observe(UnixTime(seconds: 1600))
        #expect(time.now == UnixTime(seconds: 1930), "an older mark changes nothing")
        #expect(throws: StoreError.self) { try time.observe(UnixTime(seconds: 1931)) }
        #expect(time.now == UnixTime(seconds: 1930), "nor does one that no clock can have stepped to")
    }
}
#endif
