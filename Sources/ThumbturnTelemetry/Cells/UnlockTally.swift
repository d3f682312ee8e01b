#if Server
package import ThumbturnCore

/// The numbers of many unlocks, without the unlocks: counters, and histograms of times.
///
/// Adding and merging in any order give the same tally with the same bytes.
package struct UnlockTally: Equatable, Sendable {
    private var counts = [UInt64](repeating: 0, count: Counter.places)
    /// By `Times`.
    private var histograms = [TimeHistogram](repeating: TimeHistogram(), count: Times.allCases.count)

    /// The most of one number in stored bytes: a trillion. So sums of tallies never overflow.
    static let mostCounted: UInt64 = 1 << 40

    /// The times that a tally has a histogram of. Their order is stored.
    package enum Times: Int, CaseIterable, Sendable {
        /// From the first prompt to the success of a rung.
        case biometric, devicePasscode, appPIN, fullCredentials
        /// From the first prompt to the success of the sensor's first attempt.
        case firstAttempt
        /// From the appearance of the sensor's prompt to a match.
        case sensorMatched
        /// From the appearance of the sensor's prompt to a mismatch; a further one in the same prompt counts from there, too.
        case sensorNotMatched
        /// From the first prompt to the end of an unlock without success, as far as it is known: see `add`.
        case censored
        /// From the first prompt to a cancel by the person, or to the end of an abandoned unlock. They are among the censored,
        /// too.
        case left

        /// The time to authenticate of a rung.
        package init(_ rung: Rung) {
            self =
                switch rung {
                case .biometric: .biometric
                case .devicePasscode: .devicePasscode
                case .appPIN: .appPIN
                case .fullCredentials: .fullCredentials
                }
        }
    }

    /// No unlock.
    package init() {}

    /// One of the numbers.
    package subscript(counter: Counter) -> Int { Int(clamping: counts[counter.place]) }

    /// One of the histograms.
    package subscript(times: Times) -> TimeHistogram { histograms[times.rawValue] }

    /// Adds the numbers of another tally.
    package mutating func merge(_ other: UnlockTally) {
        for place in counts.indices { counts[place] += other.counts[place] }
        for index in histograms.indices { histograms[index].merge(other.histograms[index]) }
    }

    /// Has the answers to offers of these tallies, in the place of its own.
    mutating func setOffers(of tallies: [UnlockTally]) {
        for answer in BiometricOffer.Answer.allCases {
            let place = Counter.offers(answer).place
            counts[place] = tallies.reduce(0) { $0 + $1.counts[place] }
        }
    }

    // MARK: Adding

    /// Counts one unlock, or the answer to an offer, which is a report of its own and no unlock.
    ///
    /// The first of `authenticated`, `cancelled` and `abandoned` is its end; what comes after it is ignored. An unlock without
    /// success is censored at the latest time that its events tell: the total of the last answer, or the time of `abandoned`.
    package mutating func add(_ report: UnlockReport) {
        if case .offerAnswered(let answer)? = report.events.first { return count(.offers(answer)) }
        var unlock = Unlock()
        count(.unlocks)
        events: for event in report.events {
            switch event {
            case .promptShown(let rung):
                count(.promptsShown(rung))
                unlock.prompt = rung
                if rung == .biometric { unlock.sensorAsked = true }
            case .promptAppeared(let rung, _):
                count(.promptsAppeared(rung))
                unlock.hasAppeared = true
            case .sensorAnswered(let outcome, let after, let total):
                answered(outcome, after: after, total: total, &unlock)
            case .readPoorly(let reading): count(.poorReadings(reading))
            // The mismatch before it is counted; an answer to an offer begins its report.
            case .retry, .offerAnswered: break
            case .hintShown: unlock.isHinted = true
            case .fellBack(let from, let to, let trigger): fellBack(from, to, trigger, &unlock)
            case .lockedOut(let lockout):
                count(.lockouts(lockout))
                unlock.metLockout = true
            case .keyInvalidated(let loss):
                count(.deadKeys(loss))
                unlock.metDeadKey = true
            case .authenticated(let rung, let after, let attempts):
                authenticated(rung, after, attempts, unlock)
                unlock.hasEnded = true
                break events
            case .cancelled(let code):
                count(.cancelled)
                count(.cancelled(code))
                ended(at: unlock.latest, left: code == .cancelledByUser, unlock)
                unlock.hasEnded = true
                break events
            case .abandoned(let phase, let after):
                count(.abandoned)
                count(.abandoned(in: phase))
                ended(at: max(unlock.latest, after), left: true, unlock)
                unlock.hasEnded = true
                break events
            }
        }
        if !unlock.hasEnded {
            count(.endedOtherwise)
            ended(at: unlock.latest, left: false, unlock)
        }
        if unlock.hasAppeared { count(.prompted) }
        if unlock.sensorAsked { count(.sensorAsked) }
        if unlock.isHinted { count(.hinted) }
        if unlock.fellBack { count(.fellBack) }
        if unlock.timedOut { count(.timedOut) }
        if unlock.metLockout { count(.withLockout) }
        if unlock.metDeadKey { count(.withDeadKey) }
        if unlock.sensorMismatches > 0 { count(.withMismatch) }
    }

    /// What is known of one unlock while its events are read.
    private struct Unlock {
        /// The rung of the latest prompt.
        var prompt: Rung?
        /// The latest total time.
        var latest = Duration.zero
        var sensorMismatches = 0
        var otherMismatches = 0
        var sensorAsked = false
        var hasAppeared = false
        var isHinted = false
        var fellBack = false
        var timedOut = false
        var metLockout = false
        var metDeadKey = false
        var hasEnded = false
    }

    private mutating func answered(
        _ outcome: Telemetry.Outcome, after: Duration, total: Duration, _ unlock: inout Unlock
    ) {
        unlock.latest = max(unlock.latest, total)
        let isSensor = unlock.prompt == .biometric
        switch outcome {
        case .matched:
            guard isSensor else { return }
            count(.sensorMatches)
            record(after, as: .sensorMatched)
        // A PIN that was not judged yet.
        case .entered: break
        case .failed(.notMatched):
            count(.failedAnswers(.notMatched))
            guard isSensor else {
                count(.otherMismatches)
                unlock.otherMismatches += 1
                return
            }
            count(.sensorMismatches)
            record(after, as: .sensorNotMatched)
            unlock.sensorMismatches += 1
        case .failed(let code):
            count(.failedAnswers(code))
            if isSensor, code == .timedOut { unlock.timedOut = true }
        }
    }

    private mutating func fellBack(_ from: Rung, _ to: Rung, _ trigger: Trigger, _ unlock: inout Unlock) {
        count(.fallbacks(from: from, to: to, because: .init(trigger)))
        if case .skipped(let code) = trigger { count(.skips(code)) }
        if from == .biometric, unlock.sensorAsked {
            if !unlock.fellBack { count(.fallbacksAfter(mismatches: unlock.sensorMismatches)) }
            unlock.fellBack = true
            if trigger == .timeout { unlock.timedOut = true }
        }
    }

    private mutating func authenticated(_ rung: Rung, _ time: Duration, _ attempts: Int, _ unlock: Unlock) {
        count(.authenticated(rung))
        record(time, as: Times(rung))
        guard rung == .biometric else { return }
        count(.successesAfter(mismatches: unlock.sensorMismatches))
        if attempts <= 1, unlock.sensorMismatches + unlock.otherMismatches == 0 {
            count(.firstAttempt)
            record(time, as: .firstAttempt)
        }
    }

    private mutating func ended(at time: Duration, left: Bool, _ unlock: Unlock) {
        record(time, as: .censored)
        guard left else { return }
        record(time, as: .left)
        if unlock.timedOut { count(.leftAfterTimeout) }
        if unlock.isHinted { count(.leftAfterHint) }
    }

    private mutating func count(_ counter: Counter) { counts[counter.place] += 1 }
    private mutating func record(_ time: Duration, as times: Times) { histograms[times.rawValue].record(time) }

    // MARK: Storage

    /// A form to store: a version, the counters that are not zero with their places, and the histograms that are not empty.
    package var bytes: [UInt8] {
        var writer = CompactWriter()
        writer.put(Self.version)
        let places = counts.indices.filter { counts[$0] > 0 }
        writer.put(places.count)
        var last = -1
        for place in places {
            writer.put(place - last)
            writer.put(counts[place])
            last = place
        }
        for histogram in histograms { histogram.write(to: &writer) }
        return writer.bytes
    }

    /// Reads the stored form. Throws `DamagedBytes` for anything else, and where the numbers contradict each other.
    package init(bytes: [UInt8]) throws {
        var reader = CompactReader(bytes)
        let version = try reader.number()
        guard version == Self.version else { throw DamagedBytes("expected version \(Self.version) of a tally, found \(version)") }
        var place = -1
        for _ in 0..<(try reader.count(upTo: Counter.places)) {
            place += try reader.count(upTo: Counter.places)
            guard counts.indices.contains(place), counts[place] == 0 else {
                throw DamagedBytes("expected ascending places below \(Counter.places), found \(place)")
            }
            counts[place] = try reader.number(upTo: Self.mostCounted)
            guard counts[place] > 0 else { throw DamagedBytes("expected no counters of zero, found one at \(place)") }
        }
        for index in histograms.indices { histograms[index] = try TimeHistogram(from: &reader) }
        try reader.finish()
        if let problem = contradiction { throw DamagedBytes(problem) }
    }

    /// What cannot be so; nil of every tally that was counted. So rates of what was read are between 0 and 1.
    private var contradiction: String? {
        let all = self[.unlocks]
        let ends = successes + self[.cancelled] + self[.abandoned] + self[.endedOtherwise]
        guard ends == all else { return "expected an end of each of \(all) unlocks, found \(ends) ends" }
        let parts: [Counter] = [
            .prompted, .sensorAsked, .hinted, .firstAttempt, .fellBack, .timedOut, .leftAfterTimeout, .leftAfterHint,
            .withLockout,
            .withDeadKey, .withMismatch,
        ]
        guard parts.allSatisfy({ self[$0] <= all }) else { return "expected parts of \(all) unlocks, found a larger one" }
        guard self[.fellBack] <= self[.sensorAsked], self[.leftAfterTimeout] <= self[.timedOut],
            self[.leftAfterHint] <= self[.hinted],
            self[.firstAttempt] <= self[.authenticated(.biometric)], self[Times.censored].count == all - successes,
            self[Times.left].count <= self[Times.censored].count, self[Times.firstAttempt].count == self[Counter.firstAttempt],
            self[Times.sensorMatched].count == self[.sensorMatches],
            self[Times.sensorNotMatched].count == self[.sensorMismatches],
            Rung.allCases.allSatisfy({ self[Times($0)].count == self[.authenticated($0)] })
        else { return "expected counters and histograms of the same unlocks, found different numbers" }
        return nil
    }

    private static let version: UInt64 = 1
}
#endif
