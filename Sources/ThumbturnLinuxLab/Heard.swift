import Dispatch
import Synchronization

/// Everything the lab has heard on its bus, in order, for those who look back and those who wait.
///
/// A wait names the place in the record from which on it counts, so a signal that came between the action and the wait is not missed.
final class Heard: Sendable {
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

    /// How many signals were heard so far: a place to wait from.
    var count: Int { record.withLock { $0.signals.count } }

    /// The signals from a place on.
    func signals(from place: Int) -> [BusSignal] {
        record.withLock { Array($0.signals.dropFirst(place)) }
    }

    /// Adds a signal and returns the place after it.
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

    /// The first signal from `place` on that is wanted; nil when none came in time, or when the task is cancelled.
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
