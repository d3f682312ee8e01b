#if Server
package import ThumbturnCore

/// Which number of a population moves which figure: each is made a quarter larger and a quarter smaller, alone.
package struct Sensitivity: Sendable {
    /// What one number does.
    package struct Row: Sendable {
        /// The member's path in the file.
        package let path: String
        /// The change of each figure, from the smaller number to the larger one; nil where a figure was not counted.
        package let changes: [Double?]
    }

    /// The figures that are watched.
    package static let figures: [PolicyFigures.Figure] = [.completion, .pin, .fallback, .abandonment, .sensorP95, .p95]

    private let population: Population
    private let policy: UnlockPolicy
    private let sessions: Int
    private let seed: UInt64

    package init(of population: Population, under policy: UnlockPolicy, sessions: Int, seed: UInt64) {
        self.population = population
        self.policy = policy
        self.sessions = sessions
        self.seed = seed
    }

    /// Runs all of them, the numbers that move the figures most first.
    package func run(_ progress: @Sendable (Double) -> Void = { _ in }) async -> [Row] {
        var rows: [Row] = []
        for (done, parameter) in PopulationFit.Parameter.all.enumerated() {
            let value = parameter.get(population)
            var sides: [[Double?]] = []
            for factor in [0.75, 1.25] {
                var moved = population
                parameter.set(&moved, parameter.kind.within(value * factor))
                guard moved.problem == nil else { continue }
                let figures = await Simulation(of: moved, under: policy, sessions: sessions, seed: seed).run()
                sides.append(Self.figures.map { figures.estimate($0)?.value })
            }
            if sides.count == 2 {
                rows.append(
                    Row(
                        path: parameter.path,
                        changes: zip(sides[0], sides[1]).map { from, to in from.flatMap { from in to.map { $0 - from } } }))
            }
            progress(Double(done + 1) / Double(PopulationFit.Parameter.all.count))
        }
        // Shares count by their points and times by tenths of a second, so that one order serves both.
        func weight(_ row: Row) -> Double {
            zip(row.changes, Self.figures).map { change, figure in abs(change ?? 0) * (figure.unit == .share ? 100 : 10) }.max()
                ?? 0
        }
        return rows.sorted { (weight($0), $1.path) > (weight($1), $0.path) }
    }
}
#endif
