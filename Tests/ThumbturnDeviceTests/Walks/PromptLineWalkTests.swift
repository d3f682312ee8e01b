import Testing
import ThumbturnFlowWalk

@Suite struct PromptLineWalkTests {
    /// A fourth caller multiplies the states by 20 and takes no other branch; `thumbturn-trials walk flow` walks that one, too.
    @Test func everyOrderOfEventsKeepsTheRulesOfTheAsks() {
        let report = AsksWalk(callers: 3).run()
        print("walked \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
        #expect(report.violations.prefix(5) == [])
        #expect(report.ends == AsksWalk.ends)
    }

    @Test func everyOrderOfEventsKeepsTheRulesOfTheLine() {
        let report = PromptLineWalk().run()
        print("walked \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
        #expect(report.violations.prefix(5) == [])
        #expect(report.ends == PromptLineWalk.ends)
    }
}
