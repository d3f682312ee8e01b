extension UnlockPolicy: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case ladder
        case additionalRungs = "also"
        case firstButton = "first_button"
        case automaticPrompt = "automatic_prompt"
        case retryWindow = "retry_window"
        case retryLimit = "retry_limit"
        case hintAfter = "hint_after"
        case fallbackAfter = "fallback_after"
        case earliestHint = "earliest_hint"
        case earliestFallback = "earliest_fallback"
        case mismatchLimit = "mismatch_limit"
        case pinMismatchLimit = "pin_mismatch_limit"
        case delays, transition, reuse, name, arm
    }

    /// Reads a policy: an object whose durations are whole milliseconds.
    ///
    /// Absent members have the default numbers, except that `ladder` is required, and that without `automatic_prompt`
    /// the flow waits for a tap. Throws `DecodingError` with the reason for an unknown member and for a policy that
    /// contradicts itself; see `problem`. A policy that is read has to end with the full sign-in as well.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(ladder: try values.decode([Rung].self, forKey: .ladder))
        func read(_ key: CodingKeys, into member: inout Duration) throws {
            if let time = try values.decodeIfPresent(Int64.self, forKey: key) { member = .milliseconds(time) }
        }
        additionalRungs = try values.decodeIfPresent([Rung].self, forKey: .additionalRungs) ?? additionalRungs
        firstButton = try values.decodeIfPresent(FirstButton.self, forKey: .firstButton) ?? firstButton
        automaticPrompt = try values.decodeIfPresent(Int64.self, forKey: .automaticPrompt).map { .milliseconds($0) }
        try read(.retryWindow, into: &retryWindow)
        try read(.retryLimit, into: &retryLimit)
        try read(.hintAfter, into: &hintAfter)
        try read(.fallbackAfter, into: &fallbackAfter)
        try read(.earliestHint, into: &earliestHint)
        try read(.earliestFallback, into: &earliestFallback)
        mismatchLimit = try values.decodeIfPresent(Int.self, forKey: .mismatchLimit) ?? mismatchLimit
        pinMismatchLimit = try values.decodeIfPresent(Int.self, forKey: .pinMismatchLimit) ?? pinMismatchLimit
        delays = try values.decodeIfPresent(MismatchDelays.self, forKey: .delays) ?? delays
        try read(.transition, into: &transition)
        try read(.reuse, into: &reuse)
        name = try values.decodeIfPresent(TelemetryLabel.self, forKey: .name)
        arm = try values.decodeIfPresent(TelemetryLabel.self, forKey: .arm)
        let deadEnd =
            ladder.last == .fullCredentials ? nil : "ladder: does not end with fullCredentials, so a person may be locked out"
        if let problem = problem ?? deadEnd {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
    }

    /// The most bytes of a policy: 16 KiB. One with all of its members has fewer than 600.
    package static let longest = 16 * 1024

    /// Reads a policy that a server sent: strict JSON of at most 16 KiB, in which no member stands twice.
    ///
    /// Throws `DecodingError` with the place and the reason for a text that is longer, that is not strict JSON, or that
    /// `init(from:)` refuses.
    public init(json: [UInt8]) throws(DecodingError) {
        do throws(JSONError) {
            guard json.count <= Self.longest else { throw JSONError(.path(""), "is longer than \(Self.longest) bytes") }
            self = try StrictJSON.decodeIgnoringUnknown(Self.self, from: json)
        } catch {
            throw .dataCorrupted(.init(codingPath: [], debugDescription: error.description))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(ladder, forKey: .ladder)
        try values.encode(additionalRungs, forKey: .additionalRungs)
        try values.encode(firstButton, forKey: .firstButton)
        try values.encodeIfPresent(automaticPrompt?.milliseconds, forKey: .automaticPrompt)
        try values.encode(retryWindow.milliseconds, forKey: .retryWindow)
        try values.encode(retryLimit.milliseconds, forKey: .retryLimit)
        try values.encode(hintAfter.milliseconds, forKey: .hintAfter)
        try values.encode(fallbackAfter.milliseconds, forKey: .fallbackAfter)
        try values.encode(earliestHint.milliseconds, forKey: .earliestHint)
        try values.encode(earliestFallback.milliseconds, forKey: .earliestFallback)
        try values.encode(mismatchLimit, forKey: .mismatchLimit)
        try values.encode(pinMismatchLimit, forKey: .pinMismatchLimit)
        try values.encode(delays, forKey: .delays)
        try values.encode(transition.milliseconds, forKey: .transition)
        try values.encode(reuse.milliseconds, forKey: .reuse)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encodeIfPresent(arm, forKey: .arm)
    }
}
