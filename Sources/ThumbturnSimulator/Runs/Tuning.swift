#if Server
package import ThumbturnCore

/// Searches the values of a policy within safe bounds.
///
/// Only times, the first button and whether the pace is learned are varied. The ladder, the delays after mismatches, the limits and
/// the reuse of an unlock stay as the policy has them: no candidate is less safe than it.
package struct Tuning: Sendable {
    /// A policy that was tried.
    package struct Candidate: Sendable {
        package let policy: UnlockPolicy
        /// What differs from one candidate to the next, in words.
        package let name: String
        package let figures: PolicyFigures
        /// Whether the times are learned from the person's pace.
        package let isLearned: Bool
    }

    /// What is to be as good as possible.
    package enum Objective: String, CaseIterable, Sendable {
        case p95 = "any_p95"
        case sensorP95 = "biometric_p95"
        case completion
        case fallback
        case abandonment

        package var figure: PolicyFigures.Figure {
            switch self {
            case .p95: .p95
            case .sensorP95: .sensorP95
            case .completion: .completion
            case .fallback: .fallback
            case .abandonment: .abandonment
            }
        }

        /// Smaller is better.
        func cost(_ figures: PolicyFigures) -> Double {
            guard let value = figures.estimate(figure)?.value else { return .infinity }
            return self == .completion ? -value : value
        }
    }

    private let population: Population
    private let policy: UnlockPolicy
    private let sessions: Int
    private let seed: UInt64

    package init(of population: Population, from policy: UnlockPolicy, sessions: Int, seed: UInt64) {
        self.population = population
        self.policy = policy
        self.sessions = sessions
        self.seed = seed
    }

    /// The times of the hint and of the fallback that are tried, in seconds.
    private static let times: [(hint: Int, fallback: Int)] = [
        (3, 5), (4, 6), (4, 8), (5, 8), (6, 8), (5, 10), (6, 10), (8, 10), (6, 12), (8, 12), (10, 12), (8, 16), (12, 16),
        (10, 20), (15, 20),
        (20, 30),
    ]

    /// Every sound candidate.
    package var policies: [(name: String, policy: UnlockPolicy, isLearned: Bool)] {
        Self.times.flatMap { time in
            [UnlockPolicy.FirstButton.cancel, .nextRung].flatMap { button in
                [false, true].map { isLearned in
                    var candidate = policy
                    (candidate.hintAfter, candidate.fallbackAfter) = (.seconds(time.hint), .seconds(time.fallback))
                    candidate.earliestHint = isLearned ? candidate.hintAfter / 2 : candidate.hintAfter
                    candidate.earliestFallback =
                        isLearned ? max(candidate.fallbackAfter * 2 / 3, candidate.earliestHint) : candidate.fallbackAfter
                    candidate.retryWindow = min(policy.retryWindow, candidate.fallbackAfter)
                    candidate.retryLimit = min(policy.retryLimit, candidate.fallbackAfter)
                    candidate.firstButton = button
                    let name =
                        "hint \(time.hint) s, fallback \(time.fallback) s, button \(button)\(isLearned ? ", learned pace" : "")"
                    return (name, candidate, isLearned)
                }
            }
        }.filter { $0.policy.problem == nil }
    }

    /// Tries every candidate.
    package func run(_ progress: @Sendable (Double) -> Void = { _ in }) async -> [Candidate] {
        var candidates: [Candidate] = []
        let all = policies
        for (name, policy, isLearned) in all {
            let figures = await Simulation(of: population, under: policy, sessions: sessions, seed: seed).run()
            candidates.append(Candidate(policy: policy, name: name, figures: figures, isLearned: isLearned))
            progress(Double(candidates.count) / Double(all.count))
        }
        return candidates
    }

    /// The policy to begin from, as it is.
    package func given() async -> Candidate {
        let figures = await Simulation(of: population, under: policy, sessions: sessions, seed: seed).run()
        return Candidate(policy: policy, name: "the policy given", figures: figures, isLearned: false)
    }

    /// The best candidate whose figures keep below the limits; of equal ones the first.
    package static func best(
        _ candidates: [Candidate], by objective: Objective, within limits: [(figure: PolicyFigures.Figure, most: Double)]
    ) -> Candidate? {
        candidates.filter { candidate in
            limits.allSatisfy { (candidate.figures.estimate($0.figure)?.value ?? .infinity) <= $0.most }
        }.min { objective.cost($0.figures) < objective.cost($1.figures) }
    }

    /// The candidates than which no other has both fewer fallbacks and a shorter P95, from few fallbacks to many.
    package static func front(_ candidates: [Candidate]) -> [Candidate] {
        let points = candidates.map { ($0, Objective.fallback.cost($0.figures), Objective.p95.cost($0.figures)) }
        return points.filter { _, fallback, time in
            !points.contains { $1 <= fallback && $2 <= time && ($1 < fallback || $2 < time) }
        }.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    /// Compares each learned pace with the fixed phases that it begins from.
    ///
    /// - Returns: for each pair the names, and how P95 of any success and the share of fallbacks differ, with intervals.
    package static func learnedPace(_ candidates: [Candidate]) -> [Pair] {
        candidates.filter(\.isLearned).compactMap { learned in
            let fixed = candidates.first { other in
                !other.isLearned && other.policy.hintAfter == learned.policy.hintAfter
                    && other.policy.fallbackAfter == learned.policy.fallbackAfter
                    && other.policy.firstButton == learned.policy.firstButton
            }
            guard let fixed, let time = learned.figures.difference(.p95, from: fixed.figures),
                let fallback = learned.figures.difference(.fallback, from: fixed.figures)
            else { return nil }
            return Pair(name: fixed.name, time: time, fallback: fallback)
        }
    }

    /// A learned pace beside the fixed phases.
    package struct Pair: Sendable {
        package let name: String
        /// How much longer or shorter P95 of any success is, in seconds.
        package let time: PolicyFigures.Estimate
        /// How many more or fewer unlocks fall back, as a share.
        package let fallback: PolicyFigures.Estimate

        /// Whether the learned pace is quicker, and does not fall back more often: both beyond chance.
        package var isBetter: Bool { (time.bounds?.upperBound ?? 1) < 0 && (fallback.bounds?.upperBound ?? 1) <= 0 }
    }
}
#endif
