#if Server
/// The number of wrong attempts without a wait, and the waits after them (NIST SP 800-63B-4 section 3.2.2).
package struct ThrottleLimits: Sendable {
    /// The number of consecutive wrong attempts from which on each one is followed by a wait.
    package var freeInARow = 5
    /// The first wait. Each further one is twice as long, up to `longestWait`.
    package var firstWait = Duration.seconds(30)
    /// The longest wait.
    package var longestWait = Duration.seconds(3600)
    /// The number of consecutive wrong attempts after which no further one is accepted.
    package var mostInARow = 100
    /// The number of wrong attempts that an address may make at once. One more is allowed after each refill.
    package var addressBurst = 30
    /// The time after which an address may make one more wrong attempt.
    package var addressRefill = Duration.seconds(30)
    /// The number of wrong attempts that all addresses together may make at once.
    package var globalBurst = 600
    /// The time after which all addresses together may make one more wrong attempt.
    package var globalRefill = Duration.seconds(1)

    package init() {}

    /// The default limits.
    package static let standard = ThrottleLimits()

    /// The wait after this number of consecutive wrong attempts; nil if no further attempt is accepted.
    package func wait(after wrong: Int) -> Duration? {
        guard wrong < mostInARow else { return nil }
        guard wrong >= freeInARow else { return .zero }
        // Twenty doublings are beyond any sensible longest wait.
        return min(longestWait, firstWait * (1 << min(wrong - freeInARow, 20)))
    }
}
#endif
