/// The device's own count of wrong PINs in a row, with the pauses that follow from it.
///
/// A guess is written before the key is asked, as if it were wrong, and settled afterwards: a right one empties the
/// ledger, a wrong one stays counted, and one without a verdict is taken out again. So an app that is killed in between
/// has used up a guess.
///
/// Several processes may guess at a time, so a guess is settled in the ledger that stands there by then. However they
/// cross, the ledger counts at least the wrong PINs since the last right one.
///
/// Pauses are measured in monotonic time within one boot. Setting the wall clock changes nothing, and after a restart
/// of the device the whole pause starts again, because the device does not know how long it was off; only its server's
/// time can tell.
package struct PINLedger: Hashable, Sendable, Codable {
    /// Consecutive wrong PINs; a guess that is not settled counts.
    package let wrongInARow: Int
    /// The time of the last wrong PIN, from which the pause is counted; nil without one.
    package let last: Moment?
    /// How many times a right PIN has emptied the ledger. A guess from before that is not in the count any more.
    private let clearings: Int

    /// Consecutive wrong PINs after which the key is disabled (NIST SP 800-63B-4 section 3.2.10). The limit of one
    /// flow, after which it moves on to the next rung, is `UnlockPolicy.pinMismatchLimit`.
    package static let limit = 10

    /// A ledger without wrong PINs.
    package init() {
        self.init(wrongInARow: 0, last: nil, clearings: 0)
    }

    private init(wrongInARow: Int, last: Moment?, clearings: Int) {
        self.wrongInARow = wrongInARow
        self.last = last
        self.clearings = clearings
    }

    /// Throws `DecodingError` for values outside their bounds, so that a damaged ledger is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        wrongInARow = try container.decode(Int.self, forKey: .wrongInARow)
        last = try container.decodeIfPresent(Moment.self, forKey: .last)
        clearings = try container.decodeIfPresent(Int.self, forKey: .clearings) ?? 0
        guard (0...Self.limit).contains(wrongInARow), (wrongInARow == 0) == (last == nil), (0..<Int.max).contains(clearings)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .wrongInARow, in: container, debugDescription: "a value is out of its bounds")
        }
    }

    /// The replacement for a ledger that is damaged or gone: the longest pause from now on, and one guess after it. An
    /// attacker who can damage the ledger again and again has one guess in five minutes, and no more than the hardware
    /// or the server count by themselves; an honest person waits and continues.
    package static func replacingDamaged(at now: Moment) -> PINLedger {
        PINLedger(wrongInARow: limit - 1, last: now, clearings: 0)
    }

    /// A ledger without a guess left, because the key is known to be disabled.
    package static func exhausted(at now: Moment) -> PINLedger {
        PINLedger(wrongInARow: limit, last: now, clearings: 0)
    }

    /// The ledger to write before a guess: it counts one more wrong PIN, until it is settled.
    package func guessing(at now: Moment) -> PINLedger {
        PINLedger(wrongInARow: min(wrongInARow + 1, Self.limit), last: now, clearings: clearings)
    }

    /// The ledger to keep after a right PIN: what others counted since this guess began stays.
    ///
    /// - Parameter guess: the ledger that was written when the guess began.
    package func right(_ guess: PINLedger) -> PINLedger {
        // The key was disabled meanwhile, or another right PIN emptied the ledger: what stands there began later.
        guard self == guess || wrongInARow < Self.limit, clearings == guess.clearings else { return self }
        let later = max(wrongInARow - guess.wrongInARow, 0)
        return PINLedger(wrongInARow: later, last: later > 0 ? last : nil, clearings: clearings + 1)
    }

    /// The ledger to keep after a wrong PIN: the guess stays counted. Where a right PIN of another process has emptied
    /// the ledger since the guess began, it is counted anew.
    ///
    /// - Parameter guess: the ledger that was written when the guess began.
    package func wrong(_ guess: PINLedger, at now: Moment) -> PINLedger {
        clearings == guess.clearings ? self : guessing(at: now)
    }

    /// The ledger to keep after a guess without a verdict: this guess alone is taken out. A ledger that disables the key
    /// stays so, unless this guess was the last one.
    ///
    /// - Parameters:
    ///   - guess: the ledger that was written when the guess began.
    ///   - before: the ledger before that.
    package func withdrawn(_ guess: PINLedger, before: PINLedger) -> PINLedger {
        if self == guess { return before }
        guard clearings == guess.clearings, (1..<Self.limit).contains(wrongInARow) else { return self }
        return PINLedger(wrongInARow: wrongInARow - 1, last: wrongInARow > 1 ? last : nil, clearings: clearings)
    }

    /// Whether a guess may be made.
    package enum Standing: Hashable, Sendable {
        /// A guess may be made.
        case open
        /// No guess may be made for this long.
        case paused(Duration)
        /// The key is disabled for good.
        case exhausted
    }

    /// Whether a guess may be made now.
    package func standing(at now: Moment) -> Standing {
        guard wrongInARow < Self.limit else { return .exhausted }
        let pause = Self.pause(afterWrong: wrongInARow)
        guard let last, pause > .zero else { return .open }
        guard let elapsed = last.elapsed(until: now) else { return .paused(pause) }
        return elapsed < pause ? .paused(pause - elapsed) : .open
    }

    /// The ledger to keep from now on. Where the time since the last wrong PIN is unknown, its pause starts again now;
    /// otherwise nothing changes.
    package func anchored(at now: Moment) -> PINLedger {
        guard let last, Self.pause(afterWrong: wrongInARow) > .zero else { return self }
        return PINLedger(wrongInARow: wrongInARow, last: last.anchored(at: now), clearings: clearings)
    }

    /// The pause after a number of consecutive wrong PINs: none before the fifth, then 30 s, doubled each time up to 5
    /// minutes. A thief needs over twenty minutes for ten guesses; a person who mistypes notices nothing.
    package static func pause(afterWrong count: Int) -> Duration {
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

extension PINLedger.Standing {
    /// The state of a key that its platform calls usable.
    package var state: KeyState {
        switch self {
        case .open: .usable
        case .paused(let duration): .paused(for: duration)
        case .exhausted: .invalidated(.wrongPINs)
        }
    }
}

extension PersonMessage {
    /// The text of a PIN screen after a number of consecutive wrong PINs: at first the request for a PIN, then how many
    /// tries are left before the key is disabled.
    package static func pinScreen(afterWrong count: Int) -> PersonMessage {
        count > 0 ? .pinTriesLeft(PINLedger.limit - count) : PersonMessage(.enterPIN)
    }
}
