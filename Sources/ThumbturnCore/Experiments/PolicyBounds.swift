/// What a policy that came from a server may say, in place of an app's own one.
///
/// By default only the times of the hint, the fallback and the retry are free, from a few seconds up to a minute, and the text of
/// the first button. The ladder, the demanded keys and the delays after mismatches are always the app's own: another limit or ladder
/// would count mismatches anew, and a delay that a server made longer would end where the device's clock is set.
public struct PolicyBounds: Hashable, Sendable {
    /// The app's own policy.
    public let own: UnlockPolicy
    /// Whether the prompt may come by itself at another time, or where the app waits for a tap.
    public var mayChangeAutomaticPrompt = false
    /// The times of the hint: from 3 s.
    public var hintAfter: ClosedRange<Duration>
    /// The times of the forced fallback: from 5 s.
    public var fallbackAfter: ClosedRange<Duration>
    /// The times within which a mismatch may be retried: from 1 s.
    public var retryWindow: ClosedRange<Duration>
    /// The times that one retry may take: from 2 s.
    public var retryLimit: ClosedRange<Duration>
    /// The mismatches after which the flow may move on.
    public var mismatchLimit: ClosedRange<Int>
    /// The wrong PINs after which the flow may move on.
    public var pinMismatchLimit: ClosedRange<Int>
    /// The times of the cross-fade.
    public var transition: ClosedRange<Duration>
    /// The longest time of a reuse.
    public var longestReuse: Duration

    /// The default bounds around the app's own policy. Its own numbers are within them.
    public init(around own: UnlockPolicy) {
        self.own = own
        func times(from least: Int64, _ time: Duration) -> ClosedRange<Duration> { min(time, .seconds(least)) ... .seconds(60) }
        hintAfter = times(from: 3, own.hintAfter)
        fallbackAfter = times(from: 5, own.fallbackAfter)
        retryWindow = times(from: 1, own.retryWindow)
        retryLimit = times(from: 2, own.retryLimit)
        mismatchLimit = own.mismatchLimit...own.mismatchLimit
        pinMismatchLimit = own.pinMismatchLimit...own.pinMismatchLimit
        transition = own.transition...own.transition
        longestReuse = own.reuse
    }

    /// The first thing that the policy may not say, beginning with the member's name; nil for a policy that may be used.
    public func problem(in policy: UnlockPolicy) -> String? {
        if let problem = policy.problem { return problem }
        let checks: [(holds: Bool, reason: String)] = [
            (policy.ladder == own.ladder, "ladder: is not the app's own"),
            (policy.additionalRungs == own.additionalRungs, "also: are not the app's own"),
            (policy.delays == own.delays, "delays: are not the app's own"),
            (
                mayChangeAutomaticPrompt || policy.automaticPrompt == own.automaticPrompt,
                "automatic_prompt: is not the app's own"
            ),
            (hintAfter.contains(policy.hintAfter), "hint_after: is out of the app's bounds"),
            (fallbackAfter.contains(policy.fallbackAfter), "fallback_after: is out of the app's bounds"),
            // The earliest times of a quick person are below the usual ones, by the app's own numbers too.
            (
                policy.earliestHint >= min(own.earliestHint, hintAfter.lowerBound),
                "earliest_hint: is earlier than the app allows"
            ),
            (
                policy.earliestFallback >= min(own.earliestFallback, fallbackAfter.lowerBound),
                "earliest_fallback: is earlier than the app allows"
            ),
            (retryWindow.contains(policy.retryWindow), "retry_window: is out of the app's bounds"),
            (retryLimit.contains(policy.retryLimit), "retry_limit: is out of the app's bounds"),
            (mismatchLimit.contains(policy.mismatchLimit), "mismatch_limit: is out of the app's bounds"),
            (pinMismatchLimit.contains(policy.pinMismatchLimit), "pin_mismatch_limit: is out of the app's bounds"),
            (transition.contains(policy.transition), "transition: is out of the app's bounds"),
            (policy.reuse <= longestReuse, "reuse: is longer than the app allows"),
            // Events are counted by the name, so another one would hide them among another policy's.
            (policy.name == nil || policy.name == own.name, "name: is not the app's own"),
        ]
        return checks.first { !$0.holds }?.reason
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

extension PolicyBounds: CustomStringConvertible {
    /// For example `around unlock`.
    public var description: String { "around \(own.name?.text ?? own.description)" }
}
