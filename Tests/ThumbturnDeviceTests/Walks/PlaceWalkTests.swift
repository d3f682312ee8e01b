import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice

@Suite struct PlaceWalkTests {
    @Test("a phone that two persons share belongs to one of them at a time", arguments: [SessionKeeping.stored, .untilLock])
    func everyOrderOfActsHoldsTheRules(_ keeping: SessionKeeping) async throws {
        // Whole, it takes some ten minutes.
        let isWhole = ProcessInfo.processInfo.environment["THUMBTURN_PLACE_WALK"] == "whole"
        let walk = PlaceWalk(keeping: keeping, most: isWhole ? nil : 3000)
        let report = try await walk.run()
        print(
            "walked, \(keeping): \(report.states) states, \(report.transitions) transitions on \(report.phones) phones,",
            "\(report.lost) states not found again")
        #expect(report.violations.prefix(5) == [])
        #expect(walk.gaps(in: report) == [])
    }
}
