#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnSimulator
import ThumbturnTelemetry

struct SimulateFit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fit", abstract: "Fits a population to a deployment's own report.",
        discussion: """
            Reads what `thumbturn-server report --json` printed, and moves some numbers of the population until a simulation under the \
            same policy has the report's figures. It prints the population, and beside it on the terminal how close it came. With \
            `article` in the place of the report it is the fit behind the built-in population. At most 40000 unlocks are run for each try.
            """)

    @Argument(help: "The report, or `article`.", completion: .file(extensions: ["json"]))
    var report: String

    @Option(help: "The row of the report. Without it the total.")
    var row: String?

    @OptionGroup var policy: PolicyOption

    @OptionGroup var options: SimulationOptions

    func run() async throws {
        let (start, _) = try options.readPopulation()
        let sessions = min(options.sessions, 40_000)
        let fit: PopulationFit
        if report == "article" {
            fit = PopulationFit(
                to: Article.seen, under: Article.fixedPrompt, moving: Article.moved, sessions: sessions, seed: options.seed)
        } else {
            let targets = PopulationFit.targets(in: try readRow())
            guard targets.count > 1 else {
                throw SimulationOptions.unusable(report, because: "the row has too few figures to fit to")
            }
            fit = PopulationFit(
                to: targets, under: try policy.read(),
                moving: Array(PopulationFit.movedByReport.prefix(targets.count)), sessions: sessions, seed: options.seed)
        }
        let result = await fit.run(from: start) { tries, worst in
            guard isatty(STDERR_FILENO) == 1 else { return }
            tell("\r\(tries) tries, largest difference \(Figures.fixed(worst * 100, 1)) % ", end: "")
        }
        tell("\nafter \(result.tries) tries:")
        for (target, figure) in zip(fit.targets, result.figures) {
            tell(
                "  \(target.figure.name): \(Figures.fixed(target.value, 4)) seen, \(figure.map { Figures.fixed($0, 4) } ?? Figures.none) here"
            )
        }
        if result.worst > 0.1 {
            tell(
                "The largest difference is \(Figures.fixed(result.worst * 100, 0)) %: no people of this kind have these figures. Change the other "
                    + "numbers of the file, and give it with --population.")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(result.population), as: UTF8.self))
    }

    private func readRow() throws -> TelemetryDocument.Row {
        let document: TelemetryDocument
        do {
            document = try JSONDecoder().decode(TelemetryDocument.self, from: Data(SimulationOptions.read(report)))
        } catch let error as DecodingError {
            throw SimulationOptions.unusable(report, because: "\(JSONError(error))")
        }
        guard let name = row else {
            guard let total = document.total else {
                throw SimulationOptions.unusable(
                    report, because: "everything in it is withheld, because too few devices reported")
            }
            return total
        }
        guard let row = document.rows.first(where: { $0.value == name }) else {
            let names = document.rows.map(\.value).joined(separator: ", ")
            throw SimulationOptions.unusable(report, because: "it has no row \"\(name)\". Its rows: \(names)")
        }
        return row
    }

    private func tell(_ text: String, end: String = "\n") { FileHandle.standardError.write(Data((text + end).utf8)) }
}
#endif
