#if Tools
import ArgumentParser
import ThumbturnSimulator

struct SimulatePopulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "population", abstract: "Prints the built-in population, to begin one's own file with.")

    func run() { print(String(decoding: Population.defaultFile, as: UTF8.self), terminator: "") }
}
#endif
