#if Server
import Testing
import ThumbturnCore
import ThumbturnSimulator

/// The fit finds the numbers that figures came from, and the search for values keeps the policy safe.
@Suite struct FitTests {
    @Test func theFitFindsTheNumbersThatTheFiguresCameFrom() async {
        let policy = Article.fixedPrompt
        var truth = Population.default
        truth.patience.median = 15_000
        truth.choices.otherWayAtOnce = 0.08
        let seen = await Simulation(of: truth, under: policy, sessions: 1200, seed: 3).run()
        let figures: [PolicyFigures.Figure] = [.slowUnresolved, .pin]
        let targets = figures.compactMap { figure in seen.estimate(figure).map { PopulationFit.Target(figure, $0.value) } }
        var start = truth
        start.patience.median = 25_000
        start.choices.otherWayAtOnce = 0.02
        let fit = PopulationFit(to: targets, under: policy, moving: [.patience, .otherWayAtOnce], sessions: 1200, seed: 3)
        let result = await fit.run(from: start, mostTries: 45)
        #expect(result.worst < 0.01)
        #expect(abs(result.population.patience.median / 15_000 - 1) < 0.1)
        #expect(abs(result.population.choices.otherWayAtOnce - 0.08) < 0.01)
    }

    @Test func noCandidateIsLessSafeThanThePolicy() {
        let policy = UnlockPolicy.highRisk
        let candidates = Tuning(of: .default, from: policy, sessions: 1, seed: 1).policies
        #expect(candidates.count == 64)
        for candidate in candidates.map(\.policy) {
            #expect(candidate.problem == nil)
            #expect(candidate.ladder == policy.ladder && candidate.delays == policy.delays && candidate.reuse == policy.reuse)
            #expect(candidate.mismatchLimit == policy.mismatchLimit && candidate.pinMismatchLimit == policy.pinMismatchLimit)
            #expect(candidate.retryWindow <= policy.retryWindow && candidate.retryLimit <= policy.retryLimit)
        }
    }

    @Test func theFrontHasNoPolicyThatAnotherBeats() async {
        let candidates = await Tuning(of: .default, from: .sensitiveScreen, sessions: 400, seed: 1).run()
        let front = Tuning.front(candidates)
        #expect(!front.isEmpty && front.count < candidates.count)
        let costs = { (candidate: Tuning.Candidate) in
            (candidate.figures.estimate(.fallback)?.value ?? 9, candidate.figures.estimate(.p95)?.value ?? 999)
        }
        for one in front.map(costs) {
            #expect(!candidates.map(costs).contains { $0.0 < one.0 && $0.1 < one.1 })
        }
        let best = Tuning.best(candidates, by: .p95, within: [(.fallback, 0.05)])
        #expect((best?.figures.estimate(.fallback)?.value ?? 0) <= 0.05)
    }

    @Test func theLargestEffectComesFirst() async {
        let rows = await Sensitivity(of: .default, under: .sensitiveScreen, sessions: 400, seed: 1).run()
        #expect(rows.count > 20)
        #expect(Set(rows.map(\.path)).count == rows.count)
    }
}
#endif
