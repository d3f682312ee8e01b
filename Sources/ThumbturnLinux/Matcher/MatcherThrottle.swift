import ThumbturnCore

/// How long a user of the machine has to wait after fingers that did not match, in the matcher's own count: whatever a device
/// counts, it cannot be made to ask faster.
struct MatcherThrottle: Hashable, Sendable, Codable {
    /// In a row. Written before the finger is asked for, so that killing the matcher saves no attempt.
    private(set) var mismatches = 0
    /// When the last one was asked for: seconds since this boot.
    private(set) var last: Int64 = 0
    private(set) var boot = ""

    /// From this many on there is a wait, which doubles from 30 s to 300 s.
    static let free = 5
    private static let waits: [Int64] = [30, 60, 120, 240, 300]

    /// How long to wait still. Civil time plays no part. After a reboot the whole wait begins again.
    mutating func wait(at now: Int64, boot: String) -> Int64 {
        guard mismatches >= Self.free else { return 0 }
        if boot != self.boot || now < last { (self.boot, last) = (boot, now) }
        let whole = Self.waits[min(mismatches - Self.free, Self.waits.count - 1)]
        return max(0, last + whole - now)
    }

    /// A finger is asked for: until we know better, it does not match.
    mutating func began(at now: Int64, boot: String) {
        mismatches += 1
        (last, self.boot) = (now, boot)
    }

    mutating func matched() { mismatches = 0 }

    /// There was no verdict, so nothing was tried.
    mutating func ended(without before: MatcherThrottle) { self = before }
}
