public import ThumbturnCore

/// The port to time.
public protocol DeviceClock: Sendable {
    /// Monotonic time: setting the clock does not move it.
    var now: Instant { get }

    /// Civil time, as the device believes it. Nothing is decided by it.
    var civilTime: UnixTime { get }

    /// Waits until a time has come. Throws when the task is cancelled.
    func sleep(until instant: Instant) async throws
}
