#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnSimulator

struct SimulateRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Compares policies: time to authenticate, fallback, abandonment and completion, with intervals.",
        discussion: """
            Without --policy it compares a fixed prompt of 30 s with the adaptive numbers of the library, and both with the published figures of \
            one app that changed from the one to the other. Exit status 64: a file cannot be used; the message names the member.
            """
    )

    @Option(help: "A policy file, or the name of a preset. May be given several times.", completion: .file(extensions: ["json"]))
    var policy: [String] = []

    @OptionGroup var options: SimulationOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(help: "A folder for the charts, as SVG files.", completion: .directory)
    var plot: String?

    func run() async throws {
        let (population, fingerprint) = try options.readPopulation()
        let comparesArticle = policy.isEmpty
        let policies = comparesArticle ? [Article.fixedPrompt, Article.adaptive] : try policy.map(PolicyOption.read)
        var results: [(name: String, figures: PolicyFigures)] = []
        for (place, policy) in policies.enumerated() {
            var name = policy.name?.text ?? "policy \(place + 1)"
            if results.contains(where: { $0.name == name }) { name += " (\(place + 1))" }
            let simulation = Simulation(of: population, under: policy, sessions: options.sessions, seed: options.seed)
            results.append((name, await simulation.run(SimulationOptions.progress(name))))
        }
        let report = SimulationReport(
            of: population, fingerprint: fingerprint, sessions: options.sessions, seed: options.seed, results,
            claims: comparesArticle ? Article.claims(results[0].figures, results[1].figures) : [])
        print(json ? String(decoding: try report.json, as: UTF8.self) : report.text)
        if let plot {
            try Charts.write(report.charts, to: plot)
        }
    }
}
#endif
