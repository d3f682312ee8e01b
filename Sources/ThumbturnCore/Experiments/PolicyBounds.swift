/// What a policy that came from a server may say, in place of an app's own one.
///
/// By default only the times of the hint, the fallback and the retry are free, and the text of the first button, within the limits
/// of `UnlockPolicy`; and delays after mismatches may be longer. Everything else is as the app has it: a server can add no rung,
/// reuse no unlock longer, and take no delay away, unless the app says here that it may.
public struct PolicyBounds: Hashable, Sendable {
    /// The app's own policy.
    public let own: UnlockPolicy
    /// The rungs that another ladder may have, in any order; nil where the ladder is the app's own.
    public var rungs: Set<Rung>?
    /// Whether the prompt may come by itself at another time, or where the app waits for a tap.
    public var mayChangeAutomaticPrompt = false
    /// The times of the hint.
    public var hintAfter = Self.times
    /// The times of the forced fallback.
    public var fallbackAfter = Self.times
    /// The times within which a mismatch may be retried.
    public var retryWindow = Self.times
    /// The times that one retry may take.
    public var retryLimit = Self.times
    /// The mismatches after which the flow may move on.
    public var mismatchLimit: ClosedRange<Int>
    /// The wrong PINs after which the flow may move on.
    public var pinMismatchLimit: ClosedRange<Int>
    /// The times of the cross-fade.
    public var transition: ClosedRange<Duration>
    /// The longest time of a reuse.
    public var longestReuse: Duration
    /// The weakest delays after mismatches: none may be shorter, and no count of mismatches may be higher.
    public var weakestDelays: MismatchDelays

    /// As long as `UnlockPolicy` allows.
    private static let times: ClosedRange<Duration> = .zero ... .seconds(60)

    /// The default bounds around the app's own policy.
    public init(around own: UnlockPolicy) {
        self.own = own
        mismatchLimit = own.mismatchLimit...own.mismatchLimit
        pinMismatchLimit = own.pinMismatchLimit...own.pinMismatchLimit
        transition = own.transition...own.transition
        longestReuse = own.reuse
        weakestDelays = own.delays
    }

    /// The first thing that the policy may not say, beginning with the member's name; nil for a policy that may be used.
    public func problem(in policy: UnlockPolicy) -> String? {
        if let problem = policy.problem { return problem }
        let checks: [(holds: Bool, reason: String)] = [
            (
                rungs.map { $0.isSuperset(of: policy.ladder) } ?? (policy.ladder == own.ladder),
                rungs == nil ? "ladder: is not the app's own" : "ladder: has a rung that the app does not allow"
            ),
            (policy.additionalRungs == own.additionalRungs, "also: are not the app's own"),
            (
                mayChangeAutomaticPrompt || policy.automaticPrompt == own.automaticPrompt,
                "automatic_prompt: is not the app's own"
            ),
            (hintAfter.contains(policy.hintAfter), "hint_after: is out of the app's bounds"),
            (hintAfter.contains(policy.earliestHint), "earliest_hint: is out of the app's bounds"),
            (fallbackAfter.contains(policy.fallbackAfter), "fallback_after: is out of the app's bounds"),
            (fallbackAfter.contains(policy.earliestFallback), "earliest_fallback: is out of the app's bounds"),
            (retryWindow.contains(policy.retryWindow), "retry_window: is out of the app's bounds"),
            (retryLimit.contains(policy.retryLimit), "retry_limit: is out of the app's bounds"),
            (mismatchLimit.contains(policy.mismatchLimit), "mismatch_limit: is out of the app's bounds"),
            (pinMismatchLimit.contains(policy.pinMismatchLimit), "pin_mismatch_limit: is out of the app's bounds"),
            (transition.contains(policy.transition), "transition: is out of the app's bounds"),
            (policy.reuse <= longestReuse, "reuse: is longer than the app allows"),
            // Events are counted by the name, so another one would hide them among another policy's.
            (policy.name == nil || policy.name == own.name, "name: is not the app's own"),
        ]
        return checks.first { !$0.holds }?.reason ?? policy.delays.weakness(below: weakestDelays).map { "delays.\($0)" }
    }

    /// The first thing that an arm of an experiment may not say, beginning with the member's name, such as
    /// `arms[1].policy.ladder: is not the app's own`; nil for an experiment that may be used.
    public func problem(in experiment: Experiment) -> String? {
        for (index, arm) in experiment.arms.enumerated() {
            if let problem = problem(in: arm.policy) { return "arms[\(index)].policy.\(problem)" }
        }
        return nil
    }
}

extension MismatchDelays {
    /// The first member that is weaker than another one's; nil where none is.
    fileprivate func weakness(below other: MismatchDelays) -> String? {
        let checks: [(holds: Bool, reason: String)] = [
            (burst <= other.burst, "burst: is higher than the app allows"),
            (window >= other.window, "window: is shorter than the app allows"),
            (afterBurst >= other.afterBurst, "after_burst: is shorter than the app allows"),
            (afterNext >= other.afterNext, "after_next: is shorter than the app allows"),
            (afterMore >= other.afterMore, "after_more: is shorter than the app allows"),
            (floorFrom <= other.floorFrom, "floor_from: is higher than the app allows"),
            (floor >= other.floor, "floor: is shorter than the app allows"),
            (limit <= other.limit, "limit: is higher than the app allows"),
        ]
        return checks.first { !$0.holds }?.reason
    }
}

extension PolicyBounds: CustomStringConvertible {
    /// For example `around unlock`.
    public var description: String { "around \(own.name?.text ?? own.description)" }
}
