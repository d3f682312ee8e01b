#if Tools
import ArgumentParser

@main
struct ThumbturnServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn-server",
        abstract: "Verifies device keys and issues tokens bound to them.",
        discussion: """
            Exit status: 0 success, 1 failure (the reason is on standard error), 64 usage.
            """,
        subcommands: [
            Serve.self, Accounts.self, Clients.self, Config.self, Keys.self, Evidence.self, MasterKeys.self, Audit.self,
            TelemetryCommand.self, Report.self, Backup.self, Restore.self, NewEpoch.self, Time.self,
        ]
    )
}
#else
import Foundation

@main
struct ThumbturnServerCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn-server was built without the trait Tools. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
