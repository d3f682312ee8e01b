/// A point in monotonic time that can be written down: within one boot it can be compared, across boots it cannot.
public struct Moment: Hashable, Sendable, Codable {
    /// Names the start of the device.
    public let boot: String
    /// The time since that start.
    public let sinceBoot: Instant

    /// A point in the time of one boot.
    public init(boot: String, sinceBoot: Instant) {
        self.boot = boot
        self.sinceBoot = sinceBoot
    }

    /// The time until a later moment; nil where it cannot be told: another boot, or a clock that went back.
    public func elapsed(until later: Moment) -> Duration? {
        guard boot == later.boot, sinceBoot <= later.sinceBoot else { return nil }
        return sinceBoot.duration(to: later.sinceBoot)
    }
}
