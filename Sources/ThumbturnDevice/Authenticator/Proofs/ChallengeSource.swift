import ThumbturnCore

/// Provides the challenge that the keys of a flow sign.
///
/// A challenge may be consumed by a PIN that the server did not accept, or grow old while the app is in the background
/// between two prompts, and the server accepts no such challenge; then the same one is asked for anew.
actor ChallengeSource {
    /// The challenge to sign.
    private(set) var current: CheckedChallenge
    private var since: Instant
    private var isConsumed = false
    private let clock: any DeviceClock
    private let renew: (@Sendable () async throws(Failure) -> CheckedChallenge)?

    /// - Parameter renew: asks for the same challenge anew; nil where only the first one will do.
    init(
        _ first: CheckedChallenge, clock: any DeviceClock,
        renew: (@Sendable () async throws(Failure) -> CheckedChallenge)? = nil
    ) {
        current = first
        since = clock.now
        self.clock = clock
        self.renew = renew
    }

    /// Whether the challenge may be signed now: it is not consumed, and there is time left to answer it. One that cannot be
    /// renewed counts as fresh.
    var isFresh: Bool {
        renew == nil || !isConsumed && current.leavesTimeToAnswer(after: since.duration(to: clock.now))
    }

    /// Asks for the challenge anew, unless it is fresh.
    func refresh() async throws(Failure) {
        guard let renew, !isFresh else { return }
        let asked = clock.now
        current = try await renew()
        (since, isConsumed) = (asked, false)
    }

    /// Marks the challenge as consumed: the server has seen a proof over it.
    func consume() { isConsumed = true }
}
