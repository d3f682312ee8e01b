#if Server
import ThumbturnCore

/// A person and their device: what they are like, and what is kept from one unlock to the next.
struct SimulatedPerson {
    /// The sensor's usual time to a verdict, with the person's own median.
    private(set) var answer: Times
    let mismatch: Double
    /// The probability that trouble begins at an unlock, where the last one had none.
    private let beginsTrouble: Double
    private let staysInTrouble: Double
    let knowsPIN: Bool
    let knowsPasscode: Bool

    /// The device's clock, which goes on between the unlocks.
    var now = Instant(sinceOrigin: .zero)
    /// What the flow has learned of the person's pace.
    var pace = Pace()
    /// The device's count of mismatches at the sensor.
    var sensor = SensorLedger()
    /// The device's count of wrong PINs.
    var pins = PINLedger()
    var isInTrouble = false

    init(_ number: Int, of population: Population, seed: UInt64) {
        var draws = Draws(seed: seed, person: number, session: 0)
        var place = draws.unit()
        let group = population.groups.first { group in
            place -= group.share
            return place < 0
        }
        let found = group ?? population.groups[population.groups.count - 1]
        answer = Times(median: found.answer.median * Arithmetic.exp(found.people * draws.normal()), spread: found.answer.spread)
        mismatch = found.mismatch
        staysInTrouble = found.staysInTrouble
        // So that the group's share of unlocks with trouble is as stated, however long it stays.
        beginsTrouble = found.trouble < 1 ? min(found.trouble * (1 - found.staysInTrouble) / (1 - found.trouble), 1) : 1
        isInTrouble = draws.chance(found.trouble)
        knowsPIN = !draws.chance(population.pin.forgotten)
        knowsPasscode = !draws.chance(population.passcode.forgotten)
    }

    /// From now on the sensor takes so many times as long.
    mutating func slowSensor(by factor: Double) {
        answer = Times(median: answer.median * factor, spread: answer.spread)
    }

    /// Some time later, at the next unlock.
    mutating func goOn(after time: Duration, _ draws: inout Draws) {
        now = now.advanced(by: time)
        isInTrouble = draws.chance(isInTrouble ? staysInTrouble : beginsTrouble)
    }
}
#endif
