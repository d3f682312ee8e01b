/// The events of one unlock, in their order, and by what they are counted.
///
/// As JSON: `{"context": {…}, "began": 1790000000, "events": ["hintShown", …]}`, with the time in seconds since 1970. Reading it
/// throws `DecodingError` for an unknown member and for more than 64 events.
public struct UnlockReport: Hashable, Sendable {
    /// By what it is counted.
    public var context: TelemetryContext
    /// When the first of the events happened, by the device's clock, which the person can set.
    public var began: UnixTime
    /// The events: at least one, at most `mostEvents`.
    public var events: [Telemetry]
    /// Whose unlock it was; nil if that is not known, as for a report that an app makes. It decides who may send the report, and
    /// is not in its JSON.
    package var owner: ReportOwner?

    /// The most events of a report. An ordinary unlock has 4 to 12.
    public static let mostEvents = 64

    /// Makes a report. Of more than `mostEvents` events the first ones and the last one are kept: the last one says how the unlock
    /// ended.
    public init(_ events: [Telemetry], began: UnixTime, in context: TelemetryContext) {
        self.context = context
        self.began = began
        self.events = events.count > Self.mostEvents ? events.prefix(Self.mostEvents - 1) + events.suffix(1) : events
    }
}

extension UnlockReport: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case context, began, events }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let events = try values.decode([Telemetry].self, forKey: .events)
        guard (1...Self.mostEvents).contains(events.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .events, in: values, debugDescription: "has not 1 to \(Self.mostEvents) events")
        }
        self.init(
            events, began: try values.decode(UnixTime.self, forKey: .began),
            in: try values.decode(TelemetryContext.self, forKey: .context))
    }
}

extension UnlockReport: CustomStringConvertible {
    /// For example `5 events (iOS 26.1 on iPhone17,3, policy unlock)`.
    public var description: String { "\(events.count) events" + (context == .init() ? "" : " (\(context))") }
}
