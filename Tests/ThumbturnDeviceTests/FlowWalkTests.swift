import Testing
import ThumbturnTestKit

@Suite struct FlowWalkTests {
    /// `thumbturn flow walk` prints the same figures.
    @Test func everyStateOfEveryPolicy() async {
        let report = await FlowWalk.everything()
        print("walked \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
        #expect(report.violations.prefix(5) == [])
        #expect(report.gaps == [])
    }
}
