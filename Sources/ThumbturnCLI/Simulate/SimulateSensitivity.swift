#if Tools
import ArgumentParser
import ThumbturnCore
import ThumbturnSimulator
import ThumbturnTelemetry

struct SimulateSensitivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensitivity", abstract: "Tells which number of the population moves which figure.",
        discussion:
            "Each number is made a quarter smaller and a quarter larger, alone; a column has the change from the one to the other. At most 100000 unlocks are run for each."
    )

    @OptionGroup var policy: PolicyOption

    @OptionGroup var options: SimulationOptions

    func run() async throws {
        let (population, _) = try options.readPopulation()
        let policy = try self.policy.read()
        let run = Sensitivity(of: population, under: policy, sessions: min(options.sessions, 100_000), seed: options.seed)
        let rows = await run.run(SimulationOptions.progress("sensitivity"))
        let shown = rows.map { row in
            [row.path]
                + zip(row.changes, Sensitivity.figures).map { change, figure in
                    guard let change else { return Figures.none }
                    let sign = change >= 0 ? "+" : ""
                    return figure.unit == .share
                        ? "\(sign)\(Figures.fixed(change * 100, 2)) points" : "\(sign)\(Figures.fixed(change, 2)) s"
                }
        }
        Columns.aligned([["25 % smaller to 25 % larger"] + Sensitivity.figures.map(\.name)] + shown).forEach {
            print($0)
        }
    }
}
#endif
