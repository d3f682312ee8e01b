/// Events as JSON: the name of the case, alone (`"hintShown"`) or with what it carries (`{"retry": 1}`). Times are whole
/// milliseconds, at most `Telemetry.longestTime`.
///
///     {"promptShown": "biometric"}
///     {"promptAppeared": {"rung": "biometric", "as": "told"}}
///     {"sensorAnswered": {"outcome": "matched", "after": 1200, "total": 1200}}
///     {"fellBack": {"from": "biometric", "to": "appPIN", "because": {"skipped": "notEnrolled"}}}
///     {"authenticated": {"rung": "biometric", "after": 1230, "attempts": 1}}
///     {"offerAnswered": "notNow"}
///
/// Reading throws `DecodingError` for names, members and numbers that no event has. So there is no place for an identifier
/// or for free text.
extension Telemetry: Codable {
    /// The longest time of an event: 30 days. A longer one is written as this.
    package static let longestTime: Duration = .seconds(30 * 86_400)
    /// The most mismatches and prompts of an event. More of them are written as this.
    private static let mostAttempts = 1000

    private enum AppearanceKeys: String, CodingKey, CaseIterable { case rung, appearance = "as" }
    private enum AnswerKeys: String, CodingKey, CaseIterable { case outcome, after, total }
    private enum MoveKeys: String, CodingKey, CaseIterable { case from, to, because }
    private enum SuccessKeys: String, CodingKey, CaseIterable { case rung, after, attempts }
    private enum EndKeys: String, CodingKey, CaseIterable { case phase, after }

    public init(from decoder: any Decoder) throws {
        let choice = try Choice(from: decoder)
        switch choice.name {
        case "promptShown": self = .promptShown(try choice.value())
        case "promptAppeared":
            let members = try choice.members(AppearanceKeys.self)
            self = .promptAppeared(
                try members.decode(Rung.self, forKey: .rung), try members.decode(Appearance.self, forKey: .appearance))
        case "sensorAnswered":
            let members = try choice.members(AnswerKeys.self)
            self = .sensorAnswered(
                try members.decode(Outcome.self, forKey: .outcome), after: try members.time(.after),
                total: try members.time(.total))
        case "readPoorly": self = .readPoorly(try choice.value())
        case "retry": self = .retry(try choice.value(Count.self).count)
        case "hintShown" where choice.isBare: self = .hintShown
        case "fellBack":
            let members = try choice.members(MoveKeys.self)
            self = .fellBack(
                from: try members.decode(Rung.self, forKey: .from), to: try members.decode(Rung.self, forKey: .to),
                because: try members.decode(Trigger.self, forKey: .because))
        case "cancelled": self = .cancelled(try choice.value())
        case "lockedOut": self = .lockedOut(try choice.value())
        case "keyInvalidated": self = .keyInvalidated(try choice.value())
        case "authenticated":
            let members = try choice.members(SuccessKeys.self)
            self = .authenticated(
                try members.decode(Rung.self, forKey: .rung), after: try members.time(.after),
                attempts: try members.decode(Count.self, forKey: .attempts).count)
        case "abandoned":
            let members = try choice.members(EndKeys.self)
            self = .abandoned(try members.decode(UnlockFlow.Phase.self, forKey: .phase), after: try members.time(.after))
        case "offerAnswered": self = .offerAnswered(try choice.value())
        default: throw choice.unknown
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .promptShown(let rung): try encoder.encode(choice: "promptShown", rung)
        case .promptAppeared(let rung, let appearance):
            try encoder.encode(choice: "promptAppeared") { (members: inout KeyedEncodingContainer<AppearanceKeys>) in
                try members.encode(rung, forKey: .rung)
                try members.encode(appearance, forKey: .appearance)
            }
        case .sensorAnswered(let outcome, let after, let total):
            try encoder.encode(choice: "sensorAnswered") { (members: inout KeyedEncodingContainer<AnswerKeys>) in
                try members.encode(outcome, forKey: .outcome)
                try members.encode(time: after, .after)
                try members.encode(time: total, .total)
            }
        case .readPoorly(let reading): try encoder.encode(choice: "readPoorly", reading)
        case .retry(let count): try encoder.encode(choice: "retry", Count(count))
        case .hintShown: try encoder.encode(choice: "hintShown")
        case .fellBack(let from, let to, let trigger):
            try encoder.encode(choice: "fellBack") { (members: inout KeyedEncodingContainer<MoveKeys>) in
                try members.encode(from, forKey: .from)
                try members.encode(to, forKey: .to)
                try members.encode(trigger, forKey: .because)
            }
        case .cancelled(let code): try encoder.encode(choice: "cancelled", code)
        case .lockedOut(let lockout): try encoder.encode(choice: "lockedOut", lockout)
        case .keyInvalidated(let loss): try encoder.encode(choice: "keyInvalidated", loss)
        case .authenticated(let rung, let after, let attempts):
            try encoder.encode(choice: "authenticated") { (members: inout KeyedEncodingContainer<SuccessKeys>) in
                try members.encode(rung, forKey: .rung)
                try members.encode(time: after, .after)
                try members.encode(Count(attempts), forKey: .attempts)
            }
        case .abandoned(let phase, let after):
            try encoder.encode(choice: "abandoned") { (members: inout KeyedEncodingContainer<EndKeys>) in
                try members.encode(phase, forKey: .phase)
                try members.encode(time: after, .after)
            }
        case .offerAnswered(let answer): try encoder.encode(choice: "offerAnswered", answer)
        }
    }

    /// How often something was done.
    private struct Count: Codable {
        let count: Int

        init(_ count: Int) { self.count = min(count, mostAttempts) }

        init(from decoder: any Decoder) throws {
            count = try decoder.singleValueContainer().decode(Int.self)
            guard (0...mostAttempts).contains(count) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "is not 0 to \(mostAttempts)"))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(count)
        }
    }
}

extension Telemetry.Outcome: Codable {
    /// Reads `matched`, `entered`, or the name of a failure's code.
    public init(from decoder: any Decoder) throws {
        switch try decoder.singleValueContainer().decode(String.self) {
        case "matched": self = .matched
        case "entered": self = .entered
        default: self = .failed(try Failure.Code(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws { try encoder.encode(choice: description) }
}

extension Trigger: Codable {
    /// Reads the name of a trigger, or `{"skipped": CODE}`.
    public init(from decoder: any Decoder) throws {
        let choice = try Choice(from: decoder)
        if choice.name == "skipped" {
            self = .skipped(try choice.value())
        } else if choice.isBare, let trigger = Self.bare.first(where: { $0.name == choice.name }) {
            self = trigger
        } else {
            throw choice.unknown
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .skipped(let code) = self { return try encoder.encode(choice: name, code) }
        try encoder.encode(choice: name)
    }

    private static var bare: [Trigger] { [.timeout, .mismatches, .lockedOut, .keyInvalidated, .choice] }

    private var name: String {
        switch self {
        case .timeout: "timeout"
        case .mismatches: "mismatches"
        case .lockedOut: "lockedOut"
        case .keyInvalidated: "keyInvalidated"
        case .choice: "choice"
        case .skipped: "skipped"
        }
    }
}

extension UnlockFlow.Phase: Codable {
    /// Reads the name of a phase, or `{"fallback": RUNG}`.
    public init(from decoder: any Decoder) throws {
        let choice = try Choice(from: decoder)
        if choice.name == "fallback" {
            self = .fallback(try choice.value())
        } else if choice.isBare, let phase = Self.bare.first(where: { $0.name == choice.name }) {
            self = phase
        } else {
            throw choice.unknown
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .fallback(let rung) = self { return try encoder.encode(choice: name, rung) }
        try encoder.encode(choice: name)
    }

    private static var bare: [Self] { [.beforeThePrompt, .firstAttempt, .retry, .hinted, .signing, .away, .ended] }

    private var name: String {
        switch self {
        case .beforeThePrompt: "beforeThePrompt"
        case .firstAttempt: "firstAttempt"
        case .retry: "retry"
        case .hinted: "hinted"
        case .fallback: "fallback"
        case .signing: "signing"
        case .away: "away"
        case .ended: "ended"
        }
    }
}

extension Failure.Code: Codable {
    /// Reads the name of a code. Throws `DecodingError` for a name that no code has.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let code = Self.all.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\"\(name)\" has no meaning here"))
        }
        self = code
    }

    public func encode(to encoder: any Encoder) throws { try encoder.encode(choice: name) }
}

extension KeyedDecodingContainer {
    fileprivate func time(_ key: Key) throws -> Duration {
        let milliseconds = try decode(Int64.self, forKey: key)
        guard (0...Telemetry.longestTime.milliseconds).contains(milliseconds) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "is not 0 to \(Telemetry.longestTime.milliseconds) ms")
        }
        return .milliseconds(milliseconds)
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encode(time: Duration, _ key: Key) throws {
        try encode(min(max(time, .zero), Telemetry.longestTime).milliseconds, forKey: key)
    }
}
