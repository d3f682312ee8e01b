#if Tools
import ArgumentParser
import Foundation
import ThumbturnTestKit

struct FlowWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Visits every state that the flow can reach, and checks what must always hold.",
        discussion: """
            All presets are walked, and some policies that no preset is, two at a time. Exit status 1 where a rule is broken, an end is \
            not reached, or a branch is not taken.
            """
    )

    func run() async throws {
        let start = ContinuousClock.now
        let report = await FlowWalk.everything { name, report in
            // At once, so that a long walk shows that it goes on.
            FileHandle.standardError.write(
                Data("  \(name): \(report.states) states, \(report.transitions) transitions\n".utf8))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends in \(String(format: "%.1f", seconds)) s"
        )
        print("ends: \(report.ends.sorted().joined(separator: ", "))")
        let gaps = report.gaps
        for violation in report.violations.prefix(20) { print("broken: \(violation)") }
        for gap in gaps { print("gap: \(gap)") }
        print("\(report.violations.count) violations, \(gaps.count) gaps")
        guard report.violations.isEmpty, gaps.isEmpty else { throw ExitCode(1) }
    }
}
#endif
