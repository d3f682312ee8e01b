/// An event, when it happened, and by what it is counted.
///
/// As JSON: `{"event": "hintShown", "time": 1790000000, "context": {"system": "iOS", …}}`, with the time in seconds since 1970.
/// Reading it throws `DecodingError` for anything else.
public struct TelemetryRecord: Hashable, Sendable {
    /// What happened.
    public var event: Telemetry
    /// When it happened, by the device's clock, which the person can set.
    public var time: UnixTime
    /// By what it is counted.
    public var context: TelemetryContext

    /// Makes a record.
    public init(_ event: Telemetry, at time: UnixTime, in context: TelemetryContext) {
        self.event = event
        self.time = time
        self.context = context
    }
}

extension TelemetryRecord: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case event, time, context }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Telemetry.self, forKey: .event), at: try values.decode(UnixTime.self, forKey: .time),
            in: try values.decode(TelemetryContext.self, forKey: .context))
    }
}

extension TelemetryRecord: CustomStringConvertible {
    /// For example `hint shown (iOS 26.1 on iPhone17,3, policy unlock)`.
    public var description: String { context == .init() ? "\(event)" : "\(event) (\(context))" }
}
