#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks configuration files.", subcommands: [Check.self, UnlockPolicyPreset.self]
    )

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a policy file: status 0 if the server would accept it, otherwise 1 with the place of the mistake.",
            discussion: """
                The file of `serve --policy`, of `serve --evidence` or of `serve --unlock-policies`, which its member "format" \
                tells apart. A rule that is weaker than the preset is a warning on standard error, not a mistake.
                """
        )

        @Argument(help: "The policy file.")
        var file: String

        func run() throws {
            // A file without the member is read as the oldest kind, which says what is missing.
            let text = PolicyFileFormat.text(inFile: file) ?? PolicyFileFormat.stepUp.text
            guard let format = PolicyFileFormat(text) else { throw UnknownFormat(file: file, format: text) }
            let (lines, warnings) = try Self.examine(file, format)
            for warning in warnings { FileHandle.standardError.write(Data("warning: \(file): \(warning)\n".utf8)) }
            for line in lines { print(line) }
        }

        /// What a file means, and what is weak in it.
        private static func examine(_ file: String, _ format: PolicyFileFormat) throws -> (lines: [String], warnings: [String]) {
            switch format {
            case .evidence: return (try EvidencePolicy(file: file).summary, [])
            case .unlockPolicies:
                let policies = try UnlockPolicies(file: file)
                return (policies.summary, policies.warnings)
            case .stepUp:
                let table = try StepUpTable(file: file)
                let rules = table.actions.sorted { $0.key < $1.key }
                return (rules.map { name, rule in "\(name): \(rule.summary)" }, table.warnings)
            }
        }
    }
}

/// A file names a format that no option of `serve` takes.
private struct UnknownFormat: Error, CustomStringConvertible {
    let file: String
    let format: String

    var description: String {
        """
        \(file): format: is "\(format)", which the server does not know. It is one of \
        \(PolicyFileFormat.allCases.map(\.text).joined(separator: ", ")).
        """
    }
}

struct UnlockPolicyPreset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock-policy", abstract: "Prints a preset of the apps' unlock policies as JSON, to change it.",
        discussion: """
            It becomes a file of `serve --unlock-policies` as the value of \
            {"format": "thumbturn-unlock-policies/1", "version": 1, "policies": {"unlock": {"policy": …}}}.
            """)

    @Argument(help: "The preset: \(UnlockPolicy.presets.keys.sorted().joined(separator: ", ")).")
    var preset: String

    func run() throws {
        guard let policy = UnlockPolicy.presets[preset] else {
            throw ValidationError(
                "There is no preset \(preset). Choose one of \(UnlockPolicy.presets.keys.sorted().joined(separator: ", ")).")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(policy), as: UTF8.self))
    }
}

extension EvidencePolicy {
    /// What the policy means, in lines.
    fileprivate var summary: [String] {
        var lines = ["without evidence: \(withoutEvidence.rawValue)"]
        for (name, minimum) in minimums.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name.isEmpty ? "accounts without a group" : "group \(name)"): at least \(minimum.acr)")
        }
        if let appAttest {
            let apps = appAttest.appIDs.sorted().joined(separator: ", ")
            lines.append("App Attest: \(apps), \(appAttest.environment.rawValue), \(appAttest.device.rawValue)")
        }
        if let android {
            let apps = android.apps.map(\.package).joined(separator: ", ")
            let days = android.status.maximumAge.components.seconds / 86_400
            lines.append(
                "Android key attestation: \(apps), status list of at most \(days) days, otherwise "
                    + android.status.whenUnknown.rawValue)
        }
        if let tpm {
            lines.append(
                "TPM 2.0: \(tpm.roots.count) roots, \(tpm.matchers.count) matchers, at least \(tpm.minimum.rawValue)")
        }
        return lines
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
