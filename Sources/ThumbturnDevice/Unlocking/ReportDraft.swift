import ThumbturnCore

/// The events of an unlock that has not ended, as many as a report has: the first ones and the last one.
struct ReportDraft {
    private var began: UnixTime?
    private var events: [Telemetry] = []

    mutating func add(_ record: TelemetryRecord) {
        began = began ?? record.time
        if events.count == UnlockReport.mostEvents { events.removeLast() }
        events.append(record.event)
    }

    /// The report; nil where nothing happened.
    func report(in context: TelemetryContext) -> UnlockReport? { began.map { UnlockReport(events, began: $0, in: context) } }
}
