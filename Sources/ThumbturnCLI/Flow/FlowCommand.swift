#if Tools
import ArgumentParser

struct FlowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow",
        abstract: "Runs the unlock flow without a device.",
        subcommands: [FlowRun.self]
    )
}
#endif
