import Testing
import ThumbturnFlowWalk

@Suite struct FlowWalkTests {
    /// The largest policy has most of the states and no branch of its own; `thumbturn-trials walk flow` walks that one, too.
    @Test func everyStateOfThePoliciesHoldsTheInvariants() async {
        let report = await FlowWalk.everything(FlowWalk.all.filter { $0.name != "unlock" })
        print("walked \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
        #expect(report.violations.prefix(5) == [])
        #expect(report.gaps == [])
    }
}
