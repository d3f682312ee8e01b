import Testing
import ThumbturnCore
@testable import ThumbturnDevice

@Suite struct ReportDraftTests {
    @Test func aLongUnlockKeepsItsFirstEventsAndItsEnd() {
        var draft = ReportDraft()
        #expect(draft.report(in: .init()) == nil, "nothing happened")
        let events: [Telemetry] = (1...200).map { .retry($0) }
        for (second, event) in events.enumerated() {
            draft.add(TelemetryRecord(event, at: UnixTime(seconds: Int64(second)), in: .init()))
        }
        let report = draft.report(in: .init(policy: "unlock"))
        #expect(report == UnlockReport(events, began: UnixTime(seconds: 0), in: .init(policy: "unlock")))
        #expect(report?.events.count == UnlockReport.mostEvents && report?.events.last == .retry(200))
    }
}
