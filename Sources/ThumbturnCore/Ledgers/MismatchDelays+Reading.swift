extension MismatchDelays: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case burst, window
        case afterBurst = "after_burst"
        case afterNext = "after_next"
        case afterMore = "after_more"
        case floorFrom = "floor_from"
        case floor, limit
    }

    /// Reads delays: durations are whole milliseconds, and absent members have the default numbers. Unknown members are
    /// refused.
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
