/// How long one person usually takes at one kind of sensor: the estimator behind adaptive times.
///
/// TCP uses the same estimator for its retransmission timeout (RFC 6298 section 2): a smoothed time and its smoothed
/// variation. An answer is late after the time plus four times the variation. As in Karn's algorithm (RFC 6298 section
/// 3) only first attempts are samples. In short: the hint appears when the person has taken clearly longer than usual.
package struct Pace: Hashable, Sendable, Codable {
    /// Successful first attempts so far; counted up to `samplesNeeded`.
    package private(set) var samples = 0
    /// Consecutive flows in which the sensor was asked and did not match the person.
    package private(set) var missesInARow = 0
    /// The smoothed time to a success, in milliseconds.
    private var usual: Int64 = 0
    /// The smoothed difference from it, in milliseconds.
    private var variation: Int64 = 0

    /// The number of samples below which there is no estimate.
    static let samplesNeeded = 5
    /// Consecutive misses after which the hint appears at the earliest time that the policy allows.
    static let missesThatHurry = 3
    /// The longest sample: a sensor's prompt lasts at most a minute.
    private static let longest: Int64 = 60_000

    /// No samples yet.
    package init() {}

    /// No samples, and a number of consecutive misses.
    package init(missesInARow: Int) {
        self.missesInARow = min(missesInARow, Self.missesThatHurry)
    }

    /// Throws `DecodingError` for values outside their bounds, so that a damaged history is recognised.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        samples = try values.decode(Int.self, forKey: .samples)
        missesInARow = try values.decode(Int.self, forKey: .missesInARow)
        usual = try values.decode(Int64.self, forKey: .usual)
        variation = try values.decode(Int64.self, forKey: .variation)
        guard (0...Self.samplesNeeded).contains(samples), (0...Self.missesThatHurry).contains(missesInARow),
            (0...Self.longest).contains(usual), (0...Self.longest).contains(variation)
        else {
            throw DecodingError.dataCorruptedError(forKey: .samples, in: values, debugDescription: "a value is out of its bounds")
        }
    }

    /// Records a match at the first attempt, this long after the prompt appeared.
    mutating func matched(after time: Duration) {
        missesInARow = 0
        let sample = min(max(time.milliseconds, 0), Self.longest)
        if samples == 0 {
            (usual, variation) = (sample, sample / 2)
        } else {
            variation = (3 * variation + abs(usual - sample)) / 4
            usual = (7 * usual + sample) / 8
        }
        samples = min(samples + 1, Self.samplesNeeded)
    }

    /// Records a match at a later attempt: it ends a row of misses, and its time is no sample.
    mutating func matchedLater() { missesInARow = 0 }

    /// Records that the sensor was asked and did not match the person.
    mutating func missed() { missesInARow = min(missesInARow + 1, Self.missesThatHurry) }

    /// The time after which an answer is late; nil without enough samples.
    private var late: Duration? {
        samples < Self.samplesNeeded ? nil : .milliseconds(usual + 4 * variation)
    }

    /// The time to the hint: never above the policy's time, and never below its earliest.
    func hint(_ policy: UnlockPolicy) -> Duration {
        if missesInARow >= Self.missesThatHurry { return policy.earliestHint }
        guard let late else { return policy.hintAfter }
        return min(max(late, policy.earliestHint), policy.hintAfter)
    }

    /// The time to the forced fallback: as long after the hint as in the policy, within the policy's bounds.
    func fallback(_ policy: UnlockPolicy) -> Duration {
        let afterHint = hint(policy) + (policy.fallbackAfter - policy.hintAfter)
        return min(max(afterHint, policy.earliestFallback), policy.fallbackAfter)
    }
}
