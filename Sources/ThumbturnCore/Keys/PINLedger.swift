/// The device's own count of wrong PINs in a row, with the pauses that follow from it.
///
/// A guess is written down before the key is asked, as if it were wrong, and settled after: a right one empties the ledger, a
/// wrong one leaves it as it is written, and where there was no verdict the ledger from before is written again. So an app that
/// is killed in between has used up a guess.
///
/// Pauses are measured in monotonic time within one boot. A wall clock that is set changes nothing, and after a restart of the
/// device the whole pause starts again, because the device does not know how long it was off; only its server's time can tell.
public struct PINLedger: Hashable, Sendable, Codable {
    /// Wrong PINs in a row; a guess that is not settled counts.
    public let wrongInARow: Int
    /// When the last of them was made, or since when its pause is counted; nil where there was none.
    public let last: Moment?

    /// So many in a row end the key (NIST SP 800-63B-4 section 3.2.10).
    public static let limit = 10

    /// A ledger without wrong PINs.
    public init() {
        wrongInARow = 0
        last = nil
    }

    private init(wrongInARow: Int, last: Moment) {
        self.wrongInARow = wrongInARow
        self.last = last
    }

    /// Refuses what no ledger can say, so that a damaged one is known as damaged.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        wrongInARow = try container.decode(Int.self, forKey: .wrongInARow)
        last = try container.decodeIfPresent(Moment.self, forKey: .last)
        guard (0...Self.limit).contains(wrongInARow), (wrongInARow == 0) == (last == nil) else {
            throw DecodingError.dataCorruptedError(forKey: .wrongInARow, in: container, debugDescription: "No such ledger.")
        }
    }

    /// What takes the place of a ledger that is damaged or gone: the longest pause from now on, and one guess after it. Whoever can
    /// damage the ledger again and again has one guess in five minutes and no more than what hardware or server count by themselves;
    /// an honest person waits and goes on.
    public static func replacingDamaged(at now: Moment) -> PINLedger {
        PINLedger(wrongInARow: limit - 1, last: now)
    }

    /// A ledger that allows no guess any more, because the key is known to be used up.
    public static func exhausted(at now: Moment) -> PINLedger { PINLedger(wrongInARow: limit, last: now) }

    /// The ledger to write before a guess: one more that is wrong, until it is settled.
    public func guessing(at now: Moment) -> PINLedger {
        PINLedger(wrongInARow: min(wrongInARow + 1, Self.limit), last: now)
    }

    /// What the ledger allows.
    public enum Standing: Hashable, Sendable {
        /// A guess may be made.
        case open
        /// No guess for so long.
        case paused(Duration)
        /// The key is used up for good.
        case exhausted
    }

    /// What the ledger allows now.
    public func standing(at now: Moment) -> Standing {
        guard wrongInARow < Self.limit else { return .exhausted }
        let pause = Self.pause(afterWrong: wrongInARow)
        guard let last, pause > .zero else { return .open }
        guard let elapsed = last.elapsed(until: now) else { return .paused(pause) }
        return elapsed < pause ? .paused(pause - elapsed) : .open
    }

    /// The ledger to keep from now on. Where the time since the last wrong PIN cannot be told, its pause starts again now;
    /// otherwise nothing changes.
    public func anchored(at now: Moment) -> PINLedger {
        guard let last, Self.pause(afterWrong: wrongInARow) > .zero else { return self }
        return PINLedger(wrongInARow: wrongInARow, last: last.anchored(at: now))
    }

    /// How long no guess may be made after so many wrong ones in a row: nothing before the fifth, then 30 s, doubled each time up to
    /// 5 minutes. A thief gets ten guesses in over twenty minutes; a person who mistypes notices nothing.
    public static func pause(afterWrong count: Int) -> Duration {
        switch count {
        case ..<5: .zero
        case 5: .seconds(30)
        case 6: .seconds(60)
        case 7: .seconds(120)
        case 8: .seconds(240)
        default: .seconds(300)
        }
    }
}
