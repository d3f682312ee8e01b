#if Server
import Synchronization
import ThumbturnCore

/// The recent requests of back ends, against the rates of their registrations.
///
/// The counts are in the memory of this node, not in the store: a rate protects this node and bounds what a stolen key
/// can ask for, and a row for each request would make a transaction of every introspection. So each node of a server
/// allows the rate, and a restart forgets the counts. Only authenticated back ends are counted, so there are at most as
/// many counts as registrations.
final class ClientRates: Sendable {
    private let state = Mutex<[String: Count]>([:])

    /// The requests that are not yet forgotten, in sixtieths of a request: at a rate of n in a minute, n sixtieths are
    /// forgotten each second. So whole numbers are exact.
    private struct Count {
        var sixtieths: Int64 = 0
        var at: UnixTime
    }

    /// Counts a request, or returns how long the back end has to wait: whole seconds. A refused request is not counted.
    func wait(of client: String, perMinute rate: Int, at now: UnixTime) -> Duration? {
        let rate = Int64(rate)
        return state.withLock { state in
            var count = state[client] ?? Count(at: now)
            // The operator has set the time back, or lowered the rate.
            if count.at - now > .seconds(60) { count = Count(at: now) }
            count.sixtieths = min(count.sixtieths, 60 * rate)
            let elapsed = min(max(0, (now - count.at).components.seconds), 60)
            count.sixtieths = max(0, count.sixtieths - elapsed * rate)
            count.at = max(count.at, now)
            let excess = count.sixtieths + 60 - 60 * rate
            if excess <= 0 { count.sixtieths += 60 }
            state[client] = count
            return excess > 0 ? .seconds((excess + rate - 1) / rate) : nil
        }
    }

    /// Forgets the back ends that sent nothing for a minute. After a minute no request counts any more.
    func tidy(at now: UnixTime) {
        state.withLock { state in state = state.filter { now - $0.value.at < .seconds(60) } }
    }

    /// The number of back ends that are counted.
    var count: Int { state.withLock { $0.count } }
}
#endif
