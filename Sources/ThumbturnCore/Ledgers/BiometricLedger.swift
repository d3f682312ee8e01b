/// The device's own count of mismatches at the sensor since the last match, with the delays that follow from it.
///
/// An attempt is written before the prompt, as if it will mismatch, and settled afterwards: a match empties the ledger,
/// a mismatch leaves it as written, and without a verdict the earlier ledger is written again. So an app that is killed
/// in between has used up an attempt. A stronger rung that succeeds empties the ledger, too.
///
/// Delays are measured as in `PINLedger`: in monotonic time within one boot. After a restart of the device, or where
/// its clock went back, the whole delay starts again, unless the server's time shows that more has passed. Times that
/// cannot be compared count as close together.
package struct BiometricLedger: Hashable, Sendable, Codable {
    /// Consecutive mismatches; an attempt that is not settled counts.
    package let inARow: Int
    /// How many of them belong to the burst; 0 without one.
    package let inBurst: Int
    /// The times of the last mismatches, oldest first; the last one is where the delay is counted from.
    private let recent: [Moment]

    /// A ledger without mismatches.
    package init() {
        inARow = 0
        inBurst = 0
        recent = []
    }

    private init(inARow: Int, inBurst: Int, recent: [Moment]) {
        self.inARow = inARow
        self.inBurst = inBurst
        self.recent = recent
    }

    /// The highest limit of any policy, and the longest burst.
    private static let (mostInARow, mostRecent) = (50, 5)

    /// Throws `DecodingError` for values outside their bounds, so that a damaged ledger is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        inARow = try container.decode(Int.self, forKey: .inARow)
        inBurst = try container.decode(Int.self, forKey: .inBurst)
        recent = try container.decode([Moment].self, forKey: .recent)
        guard (0...Self.mostInARow).contains(inARow), (0...inARow).contains(inBurst), recent.count <= Self.mostRecent,
            recent.isEmpty == (inARow == 0)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .inARow, in: container, debugDescription: "a value is out of its bounds")
        }
    }

    /// The replacement for a ledger that is damaged or gone: the longest delay from now on, one attempt after it, and
    /// then the sensor is off. An attacker who can damage the ledger gains nothing by it, and an honest person gets the
    /// sensor back with another rung.
    package static func replacingDamaged(at now: Moment) -> BiometricLedger {
        BiometricLedger(inARow: mostInARow - 1, inBurst: mostInARow - 1, recent: [now])
    }

    /// The ledger to write before a prompt: it counts one more mismatch, until it is settled.
    package func attempting(at now: Moment, under delays: MismatchDelays) -> BiometricLedger {
        let count = min(inARow + 1, Self.mostInARow)
        let recent = (recent + [now]).suffix(Self.mostRecent)
        let burst: Int
        if inBurst > 0 {
            burst = min(inBurst + 1, Self.mostInARow)
        } else if recent.count >= delays.burst, let first = recent.suffix(delays.burst).first,
            // An unknown time counts as close, so that a restart between mismatches does not break a burst.
            first.elapsed(until: now) ?? .zero <= delays.window
        {
            burst = delays.burst
        } else {
            burst = 0
        }
        return BiometricLedger(inARow: count, inBurst: burst, recent: Array(recent))
    }

    /// Whether the sensor may be asked.
    package enum Standing: Hashable, Sendable {
        /// The sensor may be asked.
        case open
        /// The sensor may not be asked for this long.
        case paused(Duration)
        /// The sensor may not be asked before a stronger rung has succeeded.
        case off
    }

    /// Whether the sensor may be asked now.
    package func standing(at now: Moment, under delays: MismatchDelays) -> Standing {
        guard inARow < delays.limit else { return .off }
        let delay = delays.delay(afterInARow: inARow, inBurst: inBurst)
        guard let last = recent.last, delay > .zero else { return .open }
        guard let elapsed = last.elapsed(until: now) else { return .paused(delay) }
        return elapsed < delay ? .paused(delay - elapsed) : .open
    }

    /// The ledger to keep from now on. Where the time since the last mismatch is unknown, its delay starts again now;
    /// otherwise nothing changes.
    package func anchored(at now: Moment, under delays: MismatchDelays) -> BiometricLedger {
        guard let last = recent.last, delays.delay(afterInARow: inARow, inBurst: inBurst) > .zero else { return self }
        return BiometricLedger(inARow: inARow, inBurst: inBurst, recent: recent.dropLast() + [last.anchored(at: now)])
    }
}

extension BiometricLedger.Standing {
    /// The state of a sensor that the system calls ready.
    package var state: BiometryState {
        switch self {
        case .open: .ready
        case .paused(let duration): .paused(for: duration)
        case .off: .lockedOut(.untilStrongerRung)
        }
    }
}
