import ThumbturnCore

/// A challenge that is still good when somebody signs it. It may have been spent on a PIN that the server did not take, or an app may
/// spend minutes in the back between two prompts, and the server takes no old challenge; then the same is asked for anew.
actor FreshChallenge {
    private var current: CheckedChallenge
    private var since: Instant
    private var isSpent = false
    private let clock: any DeviceClock
    private let renew: (@Sendable () async throws(Failure) -> CheckedChallenge)?

    /// - Parameter renew: asks for the same challenge anew; nil where only the first will do.
    init(
        _ first: CheckedChallenge, clock: any DeviceClock,
        renew: (@Sendable () async throws(Failure) -> CheckedChallenge)?
    ) {
        current = first
        since = clock.now
        self.clock = clock
        self.renew = renew
    }

    /// The challenge; one that can be renewed is unspent and has at least a minute left to answer it.
    func get() async throws(Failure) -> CheckedChallenge {
        guard let renew, isSpent || since.duration(to: clock.now) >= current.lifetime - .seconds(60) else { return current }
        let asked = clock.now
        current = try await renew()
        (since, isSpent) = (asked, false)
        return current
    }

    /// The server has seen a proof over it.
    func spend() { isSpent = true }
}
