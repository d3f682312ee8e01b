#if Tools
import ArgumentParser

struct FlowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow",
        abstract: "Runs the unlock flow and the app lock without a device.",
        subcommands: [FlowRun.self, FlowWalkCommand.self]
    )
}
#endif
