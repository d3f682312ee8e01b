#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnSimulator
import ThumbturnTelemetry

extension Tuning.Objective: ExpressibleByArgument {}

struct SimulateTune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune", abstract: "Searches the times of a policy within safe bounds, and draws the trade-off.",
        discussion: """
            Varied are the times of the hint and of the fallback, the first button, and whether the pace is learned. The ladder, the \
            delays after mismatches and every limit stay as the policy has them. Whether the learned pace beats the fixed phases is told \
            pair by pair. At most 100000 unlocks are run under each policy.
            """)

    @Option(help: "What is to be as good as possible: any_p95, biometric_p95, completion, fallback or abandonment.")
    var objective = Tuning.Objective.p95

    @Option(help: "The largest value of a figure, for example fallback=0.15. May be given several times.")
    var atMost: [String] = []

    @OptionGroup var policy: PolicyOption

    @OptionGroup var options: SimulationOptions

    @Option(help: "A folder for the chart of the trade-off, as an SVG file.", completion: .directory)
    var plot: String?

    func run() async throws {
        let limits = try atMost.map { text in
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let most = Double(parts[1]),
                let figure = PolicyFigures.Figure.all.first(where: { $0.name == parts[0] })
            else {
                let names = PolicyFigures.Figure.all.map(\.name).joined(separator: ", ")
                throw ValidationError(
                    "--at-most is FIGURE=VALUE, for example fallback=0.15, and was \(text). The figures are \(names); shares are 0 to 1, "
                        + "and times are seconds.")
            }
            return (figure: figure, most: most)
        }
        let (population, _) = try options.readPopulation()
        let start = try policy.read()
        let tuning = Tuning(of: population, from: start, sessions: min(options.sessions, 100_000), seed: options.seed)
        let candidates = await tuning.run(SimulationOptions.progress("tune"))

        func row(_ candidate: Tuning.Candidate) -> [String] {
            [candidate.name]
                + [PolicyFigures.Figure.p95, .sensorP95, .fallback, .completion].map { figure in
                    guard let value = candidate.figures.estimate(figure)?.value else { return Figures.none }
                    return figure.unit == .share ? "\(Figures.fixed(value * 100, 1)) %" : "\(Figures.fixed(value, 2)) s"
                }
        }
        let heading = ["", "any_p95", "biometric_p95", "fallback", "completion"]
        print("\(candidates.count) policies tried. Those that no other beats in both P95 and fallback:")
        let front = Tuning.front(candidates)
        Columns.aligned([heading] + front.map(row)).forEach { print($0) }
        print("\nLearned pace beside the fixed phases that it begins from:")
        let pairs = Tuning.learnedPace(candidates)
        for pair in pairs { print("  \(pair.sentence)") }
        let better = pairs.count(where: \.isBetter)
        print(
            "  It is quicker without more fallback in \(better) of \(pairs.count) pairs\(better == 0 ? ": it does NOT beat the fixed phases" : "")."
        )
        if let plot {
            let points: ([Tuning.Candidate]) -> [(x: Double, y: Double)] = { some in
                some.map { (($0.figures.estimate(.fallback)?.value ?? .nan) * 100, $0.figures.estimate(.p95)?.value ?? .nan) }
            }
            let chart = Chart(
                title: "P95 and fallback", xLabel: "% of unlocks that fall back", yLabel: "P95 of any success, in seconds",
                series: [
                    .init(name: "fixed phases", points: points(candidates.filter { !$0.isLearned }), style: .points),
                    .init(name: "learned pace", points: points(candidates.filter(\.isLearned)), style: .points),
                    .init(name: "front", points: points(front), style: .line),
                ])
            try Charts.write([("trade-off.svg", chart)], to: plot)
        }
        guard let best = Tuning.best(candidates, by: objective, within: limits) else {
            FileHandle.standardError.write(Data("thumbturn: no policy keeps these limits. Raise one of --at-most.\n".utf8))
            throw ExitCode(1)
        }
        print("\nBest by \(objective.rawValue):")
        Columns.aligned([heading, row(await tuning.given()), row(best)]).forEach { print($0) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(best.policy), as: UTF8.self))
    }
}

extension Tuning.Pair {
    fileprivate var sentence: String {
        func shown(_ estimate: PolicyFigures.Estimate, _ factor: Double, _ unit: String) -> String {
            let half = estimate.bounds.map { " ± " + Figures.fixed(($0.upperBound - $0.lowerBound) / 2 * factor, 2) } ?? ""
            return "\(estimate.value >= 0 ? "+" : "")\(Figures.fixed(estimate.value * factor, 2))\(half) \(unit)"
        }
        return "\(name): P95 \(shown(time, 1, "s")), fallback \(shown(fallback, 100, "points"))\(isBetter ? ": better" : "")"
    }
}
#endif
