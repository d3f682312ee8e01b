#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks configuration files.", subcommands: [Check.self]
    )

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a policy file: status 0 if the server would accept it, otherwise 1 with the place of the mistake.",
            discussion: "A rule that is weaker than the preset is a warning on standard error, not a mistake."
        )

        @Argument(help: "The policy file.")
        var file: String

        func run() throws {
            let table = try StepUpTable(file: file)
            for warning in table.warnings {
                FileHandle.standardError.write(Data("warning: \(file): \(warning)\n".utf8))
            }
            for (name, rule) in table.actions.sorted(by: { $0.key < $1.key }) { print("\(name): \(rule.summary)") }
        }
    }
}

extension ActionRule {
    fileprivate var summary: String {
        var parts = [signsEach ? "a signature each" : "at most \(maximumAge.components.seconds) s old"]
        parts.append("by " + keys.map(\.rawValue).joined(separator: " or "))
        if takesCredentials { parts.append("or by full credentials alone") }
        if takesUnlock { parts.append("or by a recent unlock") }
        if assurance != Assurance(protection: .software, verification: .none) { parts.append("at least \(assurance.acr)") }
        if !oneOf.isEmpty { parts.append("with " + oneOf.map(\.rawValue).joined(separator: " or ")) }
        for threshold in thresholds {
            parts.append(
                "above \(threshold.above.minor) minor units of \(threshold.above.currency) with "
                    + threshold.oneOf.map(\.rawValue).joined(separator: " or "))
        }
        return parts.joined(separator: ", ")
    }
}
#endif
