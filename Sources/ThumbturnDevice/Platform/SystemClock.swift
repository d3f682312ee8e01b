#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
public import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The system's clocks. The monotonic clock counts from the start of the device, also while it sleeps.
public struct SystemClock: DeviceClock {
    /// Makes a clock. All values read the same system clocks.
    public init() {}

    public var now: Instant {
        var time = timespec()
        // Every supported kernel has this clock, so the call cannot fail.
        unsafe clock_gettime(Self.sinceBoot, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    public var boot: String { Self.thisBoot }

    public var civilTime: UnixTime { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }

    public func sleep(until instant: Instant) async throws {
        try await Task.sleep(for: min(now.duration(to: instant), Self.longestSleep), clock: .continuous)
    }

    /// 136 years. The system's sleep ends the process for a time that has no room in its own form.
    static let longestSleep = Duration.seconds(Int64(1) << 32)

    #if canImport(Darwin)
    // The clock of `mach_continuous_time`: it counts while the device sleeps, and no change of the date moves it.
    private static let sinceBoot = CLOCK_MONOTONIC_RAW
    #else
    private static let sinceBoot = CLOCK_BOOTTIME
    #endif

    /// Where the system gives no boot id, each start of the app counts as a boot: that can lengthen a pause, and never
    /// shortens one.
    private static let thisBoot = systemBoot() ?? UUID().uuidString

    #if canImport(Darwin)
    private static func systemBoot() -> String? {
        var size = 0
        guard unsafe sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
        var text = [UInt8](repeating: 0, count: size)
        guard unsafe sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
    #else
    private static func systemBoot() -> String? {
        guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else { return nil }
        let id = text.prefix { !$0.isWhitespace }
        return id.isEmpty ? nil : String(id)
    }
    #endif
}
