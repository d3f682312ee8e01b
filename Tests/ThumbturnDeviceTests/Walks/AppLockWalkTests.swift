import Testing
import ThumbturnFlowWalk

@Suite struct AppLockWalkTests {
    @Test func everyOrderOfEventsHoldsTheRules() {
        let report = AppLockWalk.everything()
        print("walked \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
        #expect(report.violations.prefix(5) == [])
        #expect(AppLockWalk.gaps(in: report) == [])
    }
}
