#if Server
import Foundation
import Synchronization
package import ThumbturnCore

/// A node's time: the clock, but never earlier than the latest time that the store has seen. A clock that is set back revives
/// nothing.
package final class NodeTime: Sendable {
    private let clock: @Sendable () -> UnixTime
    private let highWater = Mutex(UnixTime(seconds: .min))

    package init(clock: @escaping @Sendable () -> UnixTime) {
        self.clock = clock
    }

    package var now: UnixTime {
        let clock = clock()
        return highWater.withLock { max(clock, $0) }
    }

    /// Hears what the store holds.
    func observe(_ stored: UnixTime) {
        highWater.withLock { $0 = max($0, stored) }
    }

    /// The machine's clock.
    package static let system = { @Sendable in UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }
}
#endif
