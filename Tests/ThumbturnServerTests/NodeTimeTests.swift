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

    @Test func aStoreFromTheFutureDoesNotStopTheClock() {
        let clocks = Clocks()
        let time = NodeTime(clocks.node)
        time.observe(UnixTime(seconds: 90_000))
        #expect(time.now == UnixTime(seconds: 90_000))
        clocks.move(civil: 330, monotonic: 330)
        #expect(time.now == UnixTime(seconds: 90_330))
        time.observe(UnixTime(seconds: 90_000))
        #expect(time.now == UnixTime(seconds: 90_330), "an older mark changes nothing")
    }
}
#endif
