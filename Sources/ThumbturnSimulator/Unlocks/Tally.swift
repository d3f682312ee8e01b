#if Server
import ThumbturnCore

/// The counts of many unlocks, which add up in any order.
struct Tally {
    /// Unlocks by the right person.
    var unlocks = 0
    var strangers = 0
    /// Strangers who got in, of whom there must be none.
    var strangersIn = 0
    var completed = 0
    /// Unlocks that a rung let in, in the order of `Rung.allCases`.
    var byRung = [Int](repeating: 0, count: Rung.allCases.count)
    /// Unlocks that left the sensor for another rung, and of these by the time's end, by mismatches and by choice.
    var fallbacks = 0
    var timeouts = 0
    var mismatches = 0
    var choices = 0
    /// Why people left, in the order of `UnlockOutcome.Leaving.allCases`.
    var left = [Int](repeating: 0, count: UnlockOutcome.Leaving.allCases.count)
    /// The sensor's parts of flows, and those of them that took longer than 8 s.
    var attempts = 0
    var slow = 0
    /// Of the slow ones those that ended by the time's end, by a cancel or by the choice of another way.
    var slowUnresolved = 0
    /// Unlocks whose sensor's part ended by the time's end or otherwise without a match, and how many of each left.
    var timedOut = 0
    var timedOutAndLeft = 0
    var unmatched = 0
    var unmatchedAndLeft = 0
    var hinted = 0
    var prompts = 0
    /// Flows, as a server's report counts unlocks, and of these the cancelled ones.
    var flows = 0
    var cancelledFlows = 0
    /// Attempts that ended by the time's end, and the mismatches of all that ended with a match or a fallback.
    var timeoutAttempts = 0
    var endedAttempts = 0
    var mismatchesOfAttempts = 0
    /// Times to a match without a mismatch before it.
    var firstTimes = TimeCounts()
    /// Times to a match of the sensor, from the prompt of its own flow.
    var sensorTimes = TimeCounts()
    /// Times from the first prompt to a success on any rung.
    var times = TimeCounts()

    private static let slowFrom = Duration.seconds(8)

    mutating func add(_ outcome: UnlockOutcome) {
        guard !outcome.isStranger else {
            strangers += 1
            if outcome.rung != nil { strangersIn += 1 }
            return
        }
        unlocks += 1
        prompts += outcome.prompts
        flows += outcome.flows
        cancelledFlows += outcome.cancelledFlows
        if outcome.hints > 0 { hinted += 1 }
        if let rung = outcome.rung {
            completed += 1
            byRung[rung.place] += 1
            times.add(outcome.time)
        } else {
            left[(outcome.left ?? .noWay).place] += 1
        }
        if let fallback = outcome.fallback {
            fallbacks += 1
            switch fallback {
            case .timeout: timeouts += 1
            case .mismatches, .lockedOut: mismatches += 1
            case .choice: choices += 1
            case .skipped, .keyInvalidated: break
            }
        }
        for attempt in outcome.attempts {
            attempts += 1
            if attempt.end == .timeout { timeoutAttempts += 1 }
            if attempt.end == .matched {
                sensorTimes.add(attempt.time)
                if attempt.mismatches == 0 { firstTimes.add(attempt.time) }
            }
            if attempt.end != .cancelled {
                endedAttempts += 1
                mismatchesOfAttempts += attempt.mismatches
            }
            guard attempt.time > Self.slowFrom else { continue }
            slow += 1
            if [.timeout, .cancelled, .choice].contains(attempt.end) { slowUnresolved += 1 }
        }
        if outcome.attempts.contains(where: { $0.end == .timeout }) {
            timedOut += 1
            if outcome.rung == nil { timedOutAndLeft += 1 }
        } else if !outcome.attempts.isEmpty, !outcome.attempts.contains(where: { $0.end == .matched }) {
            unmatched += 1
            if outcome.rung == nil { unmatchedAndLeft += 1 }
        }
    }

    mutating func add(_ other: Tally) {
        unlocks += other.unlocks
        strangers += other.strangers
        strangersIn += other.strangersIn
        completed += other.completed
        for place in byRung.indices { byRung[place] += other.byRung[place] }
        fallbacks += other.fallbacks
        timeouts += other.timeouts
        mismatches += other.mismatches
        choices += other.choices
        for place in left.indices { left[place] += other.left[place] }
        attempts += other.attempts
        slow += other.slow
        slowUnresolved += other.slowUnresolved
        timedOut += other.timedOut
        timedOutAndLeft += other.timedOutAndLeft
        unmatched += other.unmatched
        unmatchedAndLeft += other.unmatchedAndLeft
        hinted += other.hinted
        prompts += other.prompts
        flows += other.flows
        cancelledFlows += other.cancelledFlows
        timeoutAttempts += other.timeoutAttempts
        endedAttempts += other.endedAttempts
        mismatchesOfAttempts += other.mismatchesOfAttempts
        firstTimes.add(other.firstTimes)
        sensorTimes.add(other.sensorTimes)
        times.add(other.times)
    }
}

/// How many times fell into each hundredth of a second, up to five minutes. Longer ones count as five minutes.
struct TimeCounts {
    private static let (width, most) = (Duration.milliseconds(10), 30_000)
    private var counts = [UInt32](repeating: 0, count: most + 1)
    private(set) var total = 0

    mutating func add(_ time: Duration) {
        counts[min(max(Int(time / Self.width), 0), Self.most)] += 1
        total += 1
    }

    mutating func add(_ other: TimeCounts) {
        for place in counts.indices { counts[place] += other.counts[place] }
        total += other.total
    }

    /// The smallest time, in seconds, that this share of the times does not exceed; nil without times.
    func quantile(_ share: Double) -> Double? {
        guard total > 0 else { return nil }
        let rank = max(Int((share * Double(total)).rounded(.up)), 1)
        var seen = 0
        for (place, count) in counts.enumerated() {
            seen += Int(count)
            if seen >= rank { return Double(place + 1) / 100 }
        }
        return nil
    }

    /// The share of times up to each of these, in seconds.
    func shares(upTo seconds: [Double]) -> [Double] {
        var (sum, next, sums) = (0, 0, [Double]())
        for second in seconds {
            let end = min(Int(second * 100), counts.count)
            while next < end {
                sum += Int(counts[next])
                next += 1
            }
            sums.append(total == 0 ? 0 : Double(sum) / Double(total))
        }
        return sums
    }
}

extension CaseIterable where Self: Equatable, AllCases.Index == Int {
    /// The place of the case among all.
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
#endif
