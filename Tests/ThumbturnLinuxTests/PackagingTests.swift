#if os(Linux)
import Foundation
import TestSupport
import Testing

/// The unit for systemd.
@Suite struct PackagingTests {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let unit = repository.appendingPathComponent("packaging/thumbturn-matcherd.service")

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: PackagingTests.analyze)))
    func theUnitsExposureIsUnderOne() async throws {
        let finished = try await Built.run(Self.analyze, ["security", "--offline=true", "--no-pager", Self.unit.path])
        let level = try #require(finished.output.firstMatch(of: /Overall exposure level.*: ([0-9.]+)/), "\(finished.errors)")
        #expect(try #require(Double(level.1)) < 1, "\(finished.output)")
    }

    @Test func theSocketIsForTheGroupThatUsesTheTPM() throws {
        let lines = try String(contentsOf: Self.unit, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains("ExecStart=/usr/bin/thumbturn-matcherd --group tss"))
        // The sandbox forbids `chown`, so the socket has the process's own group.
        #expect(lines.contains("Group=tss"))
        #expect(lines.contains("SystemCallErrorNumber=EPERM"), "a refused call must not end the matcher")
    }
}
#endif
