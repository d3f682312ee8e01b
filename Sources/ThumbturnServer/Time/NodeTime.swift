#if Server
import Foundation
import Synchronization
package import ThumbturnCore

/// The time of a node: the civil clock, but never earlier than the latest time that was seen.
///
/// While the clock is behind that mark, because it was set back or had jumped ahead, time continues from the mark with
/// the monotonic clock. So a clock that is set back makes no expired token valid again, and a clock that jumped ahead
/// keeps none valid for longer.
package final class NodeTime: Sendable {
    private let clock: NodeClock
    private let mark: Mutex<Mark>

    private struct Mark {
        var time: UnixTime
        /// The monotonic time at which `time` was seen.
        var at: Duration
    }

    package init(_ clock: NodeClock) {
        self.clock = clock
        mark = Mutex(Mark(time: clock.civil(), at: clock.monotonic()))
    }

    /// The current time. It never goes back.
    package var now: UnixTime {
        let (civil, monotonic) = (clock.civil(), clock.monotonic())
        return mark.withLock { mark in
            let least = mark.time + (monotonic - mark.at)
            guard civil >= least else { return least }
            mark = Mark(time: civil, at: monotonic)
            return civil
        }
    }

    /// Microseconds of the monotonic clock, to order ids that are made within one second. They are not a time of day.
    var moment: UInt32 {
        let (seconds, attoseconds) = clock.monotonic().components
        return UInt32(truncatingIfNeeded: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// Moves the time forward to the time that the store holds, if that is later.
    func observe(_ stored: UnixTime) {
        guard stored > now else { return }
        let monotonic = clock.monotonic()
        mark.withLock { mark in
            guard stored > mark.time + (monotonic - mark.at) else { return }
            mark = Mark(time: stored, at: monotonic)
        }
    }
}

/// The two clocks of a machine.
package struct NodeClock: Sendable {
    /// Civil time, which can be set.
    package var civil: @Sendable () -> UnixTime
    /// Monotonic time, which cannot be set.
    package var monotonic: @Sendable () -> Duration

    package init(civil: @escaping @Sendable () -> UnixTime, monotonic: @escaping @Sendable () -> Duration) {
        self.civil = civil
        self.monotonic = monotonic
    }

    private static let start = ContinuousClock.now

    /// This machine's clocks.
    package static let system = NodeClock(
        civil: { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }, monotonic: { start.duration(to: .now) }
    )
}
#endif
