/// Something to tell a person: a text, and the number that it speaks of. There is nothing of the app's, the person's or the
/// platform's in it.
public struct PersonMessage: Hashable, Sendable {
    /// Which text.
    public let key: MessageKey
    private let value: Value

    private enum Value: Hashable, Sendable {
        case none
        case time(Duration)
        case count(Int)
    }

    private init(_ key: MessageKey, _ value: Value) {
        self.key = key
        self.value = value
    }

    /// A text without a number. A key whose text has a place for one is a mistake of the caller's.
    public init(_ key: MessageKey) {
        precondition(key.placeholder == nil, "a text with a place for a number is made with that number")
        self.init(key, .none)
    }

    /// Nothing can be tried for so long.
    public static func wait(_ time: Duration) -> PersonMessage { PersonMessage(.waitFor, .time(time)) }
    /// The system keeps the sensor off for so long.
    public static func sensorRests(for time: Duration) -> PersonMessage { PersonMessage(.sensorRestsFor, .time(time)) }
    /// No PIN is taken for so long.
    public static func pinPaused(for time: Duration) -> PersonMessage { PersonMessage(.pinPausedFor, .time(time)) }
    /// A PIN did not open the key; so many tries are left. Negative counts are shown as 0.
    public static func pinTriesLeft(_ count: Int) -> PersonMessage { PersonMessage(.pinTriesLeft, .count(max(count, 0))) }

    /// What a PIN screen says after so many PINs in a row that did not open the key: at first what to do, then how many tries are
    /// left before the key ends.
    public static func pinScreen(afterWrong count: Int) -> PersonMessage {
        count > 0 ? .pinTriesLeft(PINLedger.limit - count) : PersonMessage(.enterPIN)
    }

    /// The text in a language.
    public func text(in language: MessageLanguage) -> String {
        switch language {
        case .english: key.english(number(in: language))
        case .german: key.german(number(in: language))
        case .french: key.french(number(in: language))
        case .spanish: key.spanish(number(in: language))
        case .arabic: key.arabic(number(in: language))
        }
    }

    /// Times are written with the symbols of their units and counts after a colon, so that no language needs a plural: Arabic has
    /// six.
    private func number(in language: MessageLanguage) -> String {
        switch value {
        case .none: ""
        case .count(let count): Self.isolated("\(count)", in: language)
        case .time(let time): Self.isolated(Self.spell(time, in: language), in: language)
        }
    }

    /// A number in a text from right to left stands in an isolate (UAX #9 section 2.4.2), so that nothing around it moves its parts.
    private static func isolated(_ number: String, in language: MessageLanguage) -> String {
        language.isRightToLeft ? "\u{2068}\(number)\u{2069}" : number
    }

    /// Rounded up, so that who waits as long as it says has waited long enough: seconds up to 90, and minutes from there.
    private static func spell(_ time: Duration, in language: MessageLanguage) -> String {
        let seconds = time.wholeSecondsRoundedUp
        let isArabic = language == .arabic
        guard seconds > 90 else { return "\(seconds)\u{A0}\(isArabic ? "ث" : "s")" }
        return "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0))\u{A0}\(isArabic ? "د" : "min")"
    }
}
