#if Server
import Foundation
import Synchronization
package import ThumbturnCore

/// The time of a node: the civil clock, but never earlier than the latest time that was seen, and never far ahead of it.
///
/// While the clock is behind that mark, because it was set back or had jumped ahead, time continues from the mark with
/// the monotonic clock. So a clock that is set back makes no expired token valid again, and a clock that jumped ahead
/// keeps none valid for longer.
///
/// A clock that jumps ahead by more than `largestStep` is not followed at all: time continues with the monotonic clock
/// until an operator sets it. Otherwise one wrong second would be the database's time for ever, because time never goes
/// back.
package final class NodeTime: Sendable {
    private let clock: NodeClock
    private let largestStep: Duration?
    private let keepsStoredTime: Bool
    private let state: Mutex<State>

    private struct State {
        /// The latest time that was seen.
        var mark: Moment
        /// The time that the process began with, or that an operator set. The clock is measured against it.
        var anchor: Moment
        /// The epoch whose time was taken over from another process.
        var followed: Int64?
    }

    private struct Moment {
        var time: UnixTime
        /// The monotonic time at which `time` was seen.
        var at: Duration

        func time(at monotonic: Duration) -> UnixTime { time + (monotonic - at) }
    }

    /// How far the clock may run ahead of the monotonic clock in the life of a process, and how far the stored time may be
    /// ahead of the clock when a server starts: 10 minutes. A clock that is kept by NTP stays within a second; what is
    /// left are pauses of a virtual machine.
    package static let largestStep = Duration.seconds(600)
    /// How far the clock may be ahead of the stored time when a server starts: 7 days. The server may have been off for as
    /// long.
    package static let longestAbsence = Duration.seconds(7 * 24 * 3600)

    /// Creates a node's time.
    ///
    /// - Parameters:
    ///   - largestStep: see `NodeTime.largestStep`; nil follows every step ahead.
    ///   - keepsStoredTime: whether the stored time counts where it differs much from the clock. An operator's command
    ///     does so: it neither refuses nor moves the time of a running server.
    package init(_ clock: NodeClock, largestStep: Duration? = NodeTime.largestStep, keepsStoredTime: Bool = false) {
        self.clock = clock
        self.largestStep = largestStep
        self.keepsStoredTime = keepsStoredTime
        let start = Moment(time: clock.civil(), at: clock.monotonic())
        state = Mutex(State(mark: start, anchor: start))
    }

    /// The current time. It never goes back, except to a time that an operator set.
    package var now: UnixTime {
        let (civil, monotonic) = (clock.civil(), clock.monotonic())
        return state.withLock { state in
            let least = state.mark.time(at: monotonic)
            guard civil >= least, isWithinStep(civil, state, monotonic) else { return least }
            state.mark = Moment(time: civil, at: monotonic)
            return civil
        }
    }

    /// The time of the machine's clock, whatever it is.
    package var civil: UnixTime { clock.civil() }

    /// Microseconds of the monotonic clock, to order ids that are made within one second. They are not a time of day.
    var moment: UInt32 {
        let (seconds, attoseconds) = clock.monotonic().components
        return UInt32(truncatingIfNeeded: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// Compares the clock with the latest time that the store has seen, when the store is opened.
    ///
    /// - Throws: `SetupError.clockBehind` if the clock is more than `largestStep` behind it, and `SetupError.clockAhead`
    ///   if it is more than `longestAbsence` ahead.
    func start(from stored: UnixTime) throws(SetupError) {
        // A database that has just been made has seen no time.
        guard stored.seconds > 0 else { return }
        let (civil, monotonic) = (clock.civil(), clock.monotonic())
        let ahead = civil - stored
        let isBehind = ahead < .zero - Self.largestStep
        if keepsStoredTime, isBehind || ahead > Self.largestStep {
            let moment = Moment(time: stored, at: monotonic)
            state.withLock { ($0.mark, $0.anchor) = (moment, moment) }
            return
        }
        guard !isBehind else { throw .clockBehind(clock: civil, stored: stored) }
        guard ahead <= Self.longestAbsence else { throw .clockAhead(clock: civil, stored: stored) }
        state.withLock { state in
            state.anchor = Moment(time: civil, at: monotonic)
            state.mark = Moment(time: max(civil, stored, state.mark.time(at: monotonic)), at: monotonic)
        }
    }

    /// Moves the time forward to the time that the store holds, if that is later.
    ///
    /// - Throws: `StoreError.timeJumped` if it is later than this node's clock can have stepped to.
    func observe(_ stored: UnixTime) throws(StoreError) {
        guard stored > now else { return }
        let monotonic = clock.monotonic()
        try state.withLock { state throws(StoreError) in
            guard stored > state.mark.time(at: monotonic) else { return }
            guard isWithinStep(stored, state, monotonic) else { throw .timeJumped }
            state.mark = Moment(time: stored, at: monotonic)
        }
    }

    /// Takes over the time of an epoch that another process has begun. It may be an earlier one: an operator has set it.
    func follow(epoch: Int64, at stored: UnixTime) {
        let monotonic = clock.monotonic()
        state.withLock { state in
            guard state.followed != epoch else { return }
            state.followed = epoch
            let moment = Moment(time: stored, at: monotonic)
            (state.mark, state.anchor) = (moment, moment)
        }
    }

    private func isWithinStep(_ time: UnixTime, _ state: State, _ monotonic: Duration) -> Bool {
        largestStep.map { time - state.anchor.time(at: monotonic) <= $0 } ?? true
    }
}

/// The two clocks of a machine.
package struct NodeClock: Sendable {
    /// Civil time, which can be set.
    package var civil: @Sendable () -> UnixTime
    /// Monotonic time, which cannot be set.
    package var monotonic: @Sendable () -> Duration

    package init(civil: @escaping @Sendable () -> UnixTime, monotonic: @escaping @Sendable () -> Duration) {
        self.civil = civil
        self.monotonic = monotonic
    }

    private static let start = ContinuousClock.now

    /// This machine's clocks.
    package static let system = NodeClock(
        civil: { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }, monotonic: { start.duration(to: .now) }
    )
}
#endif
