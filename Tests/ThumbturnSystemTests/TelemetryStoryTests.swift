#if Tools
import Foundation
import TestSupport
import Testing

/// The story of phones that report, as a process.
@Suite struct TelemetryStoryTests {
    @Test func theReportFindsTheModelWhoseSensorsGotSlow() async throws {
        let page = Built.temporaryFolder() + ".html"
        defer { try? FileManager.default.removeItem(atPath: page) }
        let story = try await Built.run(
            Built.path("thumbturn-trials"), ["telemetry-story", "--phones", "1000", "--seed", "7", "--html", page])
        #expect(story.status == 0, "\(story.output)\(story.errors)")
        #expect(story.output.contains("The report says which model, and since when: Pixel 9: median time to the sensor's match"))
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("match by model and day") && text.contains("Pixel 9: median time"))
        let few = try await Built.run(Built.path("thumbturn-trials"), ["telemetry-story", "--phones", "999"])
        #expect(few.status == 64 && few.errors.contains("--phones must be 1000 or more"))
    }
}
#endif
