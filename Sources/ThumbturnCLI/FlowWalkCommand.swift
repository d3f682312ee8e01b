#if Tools
import ArgumentParser
import Foundation
import ThumbturnTestKit

struct FlowWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Visits every reachable state of the unlock flow and of the line of prompts, and checks their invariants.",
        discussion: """
            The walk covers all presets and some further policies, two at a time. Exit status 1: an invariant is violated, an \
            end is not reached, or a branch is not taken.
            """
    )

    func run() async throws {
        let start = ContinuousClock.now
        let report = await FlowWalk.everything { name, report in
            // Each line is printed at once, as progress of a long walk.
            FileHandle.standardError.write(
                Data("  \(name): \(report.states) states, \(report.transitions) transitions\n".utf8))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends in \(rounded(seconds)) s"
        )
        print("ends: \(report.ends.sorted().joined(separator: ", "))")
        let gaps = report.gaps
        for violation in report.violations.prefix(20) { print("broken: \(violation)") }
        for gap in gaps { print("gap: \(gap)") }
        print("\(report.violations.count) violations, \(gaps.count) gaps")
        let prompts = Self.walk("asks", AsksWalk().run()) + Self.walk("line of prompts", PromptLineWalk().run())
        guard report.violations.isEmpty, gaps.isEmpty, prompts == 0 else { throw ExitCode(1) }
    }

    /// Prints the findings of a walk.
    ///
    /// - Returns: the number of violations, in which ends that are not reached are counted.
    private static func walk(_ name: String, _ report: FlowWalk.Report) -> Int {
        print("\(name): \(report.states) states, \(report.transitions) transitions")
        print("ends: \(report.ends.sorted().joined(separator: ", "))")
        for violation in report.violations.prefix(20) { print("broken: \(violation)") }
        print("\(report.violations.count) violations")
        return report.violations.count
    }
}
#endif
