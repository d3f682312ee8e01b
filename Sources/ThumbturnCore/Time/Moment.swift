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

    /// Where the device's own clock cannot tell how long ago this was: for that clock it is now, and for the server's time what it was.
    func anchored(at now: Moment) -> Moment {
        guard ticked(until: now) == nil else { return self }
        return Moment(boot: now.boot, sinceBoot: now.sinceBoot, server: server, isAnchored: true)
    }

    private func ticked(until later: Moment) -> Duration? {
        guard boot == later.boot, sinceBoot <= later.sinceBoot else { return nil }
        return sinceBoot.duration(to: later.sinceBoot)
    }

    private func told(until later: Moment) -> Duration? {
        guard let server, let then = later.server else { return nil }
        return max(then.earliest - server.latest - Self.disagreement, .zero)
    }

    /// The clocks of a server's nodes may differ by so much, and one of them may be set.
    private static let disagreement = Duration.seconds(10)
}
