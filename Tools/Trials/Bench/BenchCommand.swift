#if Tools
import ArgumentParser

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures performance and compares it with the limit of this machine.",
        subcommands: [
            BenchSignIn.self, BenchAccounts.self, BenchRefresh.self, BenchApprove.self, BenchHostile.self, BenchStore.self,
            BenchFlow.self, BenchEvidence.self, BenchTelemetry.self, BenchAggregation.self, BenchNeutral.self,
        ]
    )
}
#endif
