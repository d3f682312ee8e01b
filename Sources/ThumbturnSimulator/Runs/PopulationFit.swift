#if Server
package import ThumbturnCore

/// Fits some numbers of a population to figures that were seen under one policy.
///
/// Nelder and Mead's search (1965) over numbers that are moved to where every value is allowed: shares by their log odds, times by
/// their logarithm. All tries meet the same people, so the search sees no noise, and the same input gives the same result.
package struct PopulationFit: Sendable {
    /// A figure that was seen.
    package struct Target: Sendable {
        package let figure: PolicyFigures.Figure
        package let value: Double

        package init(_ figure: PolicyFigures.Figure, _ value: Double) {
            self.figure = figure
            self.value = value
        }
    }

    /// A number of the population that the fit may change.
    package struct Parameter: Sendable {
        /// The member's path in the file.
        package let path: String
        let kind: Kind
        let get: @Sendable (Population) -> Double
        let set: @Sendable (inout Population, Double) -> Void

        enum Kind: Sendable { case share, time, spread }
    }

    /// The policy under which the figures were seen.
    package let policy: UnlockPolicy
    package let targets: [Target]
    package let parameters: [Parameter]
    /// The unlocks of each try.
    package let sessions: Int
    package let seed: UInt64

    package init(to targets: [Target], under policy: UnlockPolicy, moving parameters: [Parameter], sessions: Int, seed: UInt64) {
        self.policy = policy
        self.targets = targets
        self.parameters = parameters
        self.sessions = sessions
        self.seed = seed
    }

    /// What a fit found.
    package struct Result: Sendable {
        package let population: Population
        /// The figures under the policy, in the order of the targets.
        package let figures: [Double?]
        /// The largest relative difference from a target.
        package let worst: Double
        package let tries: Int
    }

    /// Searches from a population on.
    ///
    /// - Parameter progress: hears the number of tries and the largest relative difference so far.
    package func run(
        from start: Population, mostTries: Int = 400, _ progress: @Sendable (Int, Double) -> Void = { _, _ in }
    ) async -> Result {
        var tries = 0
        func evaluated(_ point: [Double]) async -> Vertex {
            tries += 1
            let (population, figures) = await figures(at: point, from: start)
            let differences = zip(figures, targets).map { figure, target in
                figure.map { abs($0 - target.value) / target.value } ?? 1
            }
            return Vertex(
                point: point, loss: differences.reduce(0) { $0 + $1 * $1 }, worst: differences.max() ?? 0, population: population,
                figures: figures)
        }
        let origin = parameters.map { $0.kind.free($0.get(start)) }
        var simplex = [await evaluated(origin)]
        for index in origin.indices {
            var point = origin
            point[index] += 0.4
            simplex.append(await evaluated(point))
        }
        while tries < mostTries {
            simplex.sort { $0.loss < $1.loss }
            progress(tries, simplex[0].worst)
            let (best, last) = (simplex[0], simplex[simplex.count - 1])
            if best.worst < 0.002 || last.loss - best.loss < 1e-9 { break }
            let centre = origin.indices.map { index in
                simplex.dropLast().reduce(0) { $0 + $1.point[index] } / Double(simplex.count - 1)
            }
            func beyond(_ factor: Double) -> [Double] { zip(centre, last.point).map { $0 + factor * ($0 - $1) } }
            let reflected = await evaluated(beyond(1))
            if reflected.loss < best.loss {
                let expanded = await evaluated(beyond(2))
                simplex[simplex.count - 1] = expanded.loss < reflected.loss ? expanded : reflected
            } else if reflected.loss < simplex[simplex.count - 2].loss {
                simplex[simplex.count - 1] = reflected
            } else {
                let contracted = await evaluated(beyond(reflected.loss < last.loss ? 0.5 : -0.5))
                if contracted.loss < min(reflected.loss, last.loss) {
                    simplex[simplex.count - 1] = contracted
                } else {
                    for index in simplex.indices.dropFirst() {
                        simplex[index] = await evaluated(zip(best.point, simplex[index].point).map { ($0 + $1) / 2 })
                    }
                }
            }
        }
        simplex.sort { $0.loss < $1.loss }
        return Result(population: simplex[0].population, figures: simplex[0].figures, worst: simplex[0].worst, tries: tries)
    }

    private struct Vertex {
        let point: [Double]
        let loss: Double
        let worst: Double
        let population: Population
        let figures: [Double?]
    }

    private func figures(at point: [Double], from start: Population) async -> (Population, [Double?]) {
        var population = start
        for (parameter, value) in zip(parameters, point) { parameter.set(&population, parameter.kind.bound(value)) }
        let figures = await Simulation(of: population, under: policy, sessions: sessions, seed: seed).run()
        return (population, targets.map { figures.estimate($0.figure)?.value })
    }
}

extension PopulationFit.Parameter.Kind {
    /// The number where every value is allowed.
    func free(_ value: Double) -> Double {
        switch self {
        case .share:
            let inside = min(max(value, 0.0005), 0.9995)
            return Arithmetic.log(inside / (1 - inside))
        case .time, .spread: return Arithmetic.log(max(value, 0.01))
        }
    }

    /// The number again, rounded to four digits, so that a file tells it whole.
    func bound(_ value: Double) -> Double {
        switch self {
        case .share: (10_000 / (1 + Arithmetic.exp(-value))).rounded() / 10_000
        case .time: min(Arithmetic.exp(value), 3_600_000).rounded()
        case .spread: (min(Arithmetic.exp(value), 3) * 10_000).rounded() / 10_000
        }
    }

    /// The nearest number that the population allows.
    func within(_ value: Double) -> Double {
        switch self {
        case .share: min(max(value, 0), 1)
        case .time: min(max(value, 1), 3_600_000_000)
        case .spread: min(max(value, 0), 3)
        }
    }
}

// MARK: - The numbers that a fit may change

extension PopulationFit.Parameter {
    private init(_ path: String, _ kind: Kind, _ member: any WritableKeyPath<Population, Double> & Sendable) {
        self.init(path: path, kind: kind, get: { $0[keyPath: member] }, set: { $0[keyPath: member] = $1 })
    }

    /// How often the sensor has trouble: of all groups, in the proportion that they have.
    package static let trouble = Self(
        path: "groups[].trouble", kind: .share, get: { $0.meanTrouble },
        set: { population, mean in
            let factor = mean / max(population.meanTrouble, 0.0001)
            for index in population.groups.indices {
                population.groups[index].trouble = min(
                    (population.groups[index].trouble * factor * 10_000).rounded() / 10_000, 0.9)
            }
        })
    package static let troubleTime = Self("trouble.answer.median", .time, \.trouble.answer.median)
    package static let troubleSpread = Self("trouble.answer.spread", .spread, \.trouble.answer.spread)
    package static let silent = Self("trouble.silent", .share, \.trouble.silent)
    package static let patience = Self("patience.median", .time, \.patience.median)
    package static let leavesAtTimeout = Self("choices.leaves_at_timeout", .share, \.choices.leavesAtTimeout)
    package static let otherWayAtOnce = Self("choices.other_way_at_once", .share, \.choices.otherWayAtOnce)
    /// Of the people who press "Cancel" and stay, how many choose another way.
    package static let otherWayAfterCancel = Self(
        path: "choices.other_way_after_cancel", kind: .share,
        get: { $0.choices.otherWayAfterCancel / max(1 - $0.choices.leavesAfterCancel, 0.0001) },
        set: { population, share in
            let rest = 1 - population.choices.leavesAfterCancel
            population.choices.otherWayAfterCancel = (share * rest * 10_000).rounded(.down) / 10_000
        })
    package static let leavesAfterCancel = Self(
        path: "choices.leaves_after_cancel", kind: .share, get: { $0.choices.leavesAfterCancel },
        set: { population, share in
            let of = population.choices.otherWayAfterCancel / max(1 - population.choices.leavesAfterCancel, 0.0001)
            population.choices.leavesAfterCancel = share
            population.choices.otherWayAfterCancel = (of * (1 - share) * 10_000).rounded(.down) / 10_000
        })
    /// The time of a verdict without trouble: of all groups, in the proportion that they have.
    package static let answerTime = Self(
        path: "groups[].answer.median", kind: .time, get: { $0.groups[0].answer.median },
        set: { population, median in
            let factor = median / population.groups[0].answer.median
            for index in population.groups.indices {
                population.groups[index].answer.median = (population.groups[index].answer.median * factor).rounded()
            }
        })

    /// A share of every group, moved by the same factor.
    private static func ofGroups(
        _ path: String, _ kind: Kind, _ member: any WritableKeyPath<Population.Group, Double> & Sendable
    ) -> Self {
        Self(
            path: "groups[].\(path)", kind: kind, get: { $0.groups[0][keyPath: member] },
            set: { population, value in
                let first = population.groups[0][keyPath: member]
                guard first > 0 else { return }
                for index in population.groups.indices {
                    population.groups[index][keyPath: member] = kind.within(
                        population.groups[index][keyPath: member] * (value / first))
                }
            })
    }

    package static let mismatch = ofGroups("mismatch", .share, \.mismatch)

    /// Every number of the population that can be moved alone.
    package static let all: [Self] = [
        .answerTime, .ofGroups("answer.spread", .spread, \.answer.spread), .ofGroups("people", .spread, \.people),
        .mismatch, .trouble, .ofGroups("stays_in_trouble", .share, \.staysInTrouble), .silent,
        .troubleTime, .troubleSpread, Self("trouble.mismatch", .share, \.trouble.mismatch), .patience,
        Self("patience.spread", .spread, \.patience.spread), .leavesAfterCancel, .otherWayAfterCancel, .leavesAtTimeout,
        Self("choices.leaves_after_mismatches", .share, \.choices.leavesAfterMismatches), .otherWayAtOnce,
        Self("choices.other_way_after_mismatch", .share, \.choices.otherWayAfterMismatch),
        Self("hint.taken", .share, \.hint.taken),
        Self("hint.reaction.median", .time, \.hint.reaction.median), Self("pin.time.median", .time, \.pin.time.median),
        Self("pin.wrong", .share, \.pin.wrong), Self("pin.forgotten", .share, \.pin.forgotten),
        Self("sign_in.time.median", .time, \.signIn.time.median), Self("sign_in.given_up", .share, \.signIn.givenUp),
        Self("between.median", .time, \.between.median),
    ]
}

extension Population {
    fileprivate var meanTrouble: Double { groups.reduce(0) { $0 + $1.share * $1.trouble } }
}
#endif
