#if Tools
import ArgumentParser

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures, and prints what this machine does at best beside it.",
        subcommands: [BenchSignIn.self, BenchRefresh.self, BenchApprove.self, BenchStore.self, BenchFlow.self]
    )
}
#endif
