/// A point in the time of one boot, with what was known of the server's time at that point.
///
/// Setting the wall clock changes nothing, and a restart of the device makes no moment older than it is.
package struct Moment: Hashable, Sendable, Codable {
    /// Identifies the boot of the device.
    package let boot: String
    /// The time since that boot.
    package let sinceBoot: Instant
    /// What was known of the server's time. Nil where nothing was known, and where only time within one boot is to
    /// count.
    package let server: ServerTime?
    /// Whether this moment replaces an earlier one whose age the device's own clock could not tell.
    private let isAnchored: Bool

    /// Creates a point in the time of one boot.
    package init(boot: String, sinceBoot: Instant, server: ServerTime? = nil) {
        self.init(boot: boot, sinceBoot: sinceBoot, server: server, isAnchored: false)
    }

    private init(boot: String, sinceBoot: Instant, server: ServerTime?, isAnchored: Bool) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.server = server
        self.isAnchored = isAnchored
    }

    /// The time until a later moment.
    ///
    /// Within one boot the device's own clock tells it. Otherwise the server's time tells a lower bound. Nil where
    /// neither does: another boot, or a clock that went back.
    package func elapsed(until later: Moment) -> Duration? {
        guard let ticked = elapsedOnDevice(until: later) else { return elapsedOnServer(until: later) }
        return isAnchored ? max(ticked, elapsedOnServer(until: later) ?? .zero) : ticked
    }

    /// The moment to keep from now on: where the device's own clock cannot tell how long ago this was, its device time
    /// becomes `now`, and its server time stays.
    func anchored(at now: Moment) -> Moment {
        guard elapsedOnDevice(until: now) == nil else { return self }
        return Moment(boot: now.boot, sinceBoot: now.sinceBoot, server: server, isAnchored: true)
    }

    private func elapsedOnDevice(until later: Moment) -> Duration? {
        // A stored one may be damaged, and be so long ago that the difference has no room in a duration.
        guard boot == later.boot, .seconds(Int64.min) <= sinceBoot.sinceOrigin, sinceBoot <= later.sinceBoot else { return nil }
        return sinceBoot.duration(to: later.sinceBoot)
    }

    private func elapsedOnServer(until later: Moment) -> Duration? {
        guard let server, let then = later.server else { return nil }
        return max(then.earliest - server.latest - Self.clockSkew, .zero)
    }

    /// How far the clocks of a server's nodes may differ, and how far one of them may be set while it runs.
    private static let clockSkew = Duration.seconds(10)
}
