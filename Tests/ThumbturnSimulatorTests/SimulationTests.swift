#if Server
import Foundation
import Testing
import ThumbturnCore
import ThumbturnSimulator

/// Worlds whose figures are known before they are run.
@Suite struct SimulationTests {
    private static let seed: UInt64 = 5

    /// People whom the sensor matches after exactly a second, and who do nothing else.
    static var plain: Population {
        var population = Population.default
        population.groups = [population.groups[0]]
        population.groups[0].share = 1
        population.groups[0].answer = Times(median: 1000, spread: 0)
        (population.groups[0].people, population.groups[0].mismatch) = (0, 0)
        (population.groups[0].trouble, population.groups[0].staysInTrouble) = (0, 0)
        population.choices.otherWayAtOnce = 0
        population.strangers = 0
        population.pin.time = Times(median: 4000, spread: 0)
        (population.pin.wrong, population.pin.forgotten) = (0, 0)
        population.passcode.forgotten = 0
        return population
    }

    /// The same people, whose sensor never gives a verdict, and who wait for ever.
    static var silent: Population {
        var population = plain
        population.groups[0].trouble = 1
        population.groups[0].staysInTrouble = 1
        population.trouble.silent = 1
        population.patience = Times(median: 3_600_000, spread: 0)
        population.choices.leavesAtTimeout = 0
        population.hint.taken = 0
        return population
    }

    private static func run(
        _ population: Population, _ policy: UnlockPolicy = .sensitiveScreen, sessions: Int = 400
    ) async -> PolicyFigures {
        await Simulation(of: population, under: policy, sessions: sessions, seed: seed).run()
    }

    @Test func whomTheSensorMatchesAlwaysIsInAfterThatTime() async {
        let figures = await Self.run(Self.plain)
        #expect(figures.estimate(.completion)?.value == 1)
        #expect(figures.estimate(.biometric)?.value == 1)
        #expect(figures.estimate(.sensorP50)?.value == 1.01)
        #expect(figures.estimate(.sensorP99)?.value == 1.01)
        #expect(figures.estimate(.prompts)?.value == 1)
    }

    @Test func aSensorThatNeverAnswersLeadsToThePINWhenThePolicySaysSo() async {
        // Without a pace: after three unlocks without a match the adaptive times come earlier.
        var policy = UnlockPolicy.sensitiveScreen
        (policy.earliestHint, policy.earliestFallback) = (policy.hintAfter, policy.fallbackAfter)
        let figures = await Self.run(Self.silent, policy)
        #expect(figures.estimate(.pin)?.value == 1)
        #expect(figures.estimate(.timeouts)?.value == 1)
        #expect(figures.estimate(.slowUnresolved)?.value == 1)
        // 12 s for the sensor, 4 s for the PIN, 150 ms for the key.
        #expect(figures.estimate(.p50)?.value == 16.16)
        #expect(figures.estimate(.hinted)?.value == 1)
        let hurried = await Self.run(Self.silent)
        #expect((hurried.estimate(.p50)?.value ?? 99) < 16)
    }

    @Test func whomTheSensorTakesForAnotherPersonGetsAsManyPromptsAsThePolicyAllows() async {
        var population = Self.plain
        population.groups[0].mismatch = 1
        population.choices.otherWayAfterMismatch = 0
        population.choices.leavesAfterMismatches = 0
        population.sessionsPerPerson = 1
        var policy = UnlockPolicy.sensitiveScreen
        policy.mismatchLimit = 2
        let figures = await Self.run(population, policy)
        #expect(figures.estimate(.pin)?.value == 1)
        #expect(figures.estimate(.mismatches)?.value == 1)
        #expect(figures.estimate(.prompts)?.value == 3)
    }

    @Test func aRowOfMismatchesPausesTheSensorInTheNextUnlock() async {
        var population = Self.plain
        population.groups[0].mismatch = 1
        population.choices.otherWayAfterMismatch = 0
        // All leave instead of entering the PIN, which would lift the count, and comes back at once.
        population.choices.leavesAfterMismatches = 1
        population.between = Times(median: 1, spread: 0)
        population.sessionsPerPerson = 20
        let figures = await Self.run(population)
        #expect(figures.estimate(.completion)?.value == 0)
        // Three prompts at first, and then hardly any: the real ledger pauses the sensor.
        #expect((figures.estimate(.prompts)?.value ?? 9) < 2)
    }

    @Test func aStrangerIsNeverLetIn() async {
        var population = Population.default
        population.strangers = 0.5
        let figures = await Self.run(population, .unlock, sessions: 6000)
        #expect(figures.strangers > 2700)
        #expect(figures.strangersIn == 0)
    }

    @Test func theSameSeedGivesTheSameBytesAndAnotherOneOthers() async throws {
        func report(_ seed: UInt64) async throws -> [UInt8] {
            let figures = await Simulation(of: .default, under: .unlock, sessions: 4000, seed: seed).run()
            return try SimulationReport(of: .default, fingerprint: "", sessions: 4000, seed: 1, [("unlock", figures)]).json
        }
        let first = try await report(1)
        #expect(try await report(1) == first)
        #expect(try await report(2) != first)
    }

    @Test func twoPoliciesThatAreAlikeDoNotDifferAtAll() async {
        let (one, other) = (await Self.run(.default, sessions: 4000), await Self.run(.default, sessions: 4000))
        for figure in PolicyFigures.Figure.all {
            #expect(one.difference(figure, from: other)?.value ?? 0 == 0, "\(figure.name)")
        }
    }

    @Test func anIntervalHoldsTheValueOfManyMorePeople() async {
        let long = await Self.run(.default, sessions: 40_000)
        let figures: [PolicyFigures.Figure] = [.completion, .pin, .fallback, .sensorP50]
        var held = 0
        for seed in 1...12 as ClosedRange<UInt64> {
            let short = await Simulation(of: .default, under: .sensitiveScreen, sessions: 2400, seed: 1000 + seed).run()
            held += figures.count { figure in
                guard let value = long.estimate(figure)?.value else { return false }
                return short.estimate(figure)?.bounds?.contains(value) == true
            }
        }
        // 95 % of 48, less what chance may take.
        #expect(held >= 40)
    }
}
#endif
