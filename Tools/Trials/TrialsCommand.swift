#if Tools
import ArgumentParser

@main
struct TrialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn-trials",
        abstract: "Walks, attacks and measures Thumbturn, for developers and reviewers.",
        subcommands: [
            BenchCommand.self, WalkCommand.self, HostileServerCommand.self, HostileStoryCommand.self, TelemetryStoryCommand.self,
            FailoverCommand.self, MachineCommand.self,
        ]
    )
}
#else
import Foundation

@main
struct TrialsCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn-trials was built without the trait Tools. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
