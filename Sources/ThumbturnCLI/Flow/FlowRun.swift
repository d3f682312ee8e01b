#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnTestKit

/// Replays scenario files and draws their timelines.
struct FlowRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Replays scenario files and marks differences.",
        discussion: """
            docs/scenarios.md describes the format. Exit status: 0 as expected, 1 something differs, 64 a file cannot be read; \
            the message names the line or the key.
            """
    )

    @Argument(help: "The scenario files.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Flag(help: "Print one JSON object for each file instead of a timeline.")
    var json = false

    @Flag(help: "Also replay each scenario without each of its events, which must make a difference every time.")
    var withoutEach = false

    mutating func run() throws {
        // All files are read first, so that the timelines do not hide an unreadable file.
        let scenarios = try files.map { file in
            do {
                return (file, try Scenario(json: Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)))
            } catch let problem as ScenarioProblem {
                throw unusable(file, because: problem.description)
            } catch {
                throw unusable(
                    file,
                    because: (error as? CocoaError)?.code == .fileReadNoSuchFile ? "there is no such file" : "cannot be read")
            }
        }
        var isAsExpected = true
        for (file, scenario) in scenarios {
            let report = FlowReport(file: file, scenario, withoutEach: withoutEach)
            isAsExpected = isAsExpected && report.isAsExpected
            print(json ? try report.json : report.timeline)
        }
        if !isAsExpected { throw ExitCode(1) }
    }

    private func unusable(_ file: String, because reason: String) -> ExitCode {
        FileHandle.standardError.write(Data("thumbturn: \(file): \(reason)\n".utf8))
        return ExitCode(64)
    }
}

/// The outcome of one scenario, as a timeline or as JSON.
struct FlowReport {
    let file: String
    let scenario: Scenario
    let outcome: Scenario.Outcome
    /// The indexes of events without which nothing differs. They do not belong in the scenario.
    let idle: [Int]

    init(file: String, _ scenario: Scenario, withoutEach: Bool) {
        self.file = file
        self.scenario = scenario
        outcome = scenario.run()
        idle =
            withoutEach ? (0..<scenario.eventCount).filter { scenario.run(without: $0).differences.isEmpty } : []
    }

    var isAsExpected: Bool { outcome.differences.isEmpty && idle.isEmpty }

    var timeline: String {
        var lines = ["\(isAsExpected ? "as expected" : "DIFFERS"): \(scenario.name)", "  \(scenario.shows)"]
        for step in outcome.steps {
            let milliseconds = step.at.milliseconds
            let fraction = String(1000 + milliseconds % 1000).dropFirst()
            let time = "\(milliseconds / 1000).\(fraction) s"
            lines.append(String(repeating: " ", count: max(12 - time.count, 0)) + time + " │ \(step.event.spelled)")
            let common = zip(step.expected, step.happened).prefix { $0 == $1 }.count
            lines += step.happened.prefix(common).map { "             │   → \($0.spelled)" }
            lines += step.expected.dropFirst(common).map { "  expected   │   - \($0.spelled)" }
            lines += step.happened.dropFirst(common).map { "  happened   │   + \($0.spelled)" }
        }
        let end = outcome.end.map { "\($0.spelled)" } ?? "no end"
        lines.append("         end │ \(end)")
        if outcome.end != outcome.expectedEnd { lines.append("  expected   │   - \(outcome.expectedEnd.spelled)") }
        lines += idle.map { "  without event \($0) nothing differs: \(outcome.steps[$0 + 1].event.spelled)" }
        return lines.joined(separator: "\n")
    }

    var json: String {
        get throws {
            struct Output: Encodable {
                struct Step: Encodable {
                    var at: Int64
                    var event: JSON
                    var expected: [JSON]
                    var happened: [JSON]
                }
                var file: String
                var name: String
                var as_told: Bool
                var steps: [Step]
                var end: JSON?
                var differences: [String]
                var events_that_do_not_matter: [Int]
            }
            let steps = outcome.steps.map { step in
                Output.Step(
                    at: step.at.milliseconds, event: step.event.spelled, expected: step.expected.map(\.spelled),
                    happened: step.happened.map(\.spelled)
                )
            }
            let output = Output(
                file: file, name: scenario.name, as_told: isAsExpected, steps: steps, end: outcome.end?.spelled,
                differences: outcome.differences, events_that_do_not_matter: idle
            )
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(output), as: UTF8.self)
        }
    }
}
#endif
