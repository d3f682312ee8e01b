#if Server
internal import ThumbturnCore

/// A report as JSON, with sorted members. Times are whole milliseconds, rates parts of 1. What is not known is left out.
///
///     {"by": "model", "days_withheld": 0, "findings": […], "from": "2026-11-14", "least_devices": 20, "rows": [ROW, …],
///      "rows_withheld": 2, "to": "2026-11-20", "total": ROW}
///
/// `from` and `to` are the first and last day of which something is shown. A row:
///
///     {"value": "iPhone17,3", "devices": 812, "days": 7, "days_withheld": 0, "unlocks": 9120, "successes": 8991,
///      "prompted": 9102, "sensor_asked": 9050, "ended_otherwise": 12,
///      "rates": {"success": 0.98586, "fallback": 0.04, …},
///      "time_to_authenticate": {"count": 8991, "p5": 610, …, "p99": 7400},
///      "time_counting_censored": {"p50": 1290, "p95": 3900},
///      "first_attempt_time": {…}, "sensor_matched_time": {…}, "sensor_not_matched_time": {…}, "time_until_left": {…},
///      "successes_by_rung": {"biometric": 8700, …}, "mismatches_before_success": [8100, 500, …],
///      "mismatches_before_fallback": [20, 60, …], "fallbacks_by_cause": {"timeout": 40, …},
///      "fallbacks": {"biometric_to_appPIN": 300, …}, "skips_by_code": {…}, "cancels_by_code": {"cancelledByUser": 80},
///      "failed_answers_by_code": {…}, "abandoned_by_phase": {"firstAttempt": 12}, "lockouts": {"temporary": 3},
///      "dead_keys": {"enrolmentChanged": 1}, "poor_readings": {"tooShort": 41}, "offers": {"setUp": 70, "never": 4},
///      "by_day": [{"day": "2026-11-14", "p50": 1280, "p95": 3800, "sensor_p50": 900}, …]}
///
/// `devices` is the number of distinct devices on the day with the most of them; above 255 it is an estimate.
/// `time_to_authenticate` is of successes alone; `time_counting_censored` counts unlocks without success for the time that they
/// lasted, and lacks quantiles that so many gave up before that they are not known. The names of `rates` are those of `Rate`.
package struct TelemetryDocument: Hashable, Sendable, Codable {
    package var by: String
    package var policy: String?
    package var from: String?
    package var to: String?
    package var leastDevices: Int
    package var rows: [Row]
    package var rowsWithheld: Int
    package var daysWithheld: Int
    package var total: Row?
    package var findings: [Difference]

    private enum CodingKeys: String, CodingKey {
        case by, policy, from, to
        case leastDevices = "least_devices"
        case rows
        case rowsWithheld = "rows_withheld"
        case daysWithheld = "days_withheld"
        case total, findings
    }

    /// A finding: `others` and `own` are milliseconds, or rates.
    package struct Difference: Hashable, Sendable, Codable {
        package var value: String
        package var measure: String
        package var own: Double
        package var others: Double
        package var since: String
    }

    /// Quantiles of times in milliseconds.
    package struct Quantiles: Hashable, Sendable, Codable {
        /// How many times there are; left out where some are censored.
        package var count: Int?
        package var p5: Int?
        package var p10: Int?
        package var p25: Int?
        package var p50: Int?
        package var p75: Int?
        package var p90: Int?
        package var p95: Int?
        package var p99: Int?

        /// The parts of the quantiles, in the order of the members.
        package static let parts = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]

        init(count: Int?, _ times: [Duration?]) {
            let times = times.map { $0?.nearestMilliseconds }
            (p5, p10, p25, p50) = (times[0], times[1], times[2], times[3])
            (p75, p90, p95, p99) = (times[4], times[5], times[6], times[7])
            self.count = count
        }

        init(_ times: TimeHistogram) { self.init(count: times.count, times.quantiles(Self.parts)) }

        /// The known quantiles with their parts, ascending.
        package var points: [(part: Double, milliseconds: Int)] {
            zip(Self.parts, [p5, p10, p25, p50, p75, p90, p95, p99]).compactMap { part, time in time.map { (part, $0) } }
        }
    }

    /// One day of a row.
    package struct Day: Hashable, Sendable, Codable {
        package var day: String
        package var p50: Int?
        package var p95: Int?
        package var sensorP50: Int?

        private enum CodingKeys: String, CodingKey {
            case day, p50, p95
            case sensorP50 = "sensor_p50"
        }
    }

    /// The numbers of one row.
    package struct Row: Hashable, Sendable, Codable {
        package var value: String
        package var devices: Int
        package var days: Int
        package var daysWithheld: Int
        package var unlocks: Int
        package var successes: Int
        package var prompted: Int
        package var sensorAsked: Int
        package var endedOtherwise: Int
        package var rates: [String: Double]
        package var timeToAuthenticate: Quantiles
        package var timeCountingCensored: Quantiles
        package var firstAttemptTime: Quantiles
        package var sensorMatchedTime: Quantiles
        package var sensorNotMatchedTime: Quantiles
        package var timeUntilLeft: Quantiles
        package var successesByRung: [String: Int]
        package var mismatchesBeforeSuccess: [Int]
        package var mismatchesBeforeFallback: [Int]
        package var fallbacksByCause: [String: Int]
        package var fallbacks: [String: Int]
        package var skipsByCode: [String: Int]
        package var cancelsByCode: [String: Int]
        package var failedAnswersByCode: [String: Int]
        package var abandonedByPhase: [String: Int]
        package var lockouts: [String: Int]
        package var deadKeys: [String: Int]
        package var poorReadings: [String: Int]
        package var offers: [String: Int]
        package var byDay: [Day]

        private enum CodingKeys: String, CodingKey {
            case value, devices, days
            case daysWithheld = "days_withheld"
            case unlocks, successes, prompted
            case sensorAsked = "sensor_asked"
            case endedOtherwise = "ended_otherwise"
            case rates
            case timeToAuthenticate = "time_to_authenticate"
            case timeCountingCensored = "time_counting_censored"
            case firstAttemptTime = "first_attempt_time"
            case sensorMatchedTime = "sensor_matched_time"
            case sensorNotMatchedTime = "sensor_not_matched_time"
            case timeUntilLeft = "time_until_left"
            case successesByRung = "successes_by_rung"
            case mismatchesBeforeSuccess = "mismatches_before_success"
            case mismatchesBeforeFallback = "mismatches_before_fallback"
            case fallbacksByCause = "fallbacks_by_cause"
            case fallbacks
            case skipsByCode = "skips_by_code"
            case cancelsByCode = "cancels_by_code"
            case failedAnswersByCode = "failed_answers_by_code"
            case abandonedByPhase = "abandoned_by_phase"
            case lockouts
            case deadKeys = "dead_keys"
            case poorReadings = "poor_readings"
            case offers
            case byDay = "by_day"
        }
    }
}

extension TelemetryReport {
    /// The report as compact JSON; see `TelemetryDocument`.
    package var json: String { String(decoding: StrictJSON.encode(document), as: UTF8.self) }

    /// The report as a value that is written as JSON and read back.
    package var document: TelemetryDocument {
        TelemetryDocument(
            by: dimension.rawValue, policy: policy, from: total?.days.first.map { UTCDay.text($0.day) },
            to: total?.days.last.map { UTCDay.text($0.day) }, leastDevices: leastDevices, rows: rows.map { .init($0) },
            rowsWithheld: withheldRows, daysWithheld: withheldDays, total: total.map { .init($0) },
            findings: findings.map { finding in
                let scale = finding.measure.isTime ? 1000.0 : 1
                return .init(
                    value: finding.value, measure: finding.measure.rawValue, own: rounded(finding.own * scale),
                    others: rounded(finding.others * scale), since: UTCDay.text(finding.day))
            })
    }
}

extension TelemetryDocument.Row {
    init(_ row: TelemetryReport.Row) {
        let tally = row.tally
        value = row.value
        devices = row.devices
        days = row.days.count
        daysWithheld = row.daysWithheld
        unlocks = tally[.unlocks]
        successes = tally.successes
        prompted = tally[.prompted]
        sensorAsked = tally[.sensorAsked]
        endedOtherwise = tally[.endedOtherwise]
        rates = [:]
        for rate in Rate.allCases { rates[rate.rawValue] = rate.of(tally).rate.map(rounded) }
        timeToAuthenticate = .init(tally.timesToAuthenticate)
        let curve = tally.timeCountingCensored
        timeCountingCensored = .init(count: nil, TelemetryDocument.Quantiles.parts.map(curve.quantile))
        firstAttemptTime = .init(tally[Times.firstAttempt])
        sensorMatchedTime = .init(tally[Times.sensorMatched])
        sensorNotMatchedTime = .init(tally[Times.sensorNotMatched])
        timeUntilLeft = .init(tally[Times.left])
        successesByRung = tally.named(Rung.allCases) { ($0.rawValue, .authenticated($0)) }
        let mismatches = 0...UnlockTally.Counter.mostMismatches
        mismatchesBeforeSuccess = mismatches.map { tally[.successesAfter(mismatches: $0)] }
        mismatchesBeforeFallback = mismatches.map { tally[.fallbacksAfter(mismatches: $0)] }
        fallbacksByCause = [:]
        fallbacks = [:]
        for cause in UnlockTally.Counter.Cause.allCases where tally.fallbacks(because: cause) > 0 {
            fallbacksByCause[cause.rawValue] = tally.fallbacks(because: cause)
        }
        for from in Rung.allCases {
            for to in Rung.allCases {
                let count = UnlockTally.Counter.Cause.allCases.reduce(0) {
                    $0 + tally[.fallbacks(from: from, to: to, because: $1)]
                }
                if count > 0 { fallbacks["\(from.rawValue)_to_\(to.rawValue)"] = count }
            }
        }
        skipsByCode = tally.named(Failure.Code.all) { ($0.name, .skips($0)) }
        cancelsByCode = tally.named(Failure.Code.all) { ($0.name, .cancelled($0)) }
        failedAnswersByCode = tally.named(Failure.Code.all) { ($0.name, .failedAnswers($0)) }
        abandonedByPhase = tally.named(UnlockTally.phases) { ($0.name, .abandoned(in: $0.phase)) }
        lockouts = tally.named(UnlockTally.lockouts) { ($0.rawValue, .lockouts($0)) }
        deadKeys = tally.named(KeyLoss.allCases) { ($0.rawValue, .deadKeys($0)) }
        poorReadings = tally.named(PoorReading.allCases) { ($0.rawValue, .poorReadings($0)) }
        offers = tally.named(BiometricOffer.Answer.allCases) { ($0.rawValue, .offers($0)) }
        byDay = row.days.map { day in
            .init(
                day: UTCDay.text(day.day), p50: day.median.map { Int(($0 * 1000).rounded()) },
                p95: day.p95.map { Int(($0 * 1000).rounded()) },
                sensorP50: day.sensorMedian.map { Int(($0 * 1000).rounded()) })
        }
    }

    private typealias Times = UnlockTally.Times
}

extension UnlockTally {
    /// The numbers that are not zero, by name.
    fileprivate func named<Key>(_ keys: [Key], _ counter: (Key) -> (String, Counter)) -> [String: Int] {
        keys.reduce(into: [:]) { named, key in
            let (name, counter) = counter(key)
            if self[counter] > 0 { named[name] = self[counter] }
        }
    }

    /// The kinds of lockout.
    static let lockouts: [Lockout] = [.temporary, .untilPasscode, .untilStrongerRung]

    /// The phases with their names.
    static let phases: [(name: String, phase: UnlockFlow.Phase)] =
        [
            ("beforeThePrompt", .beforeThePrompt), ("firstAttempt", .firstAttempt), ("retry", .retry), ("hinted", .hinted),
            ("signing", .signing), ("away", .away), ("ended", .ended),
        ] + Rung.allCases.map { ("fallback_\($0.rawValue)", .fallback($0)) }
}

/// With five digits behind the point, which is less than any sampling error.
private func rounded(_ number: Double) -> Double { (number * 100_000).rounded() / 100_000 }
#endif
