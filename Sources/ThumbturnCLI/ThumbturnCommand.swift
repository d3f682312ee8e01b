#if Tools
import ArgumentParser

@main
struct ThumbturnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn",
        abstract: "Acts as a device, examines machines and apps, verifies proofs and evidence, and simulates policies.",
        discussion: """
            Exit status: 0 success, 1 it did not work, 64 usage, 69 the server does not answer, 75 cancelled or to be repeated \
            later, 77 refused: sign in or enrol again.
            """,
        subcommands: [
            DeviceCommand.self, DoctorCommand.self, LabCommand.self, FlowCommand.self, VerifyCommand.self, SimulateCommand.self,
        ]
    )
}
#else
import Foundation

@main
struct ThumbturnCommand {
    static func main() {
        FileHandle.standardError.write(
            Data("thumbturn was built without the trait Tools. Build it with: swift build --traits Tools\n".utf8))
        exit(64)
    }
}
#endif
