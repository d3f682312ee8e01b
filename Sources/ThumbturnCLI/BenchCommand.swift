#if Tools
import ArgumentParser
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures, and prints what this machine could do at best.",
        subcommands: []
    )
}
#endif
