/// How long one person usually takes at one kind of sensor: the estimator behind adaptive times.
///
/// It is the one that TCP uses for its timeout (RFC 6298 section 2): the smoothed time and its smoothed variation, and an answer counts
/// as late after the time plus four times the variation. As in Karn's algorithm (RFC 6298 section 3) only first attempts are
/// samples. In a sentence: the hint comes when you have taken clearly longer than you usually do.
public struct Pace: Hashable, Sendable, Codable {
    /// Successful first attempts so far; counted up to `samplesNeeded`.
    public private(set) var samples = 0
    /// Flows in a row in which the sensor was asked and did not answer for the person.
    public private(set) var missesInARow = 0
    /// The smoothed time to a success, in milliseconds.
    private var usual: Int64 = 0
    /// The smoothed difference from it, in milliseconds.
    private var variation: Int64 = 0

    /// Fewer samples say nothing yet.
    static let samplesNeeded = 5
    /// So many flows in a row without a success, and the hint comes as early as it may.
    static let missesThatHurry = 3
    /// No sample is longer: a sensor's prompt lasts at most a minute.
    private static let longest: Int64 = 60_000

    /// Nobody is known yet.
    public init() {}

    /// Somebody for whom the sensor did not answer so often in a row.
    package init(missesInARow: Int) {
        self.missesInARow = min(missesInARow, Self.missesThatHurry)
    }

    /// Refuses what no history can say, so that a damaged one is known as damaged.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        samples = try values.decode(Int.self, forKey: .samples)
        missesInARow = try values.decode(Int.self, forKey: .missesInARow)
        usual = try values.decode(Int64.self, forKey: .usual)
        variation = try values.decode(Int64.self, forKey: .variation)
        guard (0...Self.samplesNeeded).contains(samples), (0...Self.missesThatHurry).contains(missesInARow),
            (0...Self.longest).contains(usual), (0...Self.longest).contains(variation)
        else { throw DecodingError.dataCorruptedError(forKey: .samples, in: values, debugDescription: "No such history.") }
    }

    /// The person matched at the first attempt, so long after the prompt.
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

    /// The person matched after all: a row of misses ends, and the time tells nothing.
    mutating func matchedLater() { missesInARow = 0 }

    /// The sensor was asked, and another rung or nobody answered.
    mutating func missed() { missesInARow = min(missesInARow + 1, Self.missesThatHurry) }

    /// After how long an answer is late; nil where too little is known.
    var late: Duration? {
        samples < Self.samplesNeeded ? nil : .milliseconds(usual + 4 * variation)
    }

    /// When the hint is due: never after the policy's time, and not before its earliest.
    func hint(_ policy: UnlockPolicy) -> Duration {
        if missesInARow >= Self.missesThatHurry { return policy.earliestHint }
        guard let late else { return policy.hintAfter }
        return min(max(late, policy.earliestHint), policy.hintAfter)
    }

    /// When the prompt gives way: as long after the hint as the policy says, within its bounds.
    func fallback(_ policy: UnlockPolicy) -> Duration {
        let afterHint = hint(policy) + (policy.fallbackAfter - policy.hintAfter)
        return min(max(afterHint, policy.earliestFallback), policy.fallbackAfter)
    }
}
