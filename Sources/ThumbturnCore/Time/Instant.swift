/// A point on the device's monotonic clock. Only differences have a meaning; setting the wall clock does not move it.
public struct Instant: InstantProtocol, Hashable, Sendable, Codable {
    /// The time since the clock's own origin, for example the start of the device.
    public var sinceOrigin: Duration

    /// Creates a point at a distance from the clock's origin.
    public init(sinceOrigin: Duration) {
        self.sinceOrigin = sinceOrigin
    }

    /// The instant that is later by this duration.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceOrigin: sinceOrigin + duration) }
    /// The time from this instant to another one.
    public func duration(to other: Instant) -> Duration { other.sinceOrigin - sinceOrigin }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceOrigin < rhs.sinceOrigin }
}

extension Instant: CustomStringConvertible {
    /// The time since the clock's origin.
    public var description: String { "\(sinceOrigin) since the clock's origin" }
}
