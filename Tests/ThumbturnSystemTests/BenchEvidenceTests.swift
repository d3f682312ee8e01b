#if Tools
import Foundation
import TestSupport
import Testing

/// A short run of `thumbturn-trials bench evidence`: all evidence is accepted and all figures are present. No test depends on a speed.
@Suite struct BenchEvidenceTests {
    struct Figures: Decodable {
        struct Row: Decodable {
            var name: String
            var us: Double
            var per_second: Double
            var signatures: Int
            var signatures_us: Double
            var signatures_share: Double
        }
        var rows: [Row]
        var bars: [String: Bool]
    }

    @Test func evidence() async throws {
        let run = try await Built.run(Built.path("thumbturn-trials"), ["bench", "evidence", "--seconds", "0.01", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let figures = try JSONDecoder().decode(Figures.self, from: Data(run.output.utf8))
        #expect(Set(figures.bars.keys) == ["under_1_ms", "under_1_ms_first_time"])
        // The signatures that each verification checks: the authorities' are left out where they are known.
        #expect(figures.rows.map(\.signatures) == [2, 1, 1, 3, 2, 4, 2, 3, 2, 6, 5])
        for row in figures.rows {
            #expect(row.us > 0 && row.per_second > 0 && row.signatures_us > 0 && row.signatures_share > 0, "\(row.name)")
        }
    }
}
#endif
