/// A person's answers to the offer of biometrics, and when to offer them again.
///
/// It keeps answers, never whether biometrics are on: that is read from the keys. Its times are civil time, because a
/// week outlasts many restarts of a device, and because they decide only the day of the next offer.
public struct BiometricOffer: Hashable, Sendable, Codable {
    /// The numbers.
    public struct Rules: Hashable, Sendable, Codable {
        /// How long after "not now" the offer is not repeated.
        public var askAgainAfter: Duration
        /// How many times "not now" count as "never".
        public var mostTimes: Int

        /// A week, and three times.
        public init() {
            askAgainAfter = .seconds(7 * 24 * 3600)
            mostTimes = 3
        }
    }

    /// The person's answer.
    public enum Answer: String, Hashable, Sendable, Codable, CaseIterable {
        /// The person wants to set up biometrics.
        case setUp
        /// The person wants to be asked another time.
        case notNow
        /// The person does not want to be asked again.
        case never
    }

    /// Whether the person declined biometrics: they are neither offered nor set up.
    package private(set) var isDeclined = false
    private var timesPutOff = 0
    private var putOffAt: UnixTime?

    /// No answers yet.
    package init() {}

    /// Records the person's answer. "Set up" revokes every earlier refusal; making the key needs a stronger rung.
    package mutating func take(_ answer: Answer, at now: UnixTime) {
        switch answer {
        case .setUp: self = BiometricOffer()
        case .notNow:
            timesPutOff = max(timesPutOff, timesPutOff &+ 1)
            putOffAt = now
        case .never: isDeclined = true
        }
    }

    /// Whether to offer biometrics: the sensor is ready or waits for its first face or finger, the device is enrolled or the
    /// person has just signed in, the policy asks the sensor, there is no biometric key, and the person has not refused.
    package func isDue(
        _ readiness: Readiness, at now: UnixTime, under rules: Rules = Rules(), hasJustSignedIn: Bool = false
    ) -> Bool {
        guard [.ready, .notEnrolled].contains(readiness.biometry), readiness.isEnrolled || hasJustSignedIn,
            readiness.ladder.contains(.biometric)
        else { return false }
        let key = readiness.state(of: .biometric)
        guard key == .missing || key.isDead, !isDeclined, timesPutOff < rules.mostTimes else { return false }
        guard let putOffAt else { return true }
        // A clock that was set back does not silence the offer for years.
        return now < putOffAt || putOffAt + rules.askAgainAfter <= now
    }

    /// The offer's title.
    public static let title = PersonMessage(.offerTitle)
    /// The offer's text: the benefit, and where the data stays. `naming(_:)` gives it the sensor's name.
    public static let text = PersonMessage(.offerText)
    /// The text after a refusal.
    public static let later = PersonMessage(.offerLater)
    /// The buttons, in their order.
    public static let buttons: [(answer: Answer, words: PersonMessage)] = [
        (.setUp, PersonMessage(.setUp)), (.notNow, PersonMessage(.notNow)), (.never, PersonMessage(.never)),
    ]
}

extension BiometricOffer: CustomStringConvertible {
    /// For example `put off, times: 2`.
    public var description: String {
        if isDeclined { return "declined" }
        return timesPutOff == 0 ? "not refused" : "put off, times: \(timesPutOff)"
    }
}

extension BiometricOffer.Answer: CustomStringConvertible {
    /// The answer in words.
    public var description: String {
        switch self {
        case .setUp: "set up"
        case .notNow: "not now"
        case .never: "never"
        }
    }
}

extension BiometricOffer.Rules: CustomStringConvertible {
    /// For example `again after 604800.0 seconds, at most 3 times`.
    public var description: String { "again after \(askAgainAfter), at most \(mostTimes) times" }
}
