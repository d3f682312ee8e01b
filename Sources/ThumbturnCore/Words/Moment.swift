/// A point in the time of one boot, and what was known of the server's time then: a wall clock that is set changes nothing, and a
/// restart makes nothing older than it is.
public struct Moment: Hashable, Sendable, Codable {
    /// Names the start of the device.
    public let boot: String
    /// The time since that start.
    public let sinceBoot: Instant
    /// What was known of the server's time; nil where nothing was, and where only one boot's own time is to count.
    public let server: ServerTime?
    /// It stands for an earlier one, whose age the device's own clock could not tell.
    private let isAnchored: Bool

    /// A point in the time of one boot.
    public init(boot: String, sinceBoot: Instant, server: ServerTime? = nil) {
        self.init(boot: boot, sinceBoot: sinceBoot, server: server, isAnchored: false)
    }

    private init(boot: String, sinceBoot: Instant, server: ServerTime?, isAnchored: Bool) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.server = server
        self.isAnchored = isAnchored
    }

    /// The time until a later moment. Within one boot the device's own clock tells it; otherwise the server's time, and then it may
    /// have been more. Nil where neither does: another boot, or a clock that went back.
    public func elapsed(until later: Moment) -> Duration? {
        guard let ticked = ticked(until: later) else { return told(until: later) }
        return isAnchored ? max(ticked, told(until: later) ?? .zero) : ticked
    }

    /// The same point for the server's time, and now for the device's own clock, which cannot tell how long ago it was.
    public func anchored(at now: Moment) -> Moment {
        Moment(boot: now.boot, sinceBoot: now.sinceBoot, server: server ?? now.server, isAnchored: true)
    }

    private func ticked(until later: Moment) -> Duration? {
        guard boot == later.boot, sinceBoot <= later.sinceBoot else { return nil }
        return sinceBoot.duration(to: later.sinceBoot)
    }

    private func told(until later: Moment) -> Duration? {
        guard let server, let then = later.server, server.latest <= then.earliest else { return nil }
        return then.earliest - server.latest
    }
}
