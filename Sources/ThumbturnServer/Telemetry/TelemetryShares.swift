#if Server
import Synchronization

/// How many cells each sender has begun today, in the memory of this process. Two generations bound it, as in `RequestRates`:
/// with more senders in a day than both hold, those that were counted first are forgotten.
final class TelemetryShares: Sendable {
    private struct State {
        var today: TelemetryDay?
        var young: [BatchSender.Shareholder: Int] = [:]
        var old: [BatchSender.Shareholder: Int] = [:]
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: the most senders of each generation.
    init(most: Int = Limits.recentDevices) {
        self.most = most
    }

    /// Counts a new cell of a sender; false if it has begun its share of today already.
    func take(_ sender: BatchSender.Shareholder, on today: TelemetryDay) -> Bool {
        state.withLock { state in
            if state.today != today { state = State(today: today) }
            let taken = state.young[sender] ?? state.old[sender] ?? 0
            guard taken < sender.share else { return false }
            if state.young[sender] == nil, state.young.count >= most { (state.old, state.young) = (state.young, [:]) }
            state.young[sender] = taken + 1
            return true
        }
    }
}
#endif
