extension UnlockPolicy: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case ladder
        case additionalRungs = "also"
        case automaticPrompt = "automatic_prompt"
        case retryWindow = "retry_window"
        case retryLimit = "retry_limit"
        case hintAfter = "hint_after"
        case fallbackAfter = "fallback_after"
        case earliestHint = "earliest_hint"
        case earliestFallback = "earliest_fallback"
        case transition
        case mismatchLimit = "mismatch_limit"
        case pinMismatchLimit = "pin_mismatch_limit"
        case delays, reuse
    }

    /// Reads a policy: an object whose durations are whole milliseconds. Members that are absent have the default numbers, but
    /// `ladder` has to be there, and an absent `automatic_prompt` waits for a tap. Throws `DecodingError` with the reason where a
    /// member is unknown, or where the policy contradicts itself; see `problem`. One that is read also has to end with the full sign-in.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(ladder: try values.decode([Rung].self, forKey: .ladder))
        func read(_ key: CodingKeys, into member: inout Duration) throws {
            if let time = try values.decodeIfPresent(Int64.self, forKey: key) { member = .milliseconds(time) }
        }
        additionalRungs = try values.decodeIfPresent([Rung].self, forKey: .additionalRungs) ?? additionalRungs
        automaticPrompt = try values.decodeIfPresent(Int64.self, forKey: .automaticPrompt).map { .milliseconds($0) }
        try read(.retryWindow, into: &retryWindow)
        try read(.retryLimit, into: &retryLimit)
        try read(.hintAfter, into: &hintAfter)
        try read(.fallbackAfter, into: &fallbackAfter)
        try read(.earliestHint, into: &earliestHint)
        try read(.earliestFallback, into: &earliestFallback)
        try read(.transition, into: &transition)
        mismatchLimit = try values.decodeIfPresent(Int.self, forKey: .mismatchLimit) ?? mismatchLimit
        pinMismatchLimit = try values.decodeIfPresent(Int.self, forKey: .pinMismatchLimit) ?? pinMismatchLimit
        delays = try values.decodeIfPresent(MismatchDelays.self, forKey: .delays) ?? delays
        try read(.reuse, into: &reuse)
        let endless =
            ladder.last == .fullCredentials ? nil : "ladder: does not end with fullCredentials, so somebody stays outside"
        if let problem = problem ?? endless {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(ladder, forKey: .ladder)
        try values.encode(additionalRungs, forKey: .additionalRungs)
        try values.encodeIfPresent(automaticPrompt?.milliseconds, forKey: .automaticPrompt)
        try values.encode(retryWindow.milliseconds, forKey: .retryWindow)
        try values.encode(retryLimit.milliseconds, forKey: .retryLimit)
        try values.encode(hintAfter.milliseconds, forKey: .hintAfter)
        try values.encode(fallbackAfter.milliseconds, forKey: .fallbackAfter)
        try values.encode(earliestHint.milliseconds, forKey: .earliestHint)
        try values.encode(earliestFallback.milliseconds, forKey: .earliestFallback)
        try values.encode(transition.milliseconds, forKey: .transition)
        try values.encode(mismatchLimit, forKey: .mismatchLimit)
        try values.encode(pinMismatchLimit, forKey: .pinMismatchLimit)
        try values.encode(delays, forKey: .delays)
        try values.encode(reuse.milliseconds, forKey: .reuse)
    }
}

extension MismatchDelays: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case burst, window
        case afterBurst = "after_burst"
        case afterNext = "after_next"
        case afterMore = "after_more"
        case floorFrom = "floor_from"
        case floor, limit
    }

    /// Reads delays: durations are whole milliseconds, and absent members have the default numbers.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read(_ key: CodingKeys, into member: inout Duration) throws {
            if let time = try values.decodeIfPresent(Int64.self, forKey: key) { member = .milliseconds(time) }
        }
        burst = try values.decodeIfPresent(Int.self, forKey: .burst) ?? burst
        try read(.window, into: &window)
        try read(.afterBurst, into: &afterBurst)
        try read(.afterNext, into: &afterNext)
        try read(.afterMore, into: &afterMore)
        floorFrom = try values.decodeIfPresent(Int.self, forKey: .floorFrom) ?? floorFrom
        try read(.floor, into: &floor)
        limit = try values.decodeIfPresent(Int.self, forKey: .limit) ?? limit
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(burst, forKey: .burst)
        try values.encode(window.milliseconds, forKey: .window)
        try values.encode(afterBurst.milliseconds, forKey: .afterBurst)
        try values.encode(afterNext.milliseconds, forKey: .afterNext)
        try values.encode(afterMore.milliseconds, forKey: .afterMore)
        try values.encode(floorFrom, forKey: .floorFrom)
        try values.encode(floor.milliseconds, forKey: .floor)
        try values.encode(limit, forKey: .limit)
    }
}

extension Duration {
    /// Whole milliseconds; what is below is dropped.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
