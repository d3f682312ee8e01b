#if Server
package import ThumbturnCore

/// Compares the arms of one policy's experiment with one of them, the control.
///
/// For the rates of success, fallback and abandonment it gives the difference with Newcombe's interval of 95 %. For the P95 of
/// the time to authenticate, of the unlocks that succeeded, it gives a percentile bootstrap of 4000 draws from the histograms.
/// With several arms each interval is as much wider as Bonferroni demands: all intervals of one measure hold together with 95
/// %. The measures are not corrected for each other. The same entries give the same answer: the bootstrap begins at a given
/// seed.
///
/// An arm is withheld as a row of `TelemetryReport` is. Nothing is concluded where an interval contains zero and is wider than
/// five points to each side, or 10 % of the control's P95.
///
/// **The limit.** All intervals take unlocks to be independent. Those of one device are not: a finger that is hard to read is
/// so again tomorrow. The events name no device, so the dependence cannot be measured, and the true intervals are wider: with m
/// unlocks of each device and a correlation r between two of them, by the square root of 1 + (m - 1) r (Kish, "Survey
/// Sampling", 1965, section 5.4).
package struct ArmComparison: Sendable {
    /// The policy.
    package let policy: String
    /// The arm that the others are compared with; nil where no arm is shown.
    package let control: String?
    /// The arms that are shown, in the order of their names.
    package let arms: [Arm]
    /// How many arms are withheld, because they have too few devices on each day.
    package let withheldArms: Int
    /// The comparisons, by arm and then by measure.
    package let differences: [Difference]
    /// How many distinct devices an arm needs on a day.
    package let leastDevices: Int

    /// One arm.
    package struct Arm: Hashable, Sendable {
        package var name: String
        package var unlocks: Int
        /// On the day with the most.
        package var devices: Int
    }

    /// What is compared.
    package enum Measure: String, CaseIterable, Sendable {
        case success, fallback, abandonment
        /// In seconds.
        case p95

        /// The measure in words.
        package var words: String {
            switch self {
            case .success: Rate.success.words
            case .fallback: Rate.fallback.words
            case .abandonment: Rate.abandonment.words
            case .p95: "P95 of time to authenticate"
            }
        }
    }

    /// One arm's difference from the control in one measure.
    package struct Difference: Hashable, Sendable {
        package var arm: String
        package var measure: Measure
        /// The arm's rate, or its P95 in seconds; nil where it has none.
        package var own: Double?
        /// The control's.
        package var control: Double?
        /// Where the true difference is, the arm's minus the control's; nil where one of both has none.
        package var interval: ClosedRange<Double>?
        /// What follows.
        package var verdict: Verdict
    }

    /// What a difference means.
    package enum Verdict: Hashable, Sendable {
        /// The arm's number is higher.
        case higher
        /// The arm's number is lower.
        case lower
        /// If there is a difference, it is small.
        case noClearDifference
        /// It cannot be told yet: about how many more unlocks each of both needs.
        case tooLittle(moreUnlocks: Int)
    }

    /// The widest interval that concludes "no clear difference", to each side: of rates, and of a P95 as a part of the control's.
    package static let widestOfRates = 0.05
    package static let widestOfTimes = 0.1
    /// Fewer successes than this have no P95 to speak of: five of a hundred are above it.
    package static let leastSuccesses = 100

    /// Compares arms.
    ///
    /// - Parameters:
    ///   - entries: all of the days, of any policies; those of others, and those without an arm, are not compared.
    ///   - control: the name of the control; otherwise the arm `control`, or else the first by name.
    ///   - leastDevices: how many distinct devices an arm needs on a day.
    ///   - seed: of the bootstrap.
    package init(
        _ entries: some Sequence<TelemetryEntry>, policy: String, control: String? = nil, leastDevices: Int = 20, seed: UInt64 = 1
    ) {
        // What is withheld depends on all entries; unlocks without an arm are none.
        let report = TelemetryReport(entries, by: .arm, of: TelemetryLabel(policy), leastDevices: leastDevices)
        let rows = report.rows.filter { $0.value != TelemetryDimension.unknown }.sorted { $0.value < $1.value }
        let base = rows.first { $0.value == control ?? "control" } ?? (control == nil ? rows.first : nil)
        self.policy = policy
        self.control = base?.value
        self.leastDevices = leastDevices
        withheldArms = report.withheldRows
        arms = rows.map { Arm(name: $0.value, unlocks: $0.tally[.unlocks], devices: $0.devices) }
        guard let base else {
            differences = []
            return
        }
        let others = rows.filter { $0.value != base.value }
        differences = others.enumerated().flatMap { index, row in
            Measure.allCases.map { measure in
                Self.compare(
                    measure, row.value, row.tally, base.tally, intervals: others.count, seed: seed &+ UInt64(index) &* 0x9E37_79B9
                )
            }
        }
    }

    /// The comparisons of the policies that have arms and are shown, or of one, by the policies' names: at most `mostPolicies`, those
    /// with the most unlocks.
    package static func all(_ entries: [TelemetryEntry], of policy: TelemetryLabel? = nil) -> [ArmComparison] {
        let withArms = Set(entries.lazy.filter { $0.cell.context.arm != nil }.compactMap(\.cell.context.policy?.text))
        let shown = TelemetryReport(entries, by: .policy).rows.map(\.value)
        return shown.filter { withArms.contains($0) && (policy == nil || $0 == policy?.text) }.prefix(mostPolicies).sorted()
            .map { ArmComparison(entries, policy: $0) }.filter { !$0.arms.isEmpty }
    }

    /// The most policies whose arms are compared: names can be made up.
    package static let mostPolicies = 8

    private static func compare(
        _ measure: Measure, _ arm: String, _ own: UnlockTally, _ control: UnlockTally, intervals: Int, seed: UInt64
    ) -> Difference {
        switch measure {
        case .success: compare(.success, measure, arm, own, control, intervals)
        case .fallback: compare(.fallback, measure, arm, own, control, intervals)
        case .abandonment: compare(.abandonment, measure, arm, own, control, intervals)
        case .p95: compareTimes(arm, own.timesToAuthenticate, control.timesToAuthenticate, intervals, seed)
        }
    }

    private static func compare(
        _ rate: Rate, _ measure: Measure, _ arm: String, _ own: UnlockTally, _ control: UnlockTally, _ intervals: Int
    ) -> Difference {
        let (own, control) = (rate.of(own), rate.of(control))
        let z = Normal.reach(ofIntervals: intervals)
        let interval = own.difference(from: control, z: z)
        // Two more of each kind keep a rate of 0 or 1 from promising too much (Agresti and Coull, 1998).
        func variance(_ part: Proportion) -> Double {
            let rate = Double(part.count + 2) / Double(part.total + 4)
            return rate * (1 - rate)
        }
        let needed = z * z * (variance(own) + variance(control)) / (widestOfRates * widestOfRates)
        let missing = Int(needed.rounded(.up)) - min(own.total, control.total)
        return Difference(
            arm: arm, measure: measure, own: own.rate, control: control.rate, interval: interval,
            verdict: verdict(interval, widest: widestOfRates, missing: missing))
    }

    private static func compareTimes(
        _ arm: String, _ own: TimeHistogram, _ control: TimeHistogram, _ intervals: Int, _ seed: UInt64
    ) -> Difference {
        let (ownP95, controlP95) = (own.quantile(0.95)?.inSeconds, control.quantile(0.95)?.inSeconds)
        let least = min(own.count, control.count)
        guard least >= leastSuccesses, let controlP95 else {
            return Difference(
                arm: arm, measure: .p95, own: ownP95, control: controlP95, interval: nil,
                verdict: .tooLittle(moreUnlocks: max(leastSuccesses - least, 1)))
        }
        let interval = QuantileBootstrap.difference(own, from: control, part: 0.95, miss: 0.05 / Double(intervals), seed: seed)
        let widest = widestOfTimes * controlP95
        // The width falls with the square root of the number.
        let excess = interval.map { ($0.upperBound - $0.lowerBound) / 2 / max(widest, 0.001) } ?? 1
        let missing = Double(least) * (excess * excess - 1)
        return Difference(
            arm: arm, measure: .p95, own: ownP95, control: controlP95, interval: interval,
            verdict: verdict(interval, widest: widest, missing: Int(min(max(missing, 1), 1e15).rounded(.up))))
    }

    private static func verdict(_ interval: ClosedRange<Double>?, widest: Double, missing: Int) -> Verdict {
        guard let interval else { return .tooLittle(moreUnlocks: max(missing, 1)) }
        if interval.lowerBound > 0 { return .higher }
        if interval.upperBound < 0 { return .lower }
        return (interval.upperBound - interval.lowerBound) / 2 <= widest
            ? .noClearDifference : .tooLittle(moreUnlocks: max(missing, 1))
    }
}

// MARK: - Text

extension ArmComparison {
    /// The comparison in sentences.
    package var text: String { ([heading] + sentences + notes).joined(separator: "\n") + "\n" }

    var heading: String {
        guard let control else { return "Arms of policy \(policy): there is no arm to compare with." }
        let names = arms.map {
            "\($0.name) (\(TelemetryReport.counted($0.unlocks, "unlock")), \(TelemetryReport.counted($0.devices, "device")))"
        }
        return "Arms of policy \(policy), compared with \(control): \(names.joined(separator: ", "))."
    }

    var sentences: [String] {
        if control != nil, arms.count < 2 { return ["There is only one arm to show, so nothing can be compared."] }
        return differences.map(\.sentence)
    }

    var notes: [String] {
        var notes: [String] = []
        if withheldArms > 0 {
            notes.append(
                "\(TelemetryReport.counted(withheldArms, "arm")) withheld, too little: an arm needs at least "
                    + "\(leastDevices) devices on a day; where only one arm has fewer, another one is withheld with it.")
        }
        guard !differences.isEmpty else { return notes }
        let number = arms.count - 1
        notes += [
            "Intervals of 95 %"
                + (number > 1 ? " for all \(number) comparisons of a measure together (Bonferroni)" : "")
                + ": rates by Newcombe's method, P95 by a bootstrap of the histograms.",
            "They take unlocks to be independent. Those of one device are not, and the events name no device: "
                + "the true intervals are wider.",
        ]
        return notes
    }
}

extension ArmComparison.Difference {
    /// For example `b: success 97.1 %, control 95.0 %: higher by 2.1 points (0.4 to 3.8).`
    package var sentence: String {
        let numbers = "\(arm): \(measure.words) \(text(own)), control \(text(control))"
        switch verdict {
        case .tooLittle(let more):
            return "\(numbers): too little to tell\(range). Each needs about \(Figures.grouped(more)) more unlocks."
        case .noClearDifference: return "\(numbers): no clear difference\(range)."
        case .higher: return "\(numbers): higher by \(gap)\(range)."
        case .lower: return "\(numbers): lower by \(gap)\(range)."
        }
    }

    private var gap: String { own.flatMap { own in control.map { amount(abs(own - $0)) } } ?? Figures.none }
    private var range: String {
        interval.map { " (\(number($0.lowerBound)) to \(amount($0.upperBound)))" } ?? ""
    }

    private func text(_ value: Double?) -> String {
        guard let value else { return Figures.none }
        return measure == .p95 ? Figures.fixed(value, 2) + " s" : Figures.percent(value)
    }

    private func number(_ value: Double) -> String { measure == .p95 ? Figures.fixed(value, 2) : Figures.fixed(value * 100, 1) }
    private func amount(_ value: Double) -> String { number(value) + (measure == .p95 ? " s" : " points") }
}

// MARK: - JSON

extension ArmComparison {
    /// The comparison as compact JSON with sorted members: rates are parts of 1, times milliseconds. `verdict` is `higher`,
    /// `lower`, `no_clear_difference` or `too_little`, the last one with `more_unlocks`.
    ///
    ///     {"arms": [{"arm": "a", "devices": 900, "unlocks": 12000}, …], "arms_withheld": 0, "control": "a",
    ///      "differences": [{"arm": "b", "control": 0.95, "high": 0.038, "low": 0.004, "measure": "success", "own": 0.971,
    ///                       "verdict": "higher"}, …], "policy": "unlock"}
    package var json: String {
        func rounded(_ number: Double?, _ measure: Measure) -> Double? {
            number.map { measure == .p95 ? ($0 * 1000).rounded() : ($0 * 100_000).rounded() / 100_000 }
        }
        let document = Document(
            policy: policy, control: control, withheld: withheldArms,
            arms: arms.map { .init(arm: $0.name, unlocks: $0.unlocks, devices: $0.devices) },
            differences: differences.map { one in
                let (verdict, more): (String, Int?) =
                    switch one.verdict {
                    case .higher: ("higher", nil)
                    case .lower: ("lower", nil)
                    case .noClearDifference: ("no_clear_difference", nil)
                    case .tooLittle(let more): ("too_little", more)
                    }
                return .init(
                    arm: one.arm, measure: one.measure.rawValue, own: rounded(one.own, one.measure),
                    control: rounded(one.control, one.measure), low: rounded(one.interval?.lowerBound, one.measure),
                    high: rounded(one.interval?.upperBound, one.measure), verdict: verdict, more: more)
            })
        return String(decoding: StrictJSON.encode(document), as: UTF8.self)
    }

    private struct Document: Encodable {
        struct Arm: Encodable {
            var arm: String
            var unlocks: Int
            var devices: Int
        }

        struct Difference: Encodable {
            var arm: String
            var measure: String
            var own: Double?
            var control: Double?
            var low: Double?
            var high: Double?
            var verdict: String
            var more: Int?

            enum CodingKeys: String, CodingKey {
                case arm, measure, own, control, low, high, verdict
                case more = "more_unlocks"
            }
        }

        var policy: String
        var control: String?
        var withheld: Int
        var arms: [Arm]
        var differences: [Difference]

        enum CodingKeys: String, CodingKey {
            case policy, control
            case withheld = "arms_withheld"
            case arms, differences
        }
    }
}
#endif
