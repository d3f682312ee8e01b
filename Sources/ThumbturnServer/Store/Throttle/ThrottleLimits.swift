#if Server
/// The number of wrong attempts without a wait, and the waits after them (NIST SP 800-63B-4 section 3.2.2).
package struct ThrottleLimits: Sendable {
    /// From this many wrong attempts in a row, each one is followed by a wait.
    package var freeInARow = 5
    /// The first wait. Each further one is twice as long, up to the longest.
    package var firstWait = Duration.seconds(30)
    package var longestWait = Duration.seconds(3600)
    /// After this many in a row, no further attempt is accepted.
    package var mostInARow = 100
    /// The wrong attempts that an address may make at once. One more is allowed after each refill.
    package var addressBurst = 30
    package var addressRefill = Duration.seconds(30)
    /// The same for all addresses together.
    package var globalBurst = 600
    package var globalRefill = Duration.seconds(1)

    package init() {}

    package static let standard = ThrottleLimits()

    /// The wait after this many wrong attempts in a row; nil if no further attempt is accepted.
    package func wait(after wrong: Int) -> Duration? {
        guard wrong < mostInARow else { return nil }
        guard wrong >= freeInARow else { return .zero }
        // Twenty doublings are beyond any sensible longest wait.
        return min(longestWait, firstWait * (1 << min(wrong - freeInARow, 20)))
    }
}
#endif
