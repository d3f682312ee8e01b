public import ThumbturnCore

/// The port to time.
public protocol DeviceClock: Sendable {
    /// Monotonic time since the device started, sleep included: setting the clock does not move it.
    var now: Instant { get }

    /// Names this start of the device: equal while the device runs, and another one after it was started again. Only within one
    /// boot can two values of `now` be compared.
    var boot: String { get }

    /// Civil time, as the device believes it. Nothing is decided by it.
    var civilTime: UnixTime { get }

    /// Waits until a time has come. Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws

    /// Where work goes on that outlives the call that began it; nil for the usual threads. A clock that stands still while code
    /// runs gives the executor that it watches.
    var executor: (any TaskExecutor)? { get }
}

extension DeviceClock {
    public var executor: (any TaskExecutor)? { nil }
}
