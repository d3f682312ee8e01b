/// A text for the person, with the number and the sensor's name that belong into it. It holds no data of the app, the person or the
/// platform.
public struct PersonMessage: Hashable, Sendable {
    /// Which text.
    package let key: MessageKey
    private let value: Value
    /// The sensor that the text names; nil for the neutral words.
    private var sensor: SensorName?

    private enum Value: Hashable, Sendable {
        case none
        case time(Duration)
        case tries(Int)
        case digits(Int)
    }

    private init(_ key: MessageKey, _ value: Value) {
        self.key = key
        self.value = value
    }

    /// Creates a text without a number. The key's text must not have a place for one.
    package init(_ key: MessageKey) {
        precondition(key.placeholder == nil, "a text with a place for a number is made with that number")
        self.init(key, .none)
    }

    /// Nothing can be tried for this long.
    package static func wait(_ time: Duration) -> PersonMessage { PersonMessage(.waitFor, .time(time)) }
    /// The sensor is not asked for this long.
    package static func sensorRests(for time: Duration) -> PersonMessage { PersonMessage(.sensorRestsFor, .time(time)) }
    /// The server refuses this device, and not the person's other devices, for this long.
    package static func coolingOff(for time: Duration) -> PersonMessage { PersonMessage(.coolingOffFor, .time(time)) }
    /// No PIN is taken for this long.
    package static func pinPaused(for time: Duration) -> PersonMessage { PersonMessage(.pinPausedFor, .time(time)) }
    /// The PIN did not match, and this many tries are left. Negative counts become 0.
    package static func pinTriesLeft(_ count: Int) -> PersonMessage { PersonMessage(.pinTriesLeft, .tries(max(count, 0))) }

    /// How many digits of a PIN were entered. Negative counts become 0.
    package static func digitsEntered(_ count: Int) -> PersonMessage { PersonMessage(.digitsEntered, .digits(max(count, 0))) }

    /// The name of the text, such as `usePIN`. It is stable: an app that replaces texts tells them apart by it.
    public var id: String { key.rawValue }

    /// The same text with the name of this device's sensor, where it speaks of one: "Use Face ID" instead of "Use face or
    /// finger". Nil gives the neutral words.
    public func naming(_ sensor: SensorName?) -> PersonMessage {
        guard key.namesSensor else { return self }
        var message = self
        message.sensor = sensor
        return message
    }

    /// The text in a language.
    public func text(in language: MessageLanguage) -> String {
        let number = number(in: language)
        return switch language {
        case .english: key.english(number, .english(sensor))
        case .german: key.german(number, .german(sensor))
        case .french: key.french(number, .french(sensor))
        case .spanish: key.spanish(number, .spanish(sensor))
        case .arabic: key.arabic(number, .arabic(sensor))
        }
    }

    /// The number with its noun. In a text from right to left it stands in an isolate (UAX #9 section 2.4.2), so that
    /// its parts keep their order.
    private func number(in language: MessageLanguage) -> String {
        let phrase: String
        switch value {
        case .none: return ""
        case .tries(let count): phrase = CountedNoun.tries(Int64(count)).text(in: language)
        case .digits(let count): phrase = CountedNoun.digits(Int64(count)).text(in: language)
        case .time(let time):
            // Rounded up, so that a person who waits as long as the text says has waited long enough.
            let seconds = time.wholeSecondsRoundedUp
            let minutes = max(seconds - 1, 0) / 60 + 1
            let noun: CountedNoun =
                seconds <= 90 ? .seconds(seconds) : minutes <= 120 ? .minutes(minutes) : .hours((minutes - 1) / 60 + 1)
            phrase = noun.text(in: language)
        }
        return language.isRightToLeft ? "\u{2068}\(phrase)\u{2069}" : phrase
    }
}

extension PersonMessage: CustomStringConvertible {
    /// The English text, for logs and terminals.
    public var description: String { text(in: .english) }
}
