#if Server

/// How many wrong attempts are free, and how long one waits after them (NIST SP 800-63B-4 section 3.2.2).
package struct ThrottleLimits: Sendable {
    /// From so many wrong attempts in a row on, each is followed by a wait.
    package var freeInARow = 5
    /// The first wait; each further one is twice as long, up to the longest.
    package var firstWait = Duration.seconds(30)
    package var longestWait = Duration.seconds(3600)
    /// After so many in a row there is no further try.
    package var mostInARow = 100
    /// Wrong attempts that an address has at once. One comes back after each refill.
    package var addressBurst = 30
    package var addressRefill = Duration.seconds(30)
    /// The same for all addresses together.
    package var globalBurst = 600
    package var globalRefill = Duration.seconds(1)

    package init() {}

    package static let standard = ThrottleLimits()

    /// No limits, for the measurement of what a single attempt takes. Owners still hear of it.
    package static let none: ThrottleLimits = {
        var limits = ThrottleLimits()
        (limits.firstWait, limits.longestWait, limits.mostInARow) = (.zero, .zero, .max)
        (limits.addressBurst, limits.globalBurst) = (1_000_000_000, 1_000_000_000)
        return limits
    }()

    /// How long to wait after so many wrong attempts in a row; nil for ever.
    package func wait(after wrong: Int) -> Duration? {
        guard wrong < mostInARow else { return nil }
        guard wrong >= freeInARow else { return .zero }
        // Twenty doublings are beyond any sensible longest wait.
        return min(longestWait, firstWait * (1 << min(wrong - freeInARow, 20)))
    }
}
#endif
