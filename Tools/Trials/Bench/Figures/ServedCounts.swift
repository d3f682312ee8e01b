#if Tools
/// The counts of a server's work, as TrialServer prints them at its end. `Counters` says what each one counts.
struct ServedCounts: Decodable {
    var verifications: Int
    var tokens: Int
    var spends: Int
    var sessions: Int
    var refreshes: Int
    var redemptions: Int
    var unlocks: Int
    /// Whether a commit that was answered outlasts a failure of power.
    var isDurable: Bool

    /// The counts of two nodes together.
    static func + (one: ServedCounts, other: ServedCounts) -> ServedCounts {
        ServedCounts(
            verifications: one.verifications + other.verifications, tokens: one.tokens + other.tokens,
            spends: one.spends + other.spends, sessions: one.sessions + other.sessions,
            refreshes: one.refreshes + other.refreshes, redemptions: one.redemptions + other.redemptions,
            unlocks: one.unlocks + other.unlocks, isDurable: one.isDurable && other.isDurable)
    }
}
#endif
