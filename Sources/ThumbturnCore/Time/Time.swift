/// A point on the device's monotonic clock. Only differences mean something; setting the clock does not move it.
public struct Instant: InstantProtocol, Hashable, Sendable, Codable {
    /// The time since the clock's own origin, for example the start of the device.
    public var sinceOrigin: Duration

    /// A point so long after the clock's origin.
    public init(sinceOrigin: Duration) {
        self.sinceOrigin = sinceOrigin
    }

    public func advanced(by duration: Duration) -> Instant { Instant(sinceOrigin: sinceOrigin + duration) }
    public func duration(to other: Instant) -> Duration { other.sinceOrigin - sinceOrigin }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceOrigin < rhs.sinceOrigin }
}

/// A point in civil time, in whole seconds since 1970-01-01 UTC: the NumericDate of RFC 7519 section 2.
public struct UnixTime: Hashable, Sendable, Codable, Comparable {
    /// Whole seconds; negative before 1970.
    public var seconds: Int64

    /// A point so many seconds after 1970.
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    public init(from decoder: any Decoder) throws {
        seconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }

    public static func < (lhs: UnixTime, rhs: UnixTime) -> Bool { lhs.seconds < rhs.seconds }

    /// The time so many whole seconds later; fractions are dropped. Stops at the ends of the range instead of trapping.
    public static func + (time: UnixTime, duration: Duration) -> UnixTime {
        let (sum, overflow) = time.seconds.addingReportingOverflow(duration.components.seconds)
        guard overflow else { return UnixTime(seconds: sum) }
        return UnixTime(seconds: duration < .zero ? .min : .max)
    }

    /// The time between two points. Stops at the ends of the range instead of trapping.
    public static func - (lhs: UnixTime, rhs: UnixTime) -> Duration {
        let (difference, overflow) = lhs.seconds.subtractingReportingOverflow(rhs.seconds)
        guard overflow else { return .seconds(difference) }
        return .seconds(lhs < rhs ? Int64.min : .max)
    }
}

extension Duration {
    /// Whole seconds, rounded up: who waits so long has waited long enough. Never negative.
    var wholeSecondsRoundedUp: Int64 {
        max(components.attoseconds > 0 ? components.seconds + 1 : components.seconds, 0)
    }
}
