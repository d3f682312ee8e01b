#if Server
package import ThumbturnCore

/// Many unlocks of many people under one policy.
///
/// The same population, policy, number of sessions and seed give the same figures on any machine, with any number of threads. Two
/// policies with one seed meet the same people in the same troubles.
package struct Simulation: Sendable {
    package let population: Population
    package let policy: UnlockPolicy
    /// Rounded up to whole people.
    package let sessions: Int
    package let seed: UInt64

    package init(of population: Population, under policy: UnlockPolicy, sessions: Int, seed: UInt64) {
        self.population = population
        self.policy = policy
        self.sessions = sessions
        self.seed = seed
    }

    /// The groups of people into which a run is divided, so that intervals can be told from how these differ.
    static let mostBlocks = 50

    private var people: Int { max((sessions + population.sessionsPerPerson - 1) / population.sessionsPerPerson, 1) }

    /// Runs the unlocks on several threads.
    ///
    /// - Parameter progress: hears the share that is done, in the order in which parts are.
    package func run(_ progress: @escaping @Sendable (Double) -> Void = { _ in }) async -> PolicyFigures {
        let blocks = min(Self.mostBlocks, people)
        let tallies = await withTaskGroup(of: (Int, Tally).self) { group in
            for block in 0..<blocks { group.addTask { (block, tally(ofBlock: block, of: blocks)) } }
            var tallies = [Tally](repeating: Tally(), count: blocks)
            var done = 0
            for await (block, tally) in group {
                tallies[block] = tally
                done += 1
                progress(Double(done) / Double(blocks))
            }
            return tallies
        }
        return PolicyFigures(tallies)
    }

    private func tally(ofBlock block: Int, of blocks: Int) -> Tally {
        var tally = Tally()
        for number in stride(from: block, to: people, by: blocks) {
            var person = SimulatedPerson(number, of: population, seed: seed)
            for session in 1...population.sessionsPerPerson {
                let unlock = SimulatedUnlock.run(
                    session, of: number, person, under: policy, in: population, seed: seed)
                tally.add(unlock.outcome)
                person = unlock.person
            }
        }
        return tally
    }
}
#endif
