import Dispatch
import Synchronization

/// All signals that the lab has received on its bus, in order, to be read later or awaited.
///
/// A wait names the position in the log from which on signals count, so a signal between the action and the wait is not
/// missed.
final class SignalLog: Sendable {
    private struct Waiter {
        var wants: @Sendable (BusSignal) -> Bool
        var continuation: CheckedContinuation<BusSignal?, Never>
    }

    private struct Record {
        var signals: [BusSignal] = []
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let record = Mutex(Record())

    /// The number of signals so far, which is the position to wait from.
    var count: Int { record.withLock { $0.signals.count } }

    /// The signals from a position on.
    func signals(from place: Int) -> [BusSignal] {
        record.withLock { Array($0.signals.dropFirst(place)) }
    }

    /// Adds a signal and returns the position after it.
    @discardableResult
    func append(_ signal: BusSignal) -> Int {
        let (ready, place) = record.withLock { record in
            record.signals.append(signal)
            let due = record.waiters.filter { $0.value.wants(signal) }
            for id in due.keys { record.waiters[id] = nil }
            return (due.values.map(\.continuation), record.signals.count)
        }
        for continuation in ready { continuation.resume(returning: signal) }
        return place
    }

    /// The first matching signal from `place` on; nil if none came in time or the task was cancelled.
    func first(from place: Int, within limit: Duration, where wants: @escaping @Sendable (BusSignal) -> Bool) async -> BusSignal?
    {
        let id = record.withLock { record in
            record.nextID += 1
            return record.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: BusSignal?? = record.withLock { record in
                    if let found = record.signals.dropFirst(place).first(where: wants) { return .some(found) }
                    if Task.isCancelled { return .some(nil) }
                    record.waiters[id] = Waiter(wants: wants, continuation: continuation)
                    return nil
                }
                if let now {
                    continuation.resume(returning: now)
                } else {
                    DispatchQueue.global().asyncAfter(deadline: .now() + limit.inSeconds) { self.giveUp(id) }
                }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = record.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(returning: nil)
    }
}
