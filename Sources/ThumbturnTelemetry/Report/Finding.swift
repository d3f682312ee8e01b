#if Server
/// A row that differs clearly from all other rows of its report.
package struct Finding: Hashable, Sendable {
    /// The row.
    package var value: String
    /// What differs.
    package var measure: Measure
    /// The row's number since that day: seconds of a time, a part of 1 of a rate.
    package var own: Double
    /// The number of all other rows since that day.
    package var others: Double
    /// The day since which it is so.
    package var day: Int
    /// Whether that is the first day on which the row and others are shown: it may be so for longer.
    package var isFirstDay: Bool

    /// What can differ.
    package enum Measure: String, CaseIterable, Sendable {
        /// The P95 of the time to authenticate, of the unlocks that succeeded: half as long again as that of the others, and
        /// more.
        case p95
        /// The median time to a match of the sensor: half as long again as that of the others, and more. People who leave a slow
        /// sensor keep it out of the P95.
        case sensor
        /// The rate of fallbacks from the sensor: ten points above that of the others, and more.
        case fallback
        /// The rate of unlocks that were cancelled by the person or abandoned, by as much.
        case abandonment

        /// Whether its numbers are seconds.
        package var isTime: Bool {
            switch self {
            case .p95, .sensor: true
            case .fallback, .abandonment: false
            }
        }
    }

    /// For example `iPhone17,3: P95 of time to authenticate 9.8 s, others 2.1 s, since 2026-11-20.`
    package var sentence: String {
        let since = isFirstDay ? "on all days since \(UTCDay.text(day))" : "since \(UTCDay.text(day))"
        return switch measure {
        case .p95: "\(value): P95 of time to authenticate \(seconds(own)), others \(seconds(others)), \(since)."
        case .sensor: "\(value): median time to the sensor's match \(seconds(own)), others \(seconds(others)), \(since)."
        case .fallback: "\(value): \(Rate.fallback.words) \(Figures.percent(own)), others \(Figures.percent(others)), \(since)."
        case .abandonment:
            "\(value): \(Rate.abandonment.words) \(Figures.percent(own)), others \(Figures.percent(others)), \(since)."
        }
    }

    private func seconds(_ time: Double) -> String { Figures.fixed(time, 1) + " s" }

    // MARK: Search

    /// The findings of shown groups, times first, and of each measure the largest difference first.
    ///
    /// For each row the days speak for or against a difference. The day since which it is so is the one with the most days for it
    /// and the fewest against it from there on. The unlocks from there on must then differ clearly: their intervals, each so
    /// wide that those of all rows hold together with 95 %, must not meet.
    static func all(in groups: ReportGroups, leastDevices: Int) -> [Finding] {
        var days: [String: [DayPair]] = [:]
        for day in groups.days where day.shown.count > 1 {
            // The others are those that are shown, so that a sentence tells nothing of withheld ones.
            let sum = Numbers(day.shown.values.map { Numbers($0.tally) })
            for (value, group) in day.shown {
                let own = Numbers(group.tally)
                days[value, default: []].append(DayPair(day: day.day, own: own, others: sum.without(own)))
            }
        }
        let z = Normal.reach(ofIntervals: max(days.count, 1))
        return Measure.allCases.flatMap { measure in
            days.compactMap { find(measure, $0.key, $0.value, z) }
                .sorted { ($0.excess, $1.value) > ($1.excess, $0.value) }
        }
    }

    private static func find(_ measure: Measure, _ value: String, _ days: [DayPair], _ z: Double) -> Finding? {
        var (best, start, sum) = (0, days.endIndex, 0)
        for (index, pair) in days.enumerated().reversed() {
            sum += measure.differs(pair.own, pair.others, enough: Self.leastOfDay).map { $0 ? 1 : -1 } ?? 0
            // An earlier start counts only if it has more days for it than against it.
            if sum > best { (best, start) = (sum, index) }
        }
        guard start < days.endIndex else { return nil }
        let own = Numbers(days[start...].map(\.own))
        let others = Numbers(days[start...].map(\.others))
        guard measure.differs(own, others, enough: Self.least) == true, measure.differsSurely(own, others, z),
            let ownNumber = measure.number(own), let otherNumber = measure.number(others)
        else { return nil }
        return Finding(
            value: value, measure: measure, own: ownNumber, others: otherNumber, day: days[start].day, isFirstDay: start == 0)
    }

    private var excess: Double {
        switch measure {
        case .p95, .sensor: others > 0 ? own / others : .greatestFiniteMagnitude
        case .fallback, .abandonment: own - others
        }
    }

    /// Fewer unlocks of a day, or in total, say too little about a P95.
    private static let leastOfDay = 20
    private static let least = 100

    /// One day of a row and of all others.
    private struct DayPair {
        let day: Int
        let own: Numbers
        let others: Numbers
    }

    /// What the measures need.
    fileprivate struct Numbers {
        var times: TimeHistogram
        var sensor: TimeHistogram
        var fallback: Proportion
        var abandonment: Proportion

        init(_ tally: UnlockTally) {
            times = tally.timesToAuthenticate
            sensor = tally[UnlockTally.Times.sensorMatched]
            fallback = Rate.fallback.of(tally)
            abandonment = Rate.abandonment.of(tally)
        }

        init(_ parts: [Numbers]) {
            times = parts.reduce(into: TimeHistogram()) { $0.merge($1.times) }
            sensor = parts.reduce(into: TimeHistogram()) { $0.merge($1.sensor) }
            fallback = parts.reduce(Proportion(0, of: 0)) { $0 + $1.fallback }
            abandonment = parts.reduce(Proportion(0, of: 0)) { $0 + $1.abandonment }
        }

        func without(_ part: Numbers) -> Numbers {
            var rest = self
            rest.times = times.without(part.times)
            rest.sensor = sensor.without(part.sensor)
            rest.fallback = fallback.without(part.fallback)
            rest.abandonment = abandonment.without(part.abandonment)
            return rest
        }
    }
}

extension Finding.Measure {
    fileprivate func number(_ numbers: Finding.Numbers) -> Double? {
        switch self {
        case .p95: numbers.times.quantile(0.95)?.inSeconds
        case .sensor: numbers.sensor.quantile(0.5)?.inSeconds
        case .fallback: numbers.fallback.rate
        case .abandonment: numbers.abandonment.rate
        }
    }

    /// Whether a row is much worse than the others; nil where one of both has fewer unlocks than this.
    fileprivate func differs(_ own: Finding.Numbers, _ others: Finding.Numbers, enough: Int) -> Bool? {
        let least = min(count(own), count(others))
        guard least >= enough, let ownNumber = number(own), let otherNumber = number(others) else { return nil }
        return switch self {
        case .p95, .sensor: ownNumber > 1.5 * otherNumber
        case .fallback, .abandonment: ownNumber > otherNumber + 0.1
        }
    }

    /// Whether the intervals of both do not meet.
    fileprivate func differsSurely(_ own: Finding.Numbers, _ others: Finding.Numbers, _ z: Double) -> Bool {
        switch self {
        case .p95:
            own.times.quantileInterval(0.95, z: z).lowerBound > others.times.quantileInterval(0.95, z: z).upperBound
        case .sensor:
            own.sensor.quantileInterval(0.5, z: z).lowerBound > others.sensor.quantileInterval(0.5, z: z).upperBound
        case .fallback: (own.fallback.difference(from: others.fallback, z: z)?.lowerBound ?? 0) > 0
        case .abandonment: (own.abandonment.difference(from: others.abandonment, z: z)?.lowerBound ?? 0) > 0
        }
    }

    private func count(_ numbers: Finding.Numbers) -> Int {
        switch self {
        case .p95: numbers.times.count
        case .sensor: numbers.sensor.count
        case .fallback: numbers.fallback.total
        case .abandonment: numbers.abandonment.total
        }
    }
}

extension TimeHistogram {
    /// An interval of a quantile, in seconds, by the ranks of the binomial distribution, normally approximated (David and
    /// Nagaraja, "Order Statistics", 2003, section 7.1).
    func quantileInterval(_ part: Double, z: Double) -> ClosedRange<Double> {
        let n = Double(count)
        guard n > 0 else { return 0...0 }
        let reach = z * (part * (1 - part) / n).squareRoot()
        let ends = quantiles([max(part - reach, 0), min(part + reach + 1 / n, 1)]).map { $0?.inSeconds ?? 0 }
        return ends[0]...max(ends[0], ends[1])
    }
}
#endif
