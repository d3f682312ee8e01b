#if Server
import Foundation
import ThumbturnCore
package import ThumbturnTelemetry

/// The figures of several policies side by side, as text, as JSON and as charts. The same runs give the same bytes.
package struct SimulationReport: Sendable {
    private let population: Population
    private let fingerprint: String
    private let sessions: Int
    private let seed: UInt64
    private let policies: [(name: String, figures: PolicyFigures)]
    private let claims: [Article.Claim]

    /// - Parameters:
    ///   - fingerprint: the SHA-256 of the population's file.
    ///   - claims: the comparison with the article; empty where it was not made.
    package init(
        of population: Population, fingerprint: String, sessions: Int, seed: UInt64,
        _ policies: [(name: String, figures: PolicyFigures)],
        claims: [Article.Claim] = []
    ) {
        self.population = population
        self.fingerprint = fingerprint
        self.sessions = sessions
        self.seed = seed
        self.policies = policies
        self.claims = claims
    }

    // MARK: - Text

    package var text: String {
        var lines = [
            "\(Figures.grouped(policies.first?.figures.unlocks ?? 0)) unlocks of \(Figures.grouped(people)) people under each policy, "
                + "seed \(seed).",
            "Population \"\(population.name)\", SHA-256 \(fingerprint).",
            "Each figure has its 95 % interval; people differ more than unlocks, so it is told from groups of people.", "",
        ]
        lines += Columns.aligned(
            [["", ""] + policies.map(\.name)]
                + PolicyFigures.Figure.all.map { figure in
                    [figure.name, figure.meaning] + policies.map { Self.shown($0.figures.estimate(figure), figure.unit) }
                }, toTheLeft: 2)
        if policies.count > 1, let first = policies.first {
            lines += ["", "Difference from \"\(first.name)\", for the same people in the same troubles:"]
            let shown: [PolicyFigures.Figure] = [.completion, .pin, .fallback, .abandonment, .sensorP95, .p95]
            lines += Columns.aligned(
                shown.map { figure in
                    [figure.name]
                        + policies.dropFirst().map {
                            Self.shown($0.figures.difference(figure, from: first.figures), figure.unit, isDifference: true)
                        }
                })
        }
        let strangers = policies.reduce(0) { $0 + $1.figures.strangers }
        let strangersIn = policies.reduce(0) { $0 + $1.figures.strangersIn }
        lines += [
            "",
            "Another person held the device in \(Figures.grouped(strangers)) further unlocks, and got in \(strangersIn) times.",
        ]
        if !claims.isEmpty {
            lines += ["", "Beside the article, whose figures of the fixed prompt alone the population is fitted to:"]
            for claim in claims {
                lines += [
                    "  \(claim.isMet ? "met    " : "NOT MET") \(claim.claim)", "          here: \(claim.measured)",
                    "          \(claim.reason)",
                ]
            }
        }
        return lines.joined(separator: "\n")
    }

    private var people: Int { (sessions + population.sessionsPerPerson - 1) / population.sessionsPerPerson }

    private static func shown(
        _ estimate: PolicyFigures.Estimate?, _ unit: PolicyFigures.Figure.Unit, isDifference: Bool = false
    ) -> String {
        guard let estimate else { return Figures.none }
        let (factor, digits, suffix): (Double, Int, String) =
            switch unit {
            case .share: (100, 1, isDifference ? " points" : " %")
            case .seconds: (1, 2, " s")
            case .ratio, .number: (1, 2, "")
            }
        let half = estimate.bounds.map { " ± " + Figures.fixed(($0.upperBound - $0.lowerBound) / 2 * factor, digits) } ?? ""
        let sign = isDifference && estimate.value >= 0 ? "+" : ""
        return "\(sign)\(Figures.fixed(estimate.value * factor, digits))\(half)\(suffix)"
    }

    // MARK: - JSON

    /// One object: `population`, `sha256`, `sessions`, `seed`, `policies` with their `figures`, and `article`. Shares are 0 to 1, times
    /// seconds, rounded to six digits.
    package var json: [UInt8] {
        get throws {
            struct Value: Encodable {
                var value: Double
                var from: Double?
                var to: Double?
            }
            struct Policy: Encodable {
                var name: String
                var unlocks: Int
                var figures: [String: Value]
            }
            struct Claim: Encodable {
                var claim: String
                var measured: String
                var met: Bool
                var reason: String
            }
            struct Output: Encodable {
                var population: String
                var sha256: String
                var sessions: Int
                var seed: String
                var policies: [Policy]
                var article: [Claim]?
            }
            func rounded(_ value: Double) -> Double { (value * 1_000_000).rounded() / 1_000_000 }
            let output = Output(
                population: population.name.text, sha256: fingerprint, sessions: sessions, seed: "\(seed)",
                policies: policies.map { policy in
                    let values = PolicyFigures.Figure.all.compactMap { figure in
                        policy.figures.estimate(figure).map {
                            (
                                figure.name,
                                Value(
                                    value: rounded($0.value), from: $0.bounds.map { rounded($0.lowerBound) },
                                    to: $0.bounds.map { rounded($0.upperBound) })
                            )
                        }
                    }
                    return Policy(
                        name: policy.name, unlocks: policy.figures.unlocks, figures: Dictionary(uniqueKeysWithValues: values))
                },
                article: claims.isEmpty
                    ? nil : claims.map { Claim(claim: $0.claim, measured: $0.measured, met: $0.isMet, reason: $0.reason) })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(output))
        }
    }

    // MARK: - Charts

    /// The charts by the names of their files.
    package var charts: [(file: String, chart: Chart)] {
        let seconds = (0...160).map { Double($0) / 4 }
        let curves = policies.map { policy in
            Chart.Series(
                name: policy.name, points: zip(seconds, policy.figures.completion(by: seconds)).map { ($0, $1 * 100) },
                style: .steps)
        }
        return [
            (
                "completion.svg",
                Chart(
                    title: "Unlocks that succeeded, by time", xLabel: "seconds since the first prompt",
                    yLabel: "% of all unlocks", series: curves)
            )
        ]
    }
}
#endif
