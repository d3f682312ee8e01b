#if os(Linux)
import Foundation
import TestSupport
import Testing

/// The benchmark of the unlock flow.
@Suite struct BenchFlowTests {
    private struct Result: Decodable {
        var events: Int
        var allocations_per_event: Double?
    }

    @Test(.enabled(if: Requirement.preload.isMet(FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"))))
    func theAllocationsPerEventAreCounted() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").path
        let counter = folder + "/allocations.so"
        let built = try await Built.run(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", counter, root + "/scripts/allocations.c"])
        #expect(built.status == 0, "\(built.errors)")
        let run = try await Built.run(
            Built.path("thumbturn-trials"), ["bench", "flow", "--count", "10", "--json"], environment: ["LD_PRELOAD": counter])
        let result = try JSONDecoder().decode(Result.self, from: Data(run.output.utf8))
        let each = try #require(result.allocations_per_event)
        // A debug build allocates several times as often as a release build, whose figure is the one to quote.
        #expect((0.1..<25).contains(each))
    }
}
#endif
