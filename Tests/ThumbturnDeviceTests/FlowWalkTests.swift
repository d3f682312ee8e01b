import Testing
import ThumbturnCore
import ThumbturnTestKit

/// `thumbturn flow walk` prints the same figures.
@Suite struct FlowWalkTests {
    @Test("nothing that must not be is reached", arguments: FlowWalk.all.map(\.name))
    func invariants(_ name: String) throws {
        let policy = try #require(FlowWalk.all.first { $0.name == name }).policy
        let report = FlowWalk(policy).run()
        print("walked \(name): \(report.states) states, \(report.transitions) transitions")
        #expect(report.violations.prefix(5) == [])
    }
}
