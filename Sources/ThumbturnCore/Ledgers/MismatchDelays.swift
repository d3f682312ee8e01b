/// The delays after mismatches at the sensor. A mismatch is one that the operating system reports, which may contain
/// several tries.
public struct MismatchDelays: Hashable, Sendable {
    /// Mismatches within the window that make a burst. A burst lasts until a match, or until a stronger rung succeeds.
    public var burst: Int
    /// The time within which mismatches make a burst.
    public var window: Duration
    /// The delay after the mismatch that completes a burst.
    public var afterBurst: Duration
    /// The delay after the next mismatch.
    public var afterNext: Duration
    /// The delay after each further mismatch, during which another rung is asked.
    public var afterMore: Duration
    /// Consecutive mismatches, at whatever pace, from which no delay is shorter than `floor`.
    public var floorFrom: Int
    /// The shortest delay after a long row (A9 of the standards: 30 s after five mismatches).
    public var floor: Duration
    /// Consecutive mismatches that switch the sensor off until a stronger rung succeeds.
    public var limit: Int

    /// The default numbers.
    public init() {
        burst = 3
        window = .seconds(60)
        afterBurst = .seconds(10)
        afterNext = .seconds(30)
        afterMore = .seconds(300)
        floorFrom = 5
        floor = .seconds(30)
        limit = 50
    }

    /// The longest window and the longest delay; `limit` expresses a sensor that is off for longer.
    private static let longest = Duration.seconds(24 * 3600)

    /// The first contradiction in the numbers; nil for sound ones.
    var problem: String? {
        let checks: [(holds: Bool, reason: String)] = [
            ((2...5).contains(burst), "burst: is 2 to 5"),
            (window > .zero && window <= Self.longest, "window: is above 0 and at most a day"),
            (afterBurst > .zero, "after_burst: is above 0"),
            (afterNext >= afterBurst, "after_next: is not below after_burst"),
            (afterMore >= afterNext, "after_more: is not below after_next"),
            (afterMore <= Self.longest, "after_more: is at most a day"),
            ((1...5).contains(floorFrom), "floor_from: is 1 to 5"),
            (floor >= .seconds(30), "floor: is 30 s or more (NIST SP 800-63B-4 section 3.2.3)"),
            (floor <= Self.longest, "floor: is at most a day"),
            ((1...50).contains(limit), "limit: is 1 to 50"),
        ]
        return checks.first { !$0.holds }?.reason
    }

    /// The delay after a number of consecutive mismatches, some of which belong to a burst.
    func delay(afterInARow count: Int, inBurst: Int) -> Duration {
        let ofBurst: Duration =
            switch inBurst {
            case ..<burst: .zero
            case burst: afterBurst
            case burst + 1: afterNext
            default: afterMore
            }
        return count < floorFrom ? ofBurst : max(ofBurst, floor)
    }
}

extension MismatchDelays: CustomStringConvertible {
    /// The first delay, and the mismatches that switch the sensor off.
    public var description: String { "\(afterBurst) after \(burst) mismatches within \(window), off after \(limit)" }
}
