#if Tools
import ArgumentParser

struct WalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Tries everything in every order, by rules that are written without the code that they judge.",
        subcommands: [ServerWalkCommand.self, FlowWalkCommand.self]
    )
}
#endif
