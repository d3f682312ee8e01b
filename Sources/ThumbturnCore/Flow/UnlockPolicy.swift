/// The numbers and the ladder of one unlock. A plain value: an app names a preset, a server may send one, an experiment may vary one.
///
/// A policy that contradicts itself asks for nothing: the flow ends with `policyDenies`, and reading one throws; see `problem`.
public struct UnlockPolicy: Hashable, Sendable {
    /// The rungs that may be asked, in order. An empty ladder denies.
    public var ladder: [Rung]
    /// The rungs that have to answer as well, after one of the ladder has: for an action that demands two keys, such as biometric and
    /// PIN. No other rung takes the place of these.
    public var additionalRungs: [Rung] = []
    /// How long after its screen appeared the flow asks by itself; nil where it waits for a tap.
    public var automaticPrompt: Duration? = .milliseconds(400)
    /// A mismatch at the sensor may be retried while this long has not passed since the first prompt.
    public var retryWindow: Duration = .seconds(8)
    /// How long one retry may take.
    public var retryLimit: Duration = .seconds(5)
    /// When the hint appears beside an unanswered prompt, counted from the first prompt; what is known of the person may bring it
    /// forward, never beyond `earliestHint`. See `Pace`.
    public var hintAfter: Duration = .seconds(8)
    /// When an unanswered prompt gives way to the next rung, counted from the first prompt; may be brought forward as the hint, never
    /// beyond `earliestFallback`.
    public var fallbackAfter: Duration = .seconds(12)
    /// No hint comes before.
    public var earliestHint: Duration = .seconds(4)
    /// No prompt is taken away before.
    public var earliestFallback: Duration = .seconds(8)
    /// How long the change from one rung's screen to the next takes.
    public var transition: Duration = .milliseconds(250)
    /// So many mismatches end a rung.
    public var mismatchLimit = 3
    /// So many wrong PINs end the rung of the app's PIN. The device's own count goes on from one unlock to the next, and may end it
    /// sooner; see `PINLedger`.
    public var pinMismatchLimit = 5
    /// How the sensor slows down after mismatches, counted from one unlock to the next; see `BiometricLedger`.
    public var delays = MismatchDelays()
    /// For how long an unlock may stand for the next one without a prompt. Step-ups and approvals never take it.
    public var reuse: Duration = .zero

    /// A ladder with the default numbers.
    public init(ladder: [Rung]) {
        self.ladder = ladder
    }
}

// MARK: - Presets

extension UnlockPolicy {
    /// Opening an app, also on its return to the foreground: sensor, device passcode, the app's PIN, full sign-in.
    public static let unlock = UnlockPolicy(ladder: [.biometric, .devicePasscode, .appPIN, .fullCredentials])

    /// A screen that not everybody who holds the unlocked device should see: as `unlock`, and who knows the device passcode alone does
    /// not get in.
    public static let sensitiveScreen = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])

    /// What must not rest on the device passcode, nor on a PIN: sensor, then full sign-in.
    public static let highRisk = UnlockPolicy(ladder: [.biometric, .fullCredentials]).highStakes

    /// Confirming a transaction: a tap first, so that nobody pays by looking at the phone; the PIN after three mismatches, whatever the
    /// time.
    public static let transaction = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials]).highStakes

    /// A credential that a vault keeps: sensor, then device passcode. What opens is the vault's access to say.
    public static let storedCredential = UnlockPolicy(ladder: [.biometric, .devicePasscode])

    /// Files that a vault seals: as `storedCredential`, and it waits for a tap.
    public static let dataAtRest: UnlockPolicy = {
        var policy = UnlockPolicy.storedCredential
        policy.automaticPrompt = nil
        return policy
    }()

    /// The presets by name, as files and commands call them.
    public static let presets: [String: UnlockPolicy] = [
        "unlock": .unlock, "sensitiveScreen": .sensitiveScreen, "highRisk": .highRisk, "transaction": .transaction,
        "storedCredential": .storedCredential, "dataAtRest": .dataAtRest,
    ]

    private var highStakes: UnlockPolicy {
        var policy = self
        policy.automaticPrompt = nil
        policy.delays.limit = 3
        return policy
    }
}

// MARK: - Contradictions

extension UnlockPolicy {
    /// What is wrong with the policy, with the member's name first; nil where nothing is.
    public var problem: String? {
        let checks: [(holds: Bool, says: String)] = [
            (!ladder.isEmpty, "ladder: is empty, and an empty ladder denies"),
            (Set(ladder).count == ladder.count, "ladder: names a rung twice"),
            (!ladder.dropLast().contains(.fullCredentials), "ladder: nothing comes after fullCredentials"),
            (Set(additionalRungs).count == additionalRungs.count, "also: names a rung twice"),
            (additionalRungs.allSatisfy { $0.key != nil }, "also: only rungs with a key can answer as well"),
            (Set(additionalRungs).isDisjoint(with: ladder), "also: a rung that is on the ladder cannot answer as well"),
            (
                additionalRungs.isEmpty || ladder.contains { $0.key != nil },
                "also: no rung of the ladder has a key to answer first"
            ),
            (additionalRungs.isEmpty || reuse == .zero, "reuse: two keys are asked each time"),
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
            ((.milliseconds(200) ... .milliseconds(300)).contains(transition), "transition: is 200 to 300 ms"),
            ((1...5).contains(mismatchLimit), "mismatch_limit: is 1 to 5; no system allows more"),
            ((1...PINLedger.limit).contains(pinMismatchLimit), "pin_mismatch_limit: is 1 to \(PINLedger.limit)"),
            ((.zero ... .seconds(300)).contains(reuse), "reuse: is 0 to 300 s"),
        ]
        return checks.first { !$0.holds }?.says ?? delays.problem.map { "delays.\($0)" }
    }
}
