#if Server
import Testing
import ThumbturnCore
@testable import ThumbturnTelemetry

struct ProportionTests {
    /// Newcombe, 1998, table II, case (a): 56 of 70 and 48 of 80, method 10.
    @Test func theIntervalOfADifferenceIsNewcombes() throws {
        let interval = try #require(Proportion(56, of: 70).difference(from: Proportion(48, of: 80), z: 1.959_964))
        #expect(abs(interval.lowerBound - 0.0524) < 0.0001)
        #expect(abs(interval.upperBound - 0.3339) < 0.0001)
    }

    /// Newcombe, 1998, "Two-sided confidence intervals for the single proportion", table I: 81 of 263, and 0 of 20.
    @Test func theIntervalOfARateIsWilsons() {
        let interval = Proportion(81, of: 263).interval(z: 1.959_964)
        #expect(abs(interval.lowerBound - 0.2553) < 0.0001)
        #expect(abs(interval.upperBound - 0.3662) < 0.0001)
        #expect(abs(Proportion(0, of: 20).interval(z: 1.959_964).upperBound - 0.1611) < 0.0001)
        #expect(Proportion(0, of: 0).interval(z: 2) == 0...1)
        #expect(Proportion(0, of: 0).rate == nil)
    }

    @Test func theReachOfIntervalsGrowsWithTheirNumber() {
        #expect(abs(Normal.reach(ofIntervals: 1) - 1.959964) < 1e-5)
        // 1 - 0.025/2 of the normal distribution.
        #expect(abs(Normal.reach(ofIntervals: 2) - 2.241403) < 1e-5)
        #expect(abs(Normal.quantile(0.5)) < 1e-9)
    }

    @Test(arguments: [(300, 0.9, 0.9), (500, 0.95, 0.9), (200, 0.5, 0.4), (1000, 0.02, 0.01)])
    func theTrueDifferenceIsInTheIntervalInNinetyFiveOfAHundredExperiments(_ size: Int, _ own: Double, _ control: Double) throws {
        var generator = RepeatableGenerator(seed: 31)
        let z = Normal.reach(ofIntervals: 1)
        func draw(_ rate: Double) -> Proportion {
            Proportion((0..<size).count { _ in Double.random(in: 0..<1, using: &generator) < rate }, of: size)
        }
        var covered = 0
        for _ in 0..<400 {
            let (first, second) = (draw(own), draw(control))
            if try #require(first.difference(from: second, z: z)).contains(own - control) { covered += 1 }
        }
        // 95 % of 400 are 380, with a standard deviation of 4.4.
        #expect((363...398).contains(covered), "seed 31: \(covered) of 400")
    }
}

struct QuantileBootstrapTests {
    @Test func theTrueDifferenceOfP95sIsInTheIntervalInNinetyFiveOfAHundredExperiments() throws {
        var generator = RepeatableGenerator(seed: 41)
        // The P95 of a log-normal distribution is its median times exp(1.644854 times its spread).
        let truth = (1.5 - 1.0) * 2.2762
        var covered = 0
        for round in 0..<200 {
            var (own, control) = (TimeHistogram(), TimeHistogram())
            for _ in 0..<400 {
                own.record(Samples.time(1.5, spread: 0.5, using: &generator))
                control.record(Samples.time(1, spread: 0.5, using: &generator))
            }
            let interval = try #require(
                QuantileBootstrap.difference(own, from: control, part: 0.95, miss: 0.05, seed: UInt64(round), samples: 1000))
            if interval.contains(truth) { covered += 1 }
        }
        // 95 % of 200 are 190, with a standard deviation of 3.1.
        #expect(covered >= 178, "seed 41: \(covered) of 200")
        #expect(covered < 200, "seed 41: intervals that always hold are too wide")
    }

    /// The beta distribution stands for whole samples: both have the same spread.
    @Test func aDrawIsTheQuantileOfAResample() throws {
        var generator = RepeatableGenerator(seed: 42)
        let times = (0..<200).map { _ in Samples.time(1, spread: 0.5, using: &generator) }
        let histogram = times.reduce(into: TimeHistogram()) { $0.record($1) }
        let bootstrap = try #require(QuantileBootstrap(histogram, part: 0.9))
        func spread(_ values: [Double]) -> (mean: Double, deviation: Double) {
            let mean = values.reduce(0, +) / Double(values.count)
            return (mean, (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot())
        }
        let quick = spread((0..<2000).map { _ in bootstrap.draw(using: &generator) })
        let sorted = times.map(\.inSeconds)
        let slow = spread(
            (0..<2000).map { _ in
                (0..<200).map { _ in sorted[Int.random(in: 0..<200, using: &generator)] }.sorted()[179]
            })
        #expect(abs(quick.mean - slow.mean) < 0.02 * slow.mean, "seed 42: \(quick), \(slow)")
        #expect(abs(quick.deviation - slow.deviation) < 0.12 * slow.deviation, "seed 42: \(quick), \(slow)")
    }

    @Test func theSameSeedGivesTheSameInterval() {
        var times = TimeHistogram()
        for milliseconds in 1...300 { times.record(.milliseconds(milliseconds * 7)) }
        let first = QuantileBootstrap.difference(times, from: times, part: 0.95, miss: 0.05, seed: 5)
        #expect(first == QuantileBootstrap.difference(times, from: times, part: 0.95, miss: 0.05, seed: 5))
        #expect(QuantileBootstrap.difference(times, from: TimeHistogram(), part: 0.95, miss: 0.05, seed: 5) == nil)
    }
}

struct ArmComparisonTests {
    /// As many unlocks as told; one of `everyCancel` is cancelled.
    private func arm(
        _ name: TelemetryLabel, _ count: Int, median: Double = 1, everyCancel: Int = 20, devices: Int = 200,
        policy: TelemetryLabel = "unlock",
        using generator: inout RepeatableGenerator
    ) -> TelemetryEntry {
        let reports = (0..<count).map { index in
            let time = Samples.time(median, spread: 0.3, using: &generator)
            return index % everyCancel == 0 ? Samples.cancel(after: time) : Samples.success(after: time)
        }
        return Samples.entry("iPhone17,3", reports, devices: devices, arm: name, policy: policy)
    }

    private func verdicts(_ comparison: ArmComparison) -> [ArmComparison.Measure: ArmComparison.Verdict] {
        Dictionary(uniqueKeysWithValues: comparison.differences.map { ($0.measure, $0.verdict) })
    }

    @Test func aSlowerArmThatIsGivenUpMoreOftenIsTold() {
        var generator = RepeatableGenerator(seed: 51)
        let entries = [
            arm("a", 4000, using: &generator), arm("b", 4000, median: 1.5, everyCancel: 5, using: &generator),
            // Another policy, which would hide it.
            arm("b", 9000, median: 0.5, policy: "payment", using: &generator),
        ]
        let comparison = ArmComparison(entries, policy: "unlock")
        #expect(comparison.control == "a")
        #expect(comparison.arms.map(\.unlocks) == [4000, 4000])
        let verdicts = verdicts(comparison)
        #expect(verdicts[.success] == .lower)
        #expect(verdicts[.abandonment] == .higher)
        #expect(verdicts[.p95] == .higher)
        #expect(verdicts[.fallback] == .noClearDifference)
        #expect(comparison.text.contains("b: success 80.0 %, control 95.0 %: lower by 15.0 points"))
        #expect(comparison.text.contains("the events name no device"))
        #expect(comparison.json.contains(#""verdict":"lower""#))
    }

    @Test func twoEqualArmsDoNotDiffer() {
        var generator = RepeatableGenerator(seed: 52)
        let comparison = ArmComparison([arm("a", 5000, using: &generator), arm("b", 5000, using: &generator)], policy: "unlock")
        #expect(comparison.differences.allSatisfy { $0.verdict == .noClearDifference })
    }

    @Test func fewUnlocksAreTooLittleAndTheNeedIsTold() throws {
        var generator = RepeatableGenerator(seed: 53)
        let comparison = ArmComparison(
            [
                arm("a", 60, everyCancel: 4, devices: 40, using: &generator),
                arm("b", 60, everyCancel: 4, devices: 40, using: &generator),
            ],
            policy: "unlock")
        guard case .tooLittle(let more)? = verdicts(comparison)[.success] else {
            return #expect(Bool(false), "60 unlocks say too little")
        }
        // 1.96² · 2 · 0.25 · 0.75 / 0.05² are 576 in each arm.
        #expect((480...560).contains(more))
        guard case .tooLittle(55)? = verdicts(comparison)[.p95] else { return #expect(Bool(false), "45 successes have no P95") }
        #expect(comparison.text.contains("too little to tell"))
        #expect(comparison.text.contains("more unlocks"))
    }

    @Test func anArmOfFewDevicesIsWithheldWithAnotherOne() {
        var generator = RepeatableGenerator(seed: 54)
        let two = ArmComparison(
            [arm("a", 500, using: &generator), arm("b", 500, devices: 19, using: &generator)], policy: "unlock")
        // The other one would reveal it.
        #expect(two.arms.isEmpty)
        #expect(two.withheldArms == 2)
        #expect(two.control == nil)
        #expect(two.differences.isEmpty)
        #expect(two.text.contains("too little: an arm needs at least 20 devices"))
        let both = ArmComparison(
            [arm("a", 500, using: &generator), arm("b", 500, devices: 20, using: &generator)], policy: "unlock")
        #expect(both.arms.count == 2)
    }

    /// With the unlocks without an arm, what is left of a total would be the few devices of one of both.
    @Test func aComparisonShowsNoArmThatTheReportWithholds() {
        var generator = RepeatableGenerator(seed: 57)
        let named = [arm("a", 500, using: &generator), arm("b", 500, devices: 40, using: &generator)]
        let nameless = Samples.entry("iPhone17,3", (0..<30).map { _ in Samples.success(after: .seconds(1)) }, devices: 10)
        let comparison = ArmComparison(named + [nameless], policy: "unlock")
        let report = TelemetryReport(named + [nameless], by: .arm)
        #expect(report.rows.map(\.value) == ["a"] && comparison.arms.map(\.name) == ["a"])
        #expect(ArmComparison(named, policy: "unlock").arms.count == 2)
    }

    @Test func theArmsOfEachPolicyAreCompared() {
        var generator = RepeatableGenerator(seed: 58)
        let entries = [
            arm("a", 300, using: &generator), arm("b", 300, using: &generator),
            arm("c", 300, policy: "payment", using: &generator), arm("d", 300, policy: "payment", using: &generator),
            Samples.entry("Pixel 9", [Samples.success(after: .seconds(1))], devices: 30, policy: "other"),
        ]
        #expect(ArmComparison.all(entries).map(\.policy) == ["payment", "unlock"])
        #expect(ArmComparison.all(entries, of: "payment").map { $0.arms.map(\.name) } == [["c", "d"]])
        #expect(ArmComparison.all(entries, of: "other").isEmpty)
        let hidden = arm("x", 1, devices: 1, policy: "other", using: &generator)
        #expect(ArmComparison.all(entries + [hidden]).map(\.policy) == ["payment", "unlock"], "no arm of it is shown")
        // Names can be made up: one device's is not told, and many are not compared.
        let one = arm("x", 1, devices: 1, policy: "call 555", using: &generator)
        #expect(ArmComparison.all(entries + [one]).allSatisfy { $0.policy != "call 555" })
        let many = (0..<20).flatMap { number in
            ["a", "b"].map { arm($0, 40, devices: 40, policy: TelemetryLabel("policy \(number)"), using: &generator) }
        }
        #expect(ArmComparison.all(many).count == ArmComparison.mostPolicies)
    }

    @Test func severalArmsHaveWiderIntervals() throws {
        var generator = RepeatableGenerator(seed: 55)
        let entries = ["a", "b", "c", "d"].map { arm($0, 1000, using: &generator) }
        func width(_ entries: [TelemetryEntry], _ measure: ArmComparison.Measure) throws -> Double {
            let interval = try #require(
                ArmComparison(entries, policy: "unlock").differences.first { $0.arm == "b" && $0.measure == measure }?.interval)
            return interval.upperBound - interval.lowerBound
        }
        for measure in [ArmComparison.Measure.success, .p95] {
            #expect(try width(entries, measure) > 1.1 * width(Array(entries.prefix(2)), measure))
        }
        #expect(ArmComparison(entries, policy: "unlock").text.contains("Bonferroni"))
    }

    @Test func theControlIsTheOneThatIsNamed() {
        var generator = RepeatableGenerator(seed: 56)
        let entries = [
            arm("a", 200, using: &generator), arm("control", 200, using: &generator), arm("c", 200, using: &generator),
        ]
        #expect(ArmComparison(entries, policy: "unlock").control == "control")
        #expect(ArmComparison(entries, policy: "unlock", control: "c").control == "c")
        #expect(ArmComparison(entries, policy: "unlock", control: "missing").control == nil)
        #expect(ArmComparison(entries, policy: "other").arms.isEmpty)
    }
}
#endif
