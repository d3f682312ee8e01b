#if Server
import Synchronization
import ThumbturnCore

/// The recent requests of back ends or of devices, against their rates.
///
/// The counts are in the memory of this node, not in the store: a rate protects this node and bounds what a stolen key
/// can ask for, and a row for each request would make a transaction of every introspection. So each node of a server
/// allows the rate, and a restart forgets the counts. Only authenticated callers are counted, and there are two
/// generations, as in `RecentKeys`: with more callers in a minute than both hold, those that were counted first are
/// forgotten.
final class RequestRates<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var young: [Key: Count] = [:]
        var old: [Key: Count] = [:]

        mutating func put(_ count: Count, of caller: Key, most: Int) {
            if young[caller] == nil, young.count >= most {
                old = young
                young = [:]
            }
            old[caller] = nil
            young[caller] = count
        }
    }

    /// The requests that are not yet forgotten, in sixtieths of a request: at a rate of n in a minute, n sixtieths are
    /// forgotten each second. So whole numbers are exact.
    private struct Count {
        var sixtieths: Int64 = 0
        var at: UnixTime
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: the most callers of each generation.
    init(most: Int = Limits.recentDevices) {
        self.most = most
    }

    /// Counts a request, or returns how long the caller has to wait: whole seconds. A refused request is not counted.
    func wait(of caller: Key, perMinute rate: Int, at now: UnixTime) -> Duration? {
        let (rate, most) = (Int64(rate), most)
        return state.withLock { state in
            var count = state.young[caller] ?? state.old[caller] ?? Count(at: now)
            // The operator has set the time back, or lowered the rate.
            if count.at - now > .seconds(60) { count = Count(at: now) }
            count.sixtieths = min(count.sixtieths, 60 * rate)
            let elapsed = min(max(0, (now - count.at).components.seconds), 60)
            count.sixtieths = max(0, count.sixtieths - elapsed * rate)
            count.at = max(count.at, now)
            let excess = count.sixtieths + 60 - 60 * rate
            if excess <= 0 { count.sixtieths += 60 }
            state.put(count, of: caller, most: most)
            return excess > 0 ? .seconds((excess + rate - 1) / rate) : nil
        }
    }

    /// Forgets the callers that sent nothing for a minute. After a minute no request counts any more.
    func tidy(at now: UnixTime) {
        state.withLock { state in
            state.young = state.young.filter { now - $0.value.at < .seconds(60) }
            state.old = state.old.filter { now - $0.value.at < .seconds(60) }
        }
    }

    /// The number of callers that are counted.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
#endif
