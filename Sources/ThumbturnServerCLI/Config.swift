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
            if EvidencePolicy.isNamed(inFile: file) {
                for line in try EvidencePolicy(file: file).summary { print(line) }
                return
            }
            if UnlockPolicies.isNamed(inFile: file) {
                let policies = try UnlockPolicies(file: file)
                for warning in policies.warnings {
                    FileHandle.standardError.write(Data("warning: \(file): \(warning)\n".utf8))
                }
                for line in policies.summary { print(line) }
                return
            }
            if let format = PolicyFileFormat.read(fromFile: file), format != StepUpTable.format {
                throw UnknownFormat(file: file, format: format)
            }
            let table = try StepUpTable(file: file)
            for warning in table.warnings {
                FileHandle.standardError.write(Data("warning: \(file): \(warning)\n".utf8))
            }
            for (name, rule) in table.actions.sorted(by: { $0.key < $1.key }) { print("\(name): \(rule.summary)") }
        }
    }
}

/// A file names a format that no option of `serve` takes.
private struct UnknownFormat: Error, CustomStringConvertible {
    let file: String
    let format: String

    var description: String {
        """
        \(file): format: is "\(format)", which the server does not know. It is thumbturn-policy/1, thumbturn-evidence/1 or \
        thumbturn-unlock-policies/1.
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
