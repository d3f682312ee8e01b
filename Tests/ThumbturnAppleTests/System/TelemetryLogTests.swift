#if STAND_INS && canImport(os)
import Foundation
import Testing
import ThumbturnApple
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import os

/// Reports in the system's log.
@Suite struct TelemetryLogTests {
    private let subsystem = "test \(UUID())"
    private var entries: [(category: String, entry: StandInLog.Entry)] { StandInLog.entries(of: subsystem) }

    @Test func aReportIsANoticeOfItsEndAndAMessageForEachEvent() {
        let context = TelemetryContext(model: "iPhone17,3", policy: "unlock", arm: "b")
        let events: [Telemetry] = [
            .promptShown(.biometric), .retry(1), .authenticated(.biometric, after: .seconds(2), attempts: 2),
        ]
        TelemetryLog(subsystem: subsystem).take(UnlockReport(events, began: UnixTime(seconds: 1), in: context))
        #expect(entries.map(\.category) == Array(repeating: "telemetry", count: 4))
        let end = "biometric succeeded after 2.0 seconds, prompts: 2"
        let wanted: [StandInLog.Entry] =
            events.map { .debug($0.description) } + [.notice("\(end): 3 events (on iPhone17,3, policy unlock, arm b)")]
        #expect(entries.map(\.entry) == wanted, "nothing is hidden by mistake")
    }

    @Test func anUnlockIsWrittenWithoutTheReasonAndTheAccount() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        var platform = phone.platform()
        platform.telemetry = TelemetrySinks([TelemetryLog(subsystem: subsystem)])
        let vault = Vault(named: "ada", platform: platform, access: .userPresence)
        try await clock.run {
            phone.next(.match)
            try await vault.unlocked("Open the notes of Ada") { _ in }
        }
        let text = "\(entries)"
        #expect(
            text.contains("biometric succeeded") && !text.contains("Ada") && !text.contains("ada") && !text.contains("private"))
    }
}
#endif
