#if Tools
import Foundation
import Testing
@testable import ThumbturnTrials

/// The measurement behind `thumbturn-trials bench neutral`.
@Suite struct NeutralTimingTests {
    @Test func welchsTFindsADifferenceOnlyWhereThereIsOne() {
        var generator = SystemRandomNumberGenerator()
        func sample(_ mean: Double) -> [Double] {
            (0..<5000).map { _ in mean + (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0...1, using: &generator) } }
        }
        #expect(abs(WelchTest.t([1, 2, 3, 4], [2, 3, 4, 5]) + 1.0954) < 0.001)
        #expect(abs(WelchTest(sample(10), sample(10.5)).worst.t) > 10)
        #expect(abs(WelchTest(sample(10), sample(10)).t) < 6)
    }

    @Test func everyComparisonTakesItsSamples() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/thumbturn-neutral-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let timing = try await NeutralTiming(folder: folder)
        for comparison in NeutralTiming.Comparison.allCases {
            let result = try await timing.compare(comparison, pairs: 50, until: nil)
            #expect(result.counts.0 + result.counts.1 == 100 && result.means.0 > 0 && result.means.1 > 0)
        }
    }
}
#endif
