public import ThumbturnCore

/// The port to time.
public protocol DeviceClock: Sendable {
    /// Monotonic time since the device started, sleep included: setting the clock does not move it.
    var now: Instant { get }

    /// The id of this boot: equal while the device runs, and another one after a restart. Two values of `now` can be
    /// compared only within one boot.
    var boot: String { get }

    /// Civil time by the device's own clock, which the person can set. No decision rests on it.
    var civilTime: UnixTime { get }

    /// Waits until a time. Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws

    /// The executor for work that outlives the call that began it; nil for the default one. A clock that stands still
    /// while code runs gives the executor that it watches.
    var executor: (any TaskExecutor)? { get }
}

extension DeviceClock {
    public var executor: (any TaskExecutor)? { nil }
}
