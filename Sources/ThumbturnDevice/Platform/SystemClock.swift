public import ThumbturnCore
import ThumbturnHost
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The system's clocks. The monotonic clock counts from the start of the device, also while it sleeps.
public struct SystemClock: DeviceClock {
    /// Makes a clock. All values read the same system clocks.
    public init() {}

    public var now: Instant { HostTime.now }

    public var boot: String { HostTime.boot }

    public var civilTime: UnixTime { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }

    public func sleep(until instant: Instant) async throws {
        try await Task.sleep(for: min(now.duration(to: instant), Self.longestSleep), clock: .continuous)
    }

    /// 136 years. The system's sleep ends the process for a time that has no room in its own form.
    static let longestSleep = Duration.seconds(Int64(1) << 32)
}
