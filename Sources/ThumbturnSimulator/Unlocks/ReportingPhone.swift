#if Server
package import ThumbturnCore

/// A simulated person with their phone, and the events that the phone would report of each unlock.
package struct ReportingPhone: Sendable {
    private let number: Int
    private let population: Population
    private let policy: UnlockPolicy
    private let seed: UInt64
    private var person: SimulatedPerson
    private var session = 0

    /// - Parameter number: which person of the population. The same one with the same seed does the same.
    package init(_ number: Int, of population: Population, under policy: UnlockPolicy, seed: UInt64) {
        self.number = number
        self.population = population
        self.policy = policy
        self.seed = seed
        person = SimulatedPerson(number, of: population, seed: seed)
    }

    /// From now on the sensor takes so many times as long to its verdict.
    package mutating func slowSensor(by factor: Double) { person.slowSensor(by: factor) }

    /// Unlocks once more, some time after the last unlock.
    ///
    /// - Returns: the events of each flow: of more than one where the person began anew after a cancel.
    package mutating func unlock() -> [[Telemetry]] {
        session += 1
        let unlock = SimulatedUnlock.run(
            session, of: number, person, under: policy, in: population, seed: seed, keepsEvents: true)
        person = unlock.person
        return unlock.events ?? []
    }
}
#endif
