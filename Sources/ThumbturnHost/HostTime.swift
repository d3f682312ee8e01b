#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
package import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time since this machine started, also while it slept, and which start that was. Setting the date moves neither.
package enum HostTime {
    /// The time since the start. Two values can be compared only within one boot.
    package static var now: Instant {
        var time = timespec()
        // Every supported kernel has this clock, so the call cannot fail.
        unsafe clock_gettime(sinceBoot, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    /// The id of this boot. Where the system gives none, each start of the process counts as a boot: that can lengthen a
    /// pause, and never shortens one.
    package static let boot = systemBoot() ?? UUID().uuidString

    /// The present moment, without the server's time.
    package static var moment: Moment { Moment(boot: boot, sinceBoot: now) }

    #if canImport(Darwin)
    // The clock of `mach_continuous_time`: it counts while the device sleeps, and no change of the date moves it.
    private static let sinceBoot = CLOCK_MONOTONIC_RAW
    #else
    private static let sinceBoot = CLOCK_BOOTTIME
    #endif

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
