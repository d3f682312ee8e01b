/// The time limits of the sensor's prompts in one flow, counted from the first of them. Time away from the app is
/// excluded.
package struct SensorClock: Hashable, Sendable {
    /// When the sensor was first asked, later by the time that the app was away.
    private(set) var started: Instant
    /// When the running retry ends; nil during the first attempt.
    var retryUntil: Instant?
    /// Whether the hint was shown.
    var isHintShown = false
    /// Poor readings, counted up to `poorReadingsThatHurry`.
    private var poorReadings = 0

    /// Poor readings after which the hint appears at the policy's earliest time, because the person may want another
    /// way.
    private static let poorReadingsThatHurry = 3

    /// The clock of a sensor that is asked for the first time.
    init(started: Instant) {
        self.started = started
    }

    /// Excludes an absence from all limits.
    mutating func exclude(_ absence: Duration) {
        started = started.advanced(by: absence)
        retryUntil = retryUntil?.advanced(by: absence)
    }

    /// Counts a poor reading; true for the one that brings the hint forward.
    mutating func countPoorReading() -> Bool {
        guard poorReadings < Self.poorReadingsThatHurry else { return false }
        poorReadings += 1
        return poorReadings == Self.poorReadingsThatHurry
    }

    /// Whether a mismatch now may be followed by a retry.
    func mayRetry(at now: Instant, _ policy: UnlockPolicy, _ person: Person) -> Bool {
        guard let window = person.extraTime.applied(to: policy.retryWindow) else { return true }
        return started.duration(to: now) < window
    }

    /// The next time at which the hint or the fallback is due; nil where neither is.
    func deadline(_ policy: UnlockPolicy, _ person: Person) -> Instant? {
        switch (hintTime(policy, person), fallbackTime(policy, person)) {
        case (let hint?, let fallback?): min(hint, fallback)
        case (let hint, let fallback): hint ?? fallback
        }
    }

    /// When the hint is due; nil where it was shown, or where the person has no time limits. Poor readings bring it
    /// forward.
    func hintTime(_ policy: UnlockPolicy, _ person: Person) -> Instant? {
        guard !isHintShown else { return nil }
        let due = poorReadings >= Self.poorReadingsThatHurry ? policy.earliestHint : person.pace.hint(policy)
        return person.extraTime.applied(to: due).map { started.advanced(by: $0) }
    }

    /// When the prompt gives way to the next rung. A retry may end sooner than the limit, never later. Nil for people
    /// who need more time, whose prompts wait for them.
    func fallbackTime(_ policy: UnlockPolicy, _ person: Person) -> Instant? {
        guard person.extraTime == .none else { return nil }
        let limit = started.advanced(by: person.pace.fallback(policy))
        guard let retryUntil else { return limit }
        return min(limit, retryUntil)
    }
}
