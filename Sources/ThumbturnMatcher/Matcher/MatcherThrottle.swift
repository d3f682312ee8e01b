import ThumbturnCore

/// The wait that the matcher imposes on a user of the machine after fingers that did not match. The count is the
/// matcher's own, so a manipulated device process cannot make it ask faster.
package struct MatcherThrottle: Hashable, Sendable, Codable {
    /// Consecutive mismatches. Written before the finger is asked for, so that killing the matcher saves no attempt.
    private(set) var mismatches = 0
    /// When the last finger was asked for, in seconds since boot.
    private(set) var last: Int64 = 0
    private(set) var boot = ""

    /// Consecutive mismatches from which on there is a wait. It doubles from 30 s up to 300 s.
    static let free = 5
    /// Consecutive mismatches after which no finger is asked for until an administrator allows it again. At the highest
    /// rate this takes three and a half hours of fingers that do not match.
    package static let limit = 50
    private static let waits: [Int64] = [30, 60, 120, 240, 300]

    /// Whether the limit is reached. Neither time nor a restart ends this state.
    var isOff: Bool { mismatches >= Self.limit }

    /// The remaining wait in seconds. It does not depend on the civil time; after a reboot the whole wait begins again.
    mutating func wait(at now: Int64, boot: String) -> Int64 {
        guard mismatches >= Self.free else { return 0 }
        if boot != self.boot || now < last { (self.boot, last) = (boot, now) }
        let whole = Self.waits[min(mismatches - Self.free, Self.waits.count - 1)]
        return max(0, last + whole - now)
    }

    /// Counts an attempt as a mismatch when the finger is asked for.
    mutating func began(at now: Int64, boot: String) {
        mismatches += 1
        (last, self.boot) = (now, boot)
    }

    /// Resets the count, after a match or by an administrator.
    mutating func reset() { mismatches = 0 }

    /// Takes an attempt back that had no verdict.
    mutating func ended(without before: MatcherThrottle) { self = before }
}
