#if Server
import ThumbturnCore

/// What a policy led to, with 95 % intervals.
package struct PolicyFigures: Sendable {
    /// The counts of groups of people, by whose difference the intervals are told: the unlocks of one person depend on each other.
    private let blocks: [Tally]
    private let all: Tally

    init(_ blocks: [Tally]) {
        self.blocks = blocks
        var all = Tally()
        for block in blocks { all.add(block) }
        self.all = all
    }

    /// A figure: how it is told from counts; nil where nothing was counted.
    package struct Figure: Sendable {
        package let name: String
        package let unit: Unit
        /// What it says, in words.
        package let meaning: String
        fileprivate let of: @Sendable (Tally) -> Double?

        package enum Unit: Sendable { case share, seconds, ratio, number }
    }

    /// A value and the bounds of its 95 % interval.
    package struct Estimate: Hashable, Sendable {
        package let value: Double
        /// Nil where fewer than ten groups of people were counted.
        package let bounds: ClosedRange<Double>?
    }

    /// Unlocks by the right person.
    package var unlocks: Int { all.unlocks }
    package var strangers: Int { all.strangers }
    package var strangersIn: Int { all.strangersIn }

    package func estimate(_ figure: Figure) -> Estimate? {
        figure.of(all).map { Estimate(value: $0, bounds: Self.bounds(around: $0, blocks.compactMap(figure.of))) }
    }

    /// How much a figure differs from the same people's under another policy.
    package func difference(_ figure: Figure, from other: PolicyFigures) -> Estimate? {
        guard let mine = figure.of(all), let others = figure.of(other.all), blocks.count == other.blocks.count else { return nil }
        let differences = zip(blocks, other.blocks).compactMap { one, two -> Double? in
            guard let one = figure.of(one), let two = figure.of(two) else { return nil }
            return one - two
        }
        return Estimate(value: mine - others, bounds: Self.bounds(around: mine - others, differences))
    }

    /// The share of all unlocks that had succeeded up to each of these times, in seconds.
    package func completion(by seconds: [Double]) -> [Double] {
        let share = all.unlocks == 0 ? 0 : Double(all.completed) / Double(all.unlocks)
        return all.times.shares(upTo: seconds).map { $0 * share }
    }

    /// The share of the sensor's matches that took longer than this, in seconds.
    func sensorShare(from seconds: Double) -> Double { 1 - (all.sensorTimes.shares(upTo: [seconds]).first ?? 1) }

    /// The longest time to a match of the sensor, in seconds; nil without one.
    var longest: Double? { all.sensorTimes.quantile(1) }

    /// Student's interval over the groups, as batch means have it. A quantile of a group is not quite that of all, so the interval lies
    /// around the value of all.
    private static func bounds(around value: Double, _ values: [Double]) -> ClosedRange<Double>? {
        guard values.count >= 10 else { return nil }
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        // Student's 97.5 % quantile for 9 to 49 degrees of freedom, within 0.01: Cornish and Fisher's expansion.
        let (z, freedom) = (1.959964, count - 1)
        let t = z + (z * z * z + z) / (4 * freedom) + (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * freedom * freedom)
        let half = t * (variance / count).squareRoot()
        return value - half...value + half
    }
}

// MARK: - The figures

extension PolicyFigures.Figure {
    private static func share(_ name: String, _ meaning: String, _ part: @escaping @Sendable (Tally) -> (Int, Int)) -> Self {
        Self(name: name, unit: .share, meaning: meaning) {
            let (count, total) = part($0)
            return total == 0 ? nil : Double(count) / Double(total)
        }
    }

    private static func quantile(
        _ name: String, _ meaning: String, _ share: Double, _ times: @escaping @Sendable (Tally) -> TimeCounts
    ) -> Self {
        Self(name: name, unit: .seconds, meaning: meaning) { times($0).quantile(share) }
    }

    package static let completion = share("completion", "unlocks that succeeded on any rung") { ($0.completed, $0.unlocks) }
    package static let biometric = share("biometric", "unlocks that the sensor let in") {
        ($0.byRung[0], $0.unlocks)
    }
    package static let pin = share("pin_use", "unlocks that the app's PIN let in") { ($0.byRung[2], $0.unlocks) }
    package static let fallback = share("fallback", "unlocks that left the sensor for another rung") {
        ($0.fallbacks, $0.unlocks)
    }
    package static let timeouts = share("fallback_timeout", "… because the time for the sensor was over") {
        ($0.timeouts, $0.unlocks)
    }
    package static let mismatches = share("fallback_mismatches", "… after mismatches, a pause or a lockout") {
        ($0.mismatches, $0.unlocks)
    }
    package static let choices = share("fallback_choice", "… because the person chose so") { ($0.choices, $0.unlocks) }
    package static let abandonment = share("abandonment", "unlocks that the person left") {
        ($0.unlocks - $0.completed, $0.unlocks)
    }
    package static let sensorP50 = quantile("biometric_p50", "half of the sensor's matches took no longer", 0.5, \.sensorTimes)
    package static let sensorP95 = quantile("biometric_p95", "95 % of the sensor's matches took no longer", 0.95, \.sensorTimes)
    package static let sensorP99 = quantile("biometric_p99", "99 % of the sensor's matches took no longer", 0.99, \.sensorTimes)
    package static let p50 = quantile("any_p50", "half of all successes took no longer", 0.5, \.times)
    package static let p95 = quantile("any_p95", "95 % of all successes took no longer", 0.95, \.times)
    package static let p99 = quantile("any_p99", "99 % of all successes took no longer", 0.99, \.times)
    package static let slow = share("slow", "attempts at the sensor of more than 8 s") { ($0.slow, $0.attempts) }
    package static let slowUnresolved = share(
        "slow_unresolved", "of these, attempts that ended by the time's end, a cancel or the choice of another way"
    ) { ($0.slowUnresolved, $0.slow) }
    package static let abandonedAtTimeout = share(
        "abandoned_at_timeout", "unlocks that the person left after the time for the sensor was over, of all in which it was"
    ) { ($0.timedOutAndLeft, $0.timedOut) }
    package static let abandonedOtherwise = share(
        "abandoned_otherwise",
        "unlocks that the person left after the sensor had ended without a match otherwise, of all in which it had"
    ) { ($0.unmatchedAndLeft, $0.unmatched) }
    package static let timeoutRatio = Self(
        name: "timeout_ratio", unit: .ratio, meaning: "the first of the two by the second"
    ) { tally in
        guard tally.timedOut > 0, tally.unmatched > 0, tally.unmatchedAndLeft > 0 else { return nil }
        return Double(tally.timedOutAndLeft) / Double(tally.timedOut) / (Double(tally.unmatchedAndLeft) / Double(tally.unmatched))
    }
    package static let hinted = share("hinted", "unlocks in which the hint was shown") { ($0.hinted, $0.unlocks) }
    package static let prompts = Self(name: "prompts", unit: .number, meaning: "prompts for each unlock") {
        $0.unlocks == 0 ? nil : Double($0.prompts) / Double($0.unlocks)
    }

    // As a server's report has them, which counts each flow as an unlock.
    static let firstP50 = quantile("first_attempt_p50", "half of the matches at the first try took no longer", 0.5, \.firstTimes)
    static let firstP95 = quantile("first_attempt_p95", "95 % of the matches at the first try took no longer", 0.95, \.firstTimes)
    static let flowTimeouts = share("flow_timeouts", "flows whose time for the sensor was over") {
        ($0.timeoutAttempts, $0.flows)
    }
    static let flowCancels = share("flow_cancels", "flows that the person cancelled") { ($0.cancelledFlows, $0.flows) }
    static let flowPIN = share("flow_pin", "flows that the app's PIN let in") { ($0.byRung[2], $0.flows) }
    static let flowMismatches = Self(name: "flow_mismatches", unit: .number, meaning: "mismatches before a match or a fallback") {
        $0.endedAttempts == 0 ? nil : Double($0.mismatchesOfAttempts) / Double($0.endedAttempts)
    }

    /// All figures, in the order of the tables.
    package static let all: [Self] = [
        completion, biometric, pin, abandonment, fallback, timeouts, mismatches, choices, sensorP50, sensorP95, sensorP99, p50,
        p95, p99,
        slow, slowUnresolved, abandonedAtTimeout, abandonedOtherwise, timeoutRatio, hinted, prompts,
    ]
}
#endif
