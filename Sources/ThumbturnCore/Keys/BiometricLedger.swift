/// The device's own count of mismatches at the sensor since the last match, with the delays that follow from it.
///
/// An attempt is written down before the prompt, as if it will mismatch, and settled after: a match empties the ledger, a mismatch
/// leaves it as it is written, and where there was no verdict the ledger from before is written again. So an app that is killed in
/// between has used up an attempt. A stronger rung that succeeds empties it, too.
///
/// Delays are measured as in `PINLedger`: in monotonic time within one boot. After a restart of the device, or where its clock went
/// back, the whole delay starts again, unless the server's time tells more; times that cannot be compared count as close together.
public struct BiometricLedger: Hashable, Sendable, Codable {
    /// Mismatches in a row; an attempt that is not settled counts.
    public let inARow: Int
    /// How many of them were since a burst began, its own among them; 0 where there was none.
    public let inBurst: Int
    /// The person wants no sensor before a stronger rung has succeeded, whatever was counted.
    public let isOff: Bool
    /// When the last of them were made, oldest first, or since when the delay is counted.
    private let recent: [Moment]

    /// A ledger without mismatches.
    public init() {
        inARow = 0
        inBurst = 0
        isOff = false
        recent = []
    }

    private init(inARow: Int, inBurst: Int, isOff: Bool = false, recent: [Moment]) {
        self.inARow = inARow
        self.inBurst = inBurst
        self.isOff = isOff
        self.recent = recent
    }

    /// No limit is higher, and no burst needs more moments.
    private static let (mostInARow, mostRecent) = (50, 5)

    /// Refuses what no ledger can say, so that a damaged one is known as damaged.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        inARow = try container.decode(Int.self, forKey: .inARow)
        inBurst = try container.decode(Int.self, forKey: .inBurst)
        isOff = try container.decode(Bool.self, forKey: .isOff)
        recent = try container.decode([Moment].self, forKey: .recent)
        guard (0...Self.mostInARow).contains(inARow), (0...inARow).contains(inBurst), recent.count <= Self.mostRecent,
            recent.isEmpty == (inARow == 0)
        else {
            throw DecodingError.dataCorruptedError(forKey: .inARow, in: container, debugDescription: "No such ledger.")
        }
    }

    /// What takes the place of a ledger that is damaged or gone: the longest delay from now on, one attempt after it, and then the
    /// sensor is off. Whoever can damage the ledger gains nothing, and an honest person uses another rung and has it back.
    public static func replacingDamaged(at now: Moment) -> BiometricLedger {
        BiometricLedger(inARow: mostInARow - 1, inBurst: mostInARow - 1, recent: [now])
    }

    /// The ledger to write before a prompt: one more that mismatches, until it is settled.
    public func attempting(at now: Moment, under delays: MismatchDelays) -> BiometricLedger {
        let count = min(inARow + 1, Self.mostInARow)
        let recent = (recent + [now]).suffix(Self.mostRecent)
        let burst: Int
        if inBurst > 0 {
            burst = min(inBurst + 1, Self.mostInARow)
        } else if recent.count >= delays.burst, let first = recent.suffix(delays.burst).first,
            // What cannot be told counts as close: no restart makes two mismatches of three.
            first.elapsed(until: now) ?? .zero <= delays.window
        {
            burst = delays.burst
        } else {
            burst = 0
        }
        return BiometricLedger(inARow: count, inBurst: burst, isOff: isOff, recent: Array(recent))
    }

    /// The ledger to keep when the person wants the sensor off: only a new ledger is on again, and no time ends it.
    public func turnedOff() -> BiometricLedger {
        BiometricLedger(inARow: inARow, inBurst: inBurst, isOff: true, recent: recent)
    }

    /// What the ledger allows.
    public enum Standing: Hashable, Sendable {
        /// The sensor may be asked.
        case open
        /// Not for so long.
        case paused(Duration)
        /// Not before a stronger rung has succeeded.
        case off
    }

    /// What the ledger allows now.
    public func standing(at now: Moment, under delays: MismatchDelays) -> Standing {
        guard !isOff, inARow < delays.limit else { return .off }
        let delay = delays.delay(afterInARow: inARow, inBurst: inBurst)
        guard let last = recent.last, delay > .zero else { return .open }
        guard let elapsed = last.elapsed(until: now) else { return .paused(delay) }
        return elapsed < delay ? .paused(delay - elapsed) : .open
    }

    /// The ledger to keep from now on. Where the time since the last mismatch cannot be told, its delay starts again now; otherwise
    /// nothing changes.
    public func anchored(at now: Moment, under delays: MismatchDelays) -> BiometricLedger {
        guard let last = recent.last, delays.delay(afterInARow: inARow, inBurst: inBurst) > .zero else { return self }
        return BiometricLedger(
            inARow: inARow, inBurst: inBurst, isOff: isOff, recent: recent.dropLast() + [last.anchored(at: now)])
    }
}
