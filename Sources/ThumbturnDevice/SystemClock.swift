import Foundation
public import ThumbturnCore

/// The system's clocks. The monotonic one counts while the device sleeps.
public struct SystemClock: DeviceClock {
    private static let origin = ContinuousClock.now

    /// All of them tell the same time.
    public init() {}

    public var now: Instant { Instant(sinceOrigin: Self.origin.duration(to: .now)) }

    public var civilTime: UnixTime { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }

    public func sleep(until instant: Instant) async throws {
        try await Task.sleep(until: Self.origin.advanced(by: instant.sinceOrigin), clock: .continuous)
    }
}
