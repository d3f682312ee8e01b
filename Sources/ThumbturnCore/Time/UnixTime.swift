/// A point in civil time, in whole seconds since 1970-01-01 UTC: the NumericDate of RFC 7519 section 2.
public struct UnixTime: Hashable, Sendable, Codable, Comparable {
    /// Whole seconds; negative before 1970.
    public var seconds: Int64

    /// Creates a point from whole seconds since 1970.
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

    /// The time that is later by a duration, whose fraction of a second is dropped. Stops at the ends of the range
    /// instead of trapping.
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

extension UnixTime: CustomStringConvertible {
    /// The seconds since 1970.
    public var description: String { "\(seconds) s since 1970" }
}
