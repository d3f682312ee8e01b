#if Tools
import ArgumentParser

/// Simulates policies before they ship.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs millions of unlocks under a policy, with simulated people, and tells what it would lead to.",
        discussion: """
            The unlock flow and the ledgers are the real ones; people and sensors answer by chance, as a population file says. \
            docs/simulator.md explains the file, the figures and the limits. Build with -c release: a debug build is some twenty \
            times slower.
            """,
        subcommands: [SimulateRun.self, SimulateSensitivity.self, SimulateTune.self, SimulateFit.self, SimulatePopulation.self],
        defaultSubcommand: SimulateRun.self
    )
}
#endif
