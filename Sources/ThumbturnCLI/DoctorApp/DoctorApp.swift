#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands

struct DoctorApp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Checks an app for Apple's systems: its Info.plist, its entitlements and its privacy manifest.",
        discussion: """
            The path is a built app (.app), an archive (.xcarchive), a project (.xcodeproj), or a folder with sources. \
            Of a built app it reads the entitlements in the code signature, or in the provisioning profile. It runs on every \
            system, opens no connection, and verifies no signature. The settings of .xcconfig files are not read.

            Exit status: 0 nothing is missing, 1 something is.
            """
    )

    @Argument(help: "The path of the app, the archive, the project or the folder.")
    var path: String

    @Option(help: "The redirect that is registered at the app's own provider, such as com.example.app:/signed-in.")
    var redirect: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        var address: URL?
        if let redirect {
            address = URL(string: redirect)
            guard address?.scheme != nil else {
                throw ValidationError("--redirect must be an address, for example com.example.app:/signed-in.")
            }
        }
        // A link that the person names is followed; those within the app are not.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let findings = AppExamination(path: path, redirect: address).findings()
        if output.json {
            try output.report("", findings)
        } else {
            for finding in findings { print(finding.text) }
        }
        if findings.contains(where: { $0.state == .trouble }) { throw ExitCode(1) }
    }
}
#endif
