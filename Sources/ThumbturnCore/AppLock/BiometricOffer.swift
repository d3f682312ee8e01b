/// What a person said to the offer of biometrics, and when to offer them.
///
/// It keeps wishes, never whether biometrics are on: that is read from the keys. Its times are civil time, because a week outlives
/// many starts of a device; nothing depends on them but the day of a question.
public struct BiometricOffer: Hashable, Sendable, Codable {
    /// The numbers.
    public struct Rules: Hashable, Sendable, Codable {
        /// So long after "not now" nobody is asked again.
        public var askAgainAfter: Duration
        /// So many times "not now" are a "no".
        public var mostTimes: Int

        /// A week, and three times.
        public init() {
            askAgainAfter = .seconds(7 * 24 * 3600)
            mostTimes = 3
        }
    }

    /// What the person says.
    public enum Answer: Hashable, Sendable {
        case setUp
        case notNow
        case never
    }

    /// The person does not want biometrics here: they are neither offered nor set up.
    public private(set) var isDeclined = false
    private var timesPutOff = 0
    private var putOffAt: UnixTime?

    /// Nobody has been asked.
    public init() {}

    /// Takes the person's answer. "Set up" takes back every earlier no; whether a key is made is another matter, and needs a
    /// stronger rung.
    public mutating func take(_ answer: Answer, at now: UnixTime) {
        switch answer {
        case .setUp: self = BiometricOffer()
        case .notNow:
            timesPutOff += 1
            putOffAt = now
        case .never: isDeclined = true
        }
    }

    /// Whether to offer them: the sensor is ready, the device is enrolled, its policy asks the sensor, there is no key behind it,
    /// and the person has not said no.
    public func isDue(_ readiness: Readiness, at now: UnixTime, under rules: Rules = Rules()) -> Bool {
        guard readiness.biometry == .ready, readiness.isEnrolled, readiness.ladder.contains(.biometric) else { return false }
        let key = readiness.state(of: .biometric)
        guard key == .missing || key.isDead, !isDeclined, timesPutOff < rules.mostTimes else { return false }
        guard let putOffAt else { return true }
        // A clock that was set back does not silence the offer for years.
        return now < putOffAt || putOffAt + rules.askAgainAfter <= now
    }

    /// What the offer says.
    public static let title = PersonMessage(.offerTitle)
    /// Why it is worth it, and where the data stays.
    public static let text = PersonMessage(.offerText)
    /// What is said after a no.
    public static let later = PersonMessage(.offerLater)
    /// The buttons, in their order.
    public static let buttons: [(answer: Answer, words: PersonMessage)] = [
        (.setUp, PersonMessage(.setUp)), (.notNow, PersonMessage(.notNow)), (.never, PersonMessage(.never)),
    ]
}
