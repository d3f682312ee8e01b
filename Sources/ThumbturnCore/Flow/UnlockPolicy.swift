/// The ladder and the numbers of one unlock.
///
/// An app names a preset, a server may send a policy, and an experiment may vary one. A policy that contradicts itself
/// grants nothing: the flow ends with `policyDenies`, and reading one throws; see `problem`.
public struct UnlockPolicy: Hashable, Sendable {
    /// The rungs that may be asked, in order. An empty ladder denies.
    public var ladder: [Rung]
    /// The rungs whose keys have to sign, too, after one of the ladder has: for an action that demands two keys, such
    /// as biometric and PIN. No other rung replaces one of these.
    public var additionalRungs: [Rung] = []
    /// The text of the first prompt's cancel button.
    public var firstButton = FirstButton.cancel
    /// How long after its screen appeared the flow asks by itself; nil waits for a tap.
    public var automaticPrompt: Duration? = .milliseconds(400)
    /// How long after the first prompt a mismatch at the sensor may still be retried.
    public var retryWindow: Duration = .seconds(8)
    /// How long one retry may take.
    public var retryLimit: Duration = .seconds(5)
    /// How long after the first prompt the hint appears beside an unanswered prompt. The person's pace may bring it
    /// forward, down to `earliestHint`: after five matches at the first attempt it appears when the person takes
    /// clearly longer than usual, and after three unlocks in a row without a match at once as early as is allowed.
    public var hintAfter: Duration = .seconds(8)
    /// How long after the first prompt an unanswered prompt gives way to the next rung. It is brought forward as the
    /// hint is, down to `earliestFallback`.
    public var fallbackAfter: Duration = .seconds(12)
    /// The earliest time of the hint, counted from the first prompt.
    public var earliestHint: Duration = .seconds(4)
    /// How long after the first prompt an unanswered first attempt gives way to the next rung at the earliest, however
    /// fast the person usually is. A retry may end earlier: it takes at most `retryLimit`.
    public var earliestFallback: Duration = .seconds(8)
    /// Mismatches after which the flow moves on to the next rung.
    public var mismatchLimit = 3
    /// Wrong PINs in one flow after which it moves on to the next rung. The device counts wrong PINs from one unlock to
    /// the next as well: it takes none for a while from the fifth in a row on, and the tenth disables the key.
    public var pinMismatchLimit = 5  // The count over all unlocks is `PINLedger.limit`.
    /// The delays after mismatches at the sensor, which the device counts from one unlock to the next. A match or a
    /// stronger rung ends the count; what was counted under this policy itself ends only with a match under a policy that
    /// allows no more mismatches, or with a rung of this ladder (the full sign-in always is one).
    public var delays = MismatchDelays()
    /// How long the cross-fade from one rung's screen to the next one's takes, on the same background. `UnlockNews.moved`
    /// and the models carry it to the app's views; the flow does not wait for it.
    public var transition: Duration = .milliseconds(250)
    /// How long an unlock may be reused for the next one without a prompt. Step-ups and approvals never reuse one.
    public var reuse: Duration = .zero
    /// The name of the policy in telemetry; a preset has its own. It decides nothing.
    public var name: TelemetryLabel?
    /// The arm of the experiment that this policy is, in telemetry. It decides nothing.
    public var arm: TelemetryLabel?

    /// The texts that the cancel button of a rung's first prompt may have. From the second attempt on it names the next
    /// rung.
    public enum FirstButton: String, Hashable, Sendable, Codable {
        /// "Cancel": pressing it ends the flow, and the screen behind it offers the other ways.
        case cancel
        /// "Use …": pressing it moves on to the next rung that can be asked.
        case nextRung = "next"
    }

    /// Creates a policy from a ladder, with the default numbers.
    public init(ladder: [Rung]) {
        self.ladder = ladder
    }
}

extension UnlockPolicy: CustomStringConvertible {
    /// For example `biometric, app PIN, full sign-in; prompt after a tap`.
    public var description: String {
        let rungs = ladder.isEmpty ? "denies" : ladder.map(\.description).joined(separator: ", ")
        let additional = additionalRungs.map { "; and \($0)" }.joined()
        return "\(rungs)\(additional); prompt after \(automaticPrompt.map(\.description) ?? "a tap")"
    }
}

// MARK: - Contradictions

extension UnlockPolicy {
    package static func hint(on problem: String) -> String { "The policy contradicts itself: \(problem)." }

    /// The first contradiction in the policy, beginning with the member's name; nil for a sound policy.
    public var problem: String? {
        let checks: [(holds: Bool, reason: String)] = [
            (!ladder.isEmpty, "ladder: is empty, and an empty ladder denies"),
            (Set(ladder).count == ladder.count, "ladder: names a rung twice"),
            (!ladder.dropLast().contains(.fullCredentials), "ladder: nothing comes after fullCredentials"),
            (Set(additionalRungs).count == additionalRungs.count, "also: names a rung twice"),
            (additionalRungs.allSatisfy { $0.key != nil }, "also: only rungs with a key can be demanded as well"),
            (Set(additionalRungs).isDisjoint(with: ladder), "also: a rung that is on the ladder cannot be demanded as well"),
            (additionalRungs.isEmpty || ladder.contains { $0.key != nil }, "also: no rung of the ladder has a key"),
            (additionalRungs.isEmpty || reuse == .zero, "reuse: cannot be combined with also, because two keys sign each time"),
            (
                automaticPrompt.map { (.milliseconds(300) ... .milliseconds(500)).contains($0) } ?? true,
                "automatic_prompt: is 300 to 500 ms, or absent"
            ),
            ((.seconds(1) ... .seconds(60)).contains(fallbackAfter), "fallback_after: is 1 to 60 s"),
            (hintAfter > .zero && hintAfter <= fallbackAfter, "hint_after: is above 0 and not after fallback_after"),
            (retryWindow >= .zero && retryWindow <= fallbackAfter, "retry_window: is 0 or more and not after fallback_after"),
            (retryLimit > .zero && retryLimit <= fallbackAfter, "retry_limit: is above 0 and not above fallback_after"),
            (earliestHint > .zero && earliestHint <= hintAfter, "earliest_hint: is above 0 and not after hint_after"),
            (
                earliestFallback >= earliestHint && earliestFallback <= fallbackAfter,
                "earliest_fallback: is between earliest_hint and fallback_after"
            ),
            ((1...5).contains(mismatchLimit), "mismatch_limit: is 1 to 5; no system allows more"),
            ((1...PINLedger.limit).contains(pinMismatchLimit), "pin_mismatch_limit: is 1 to \(PINLedger.limit)"),
            ((.milliseconds(200) ... .milliseconds(300)).contains(transition), "transition: is 200 to 300 ms"),
            ((.zero ... .seconds(300)).contains(reuse), "reuse: is 0 to 300 s"),
        ]
        return checks.first { !$0.holds }?.reason ?? delays.problem.map { "delays.\($0)" }
    }
}

extension UnlockPolicy.FirstButton: CustomStringConvertible {
    /// For example `next rung`.
    public var description: String {
        switch self {
        case .cancel: "cancel"
        case .nextRung: "next rung"
        }
    }
}
