#if Tools
import ArgumentParser
import Foundation
import ThumbturnFlowWalk

struct FlowWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow",
        abstract: "Visits every reachable state of the unlock flow, the app lock and the line of prompts, by rules.",
        discussion: """
            The walk of the flow covers all presets and some further policies, two at a time; that of the app lock covers \
            three sets of rules. Exit status 1: an invariant is violated, an end is not reached, or a branch is not taken.
            """
    )

    func run() async throws {
        let start = ContinuousClock.now
        let flow = await FlowWalk.everything { Self.tell($0, $1) }
        let lock = AppLockWalk.everything { Self.tell($0, $1) }
        let (asks, line) = (AsksWalk().run(), PromptLineWalk().run())
        // In the reports of asks and of the line, an end that is not reached is a violation.
        let walks = [
            ("unlock flow", flow, flow.gaps), ("app lock", lock, AppLockWalk.gaps(in: lock)), ("asks", asks, []),
            ("line of prompts", line, []),
        ]
        for (name, report, gaps) in walks {
            print("\(name): \(report.states) states, \(report.transitions) transitions, \(report.ends.count) ends")
            print("ends: \(report.ends.sorted().joined(separator: "; "))")
            for violation in report.violations.prefix(20) { print("broken: \(violation)") }
            for gap in gaps { print("gap: \(gap)") }
            print("\(report.violations.count) violations, \(gaps.count) gaps")
        }
        print("walked in \(rounded((ContinuousClock.now - start) / .seconds(1))) s")
        guard walks.allSatisfy({ $1.violations.isEmpty && $2.isEmpty }) else { throw ExitCode(1) }
    }

    /// Each line is printed at once, as progress of a long walk.
    private static func tell(_ name: String, _ report: FlowWalk.Report) {
        FileHandle.standardError.write(Data("  \(name): \(report.states) states, \(report.transitions) transitions\n".utf8))
    }
}
#endif
