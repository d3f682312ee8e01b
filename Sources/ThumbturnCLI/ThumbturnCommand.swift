#if Tools
import ArgumentParser

@main
struct ThumbturnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn",
        abstract: "A device in the terminal, and a place to try things out.",
        discussion: """
            Exit status: 0 done, 1 it did not work, 64 another usage, 69 the server does not answer, 75 cancelled or for later, \
            77 refused: sign in or enrol again.
            """,
        subcommands: [
            DeviceCommand.self, DoctorCommand.self, LabCommand.self, FlowCommand.self, BenchCommand.self, VerifyCommand.self,
        ]
    )
}
#else
import Foundation

@main
struct ThumbturnCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn was built without its trait. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
