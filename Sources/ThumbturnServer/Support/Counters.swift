#if Server
import Synchronization

/// The counts of a node's work since it started.
package final class Counters: Sendable {
    let verifications = Atomic(0)
    let tokens = Atomic(0)
    let spends = Atomic(0)
    let sessions = Atomic(0)
    let refreshes = Atomic(0)
    let redemptions = Atomic(0)
    let unlocks = Atomic(0)

    /// The counts at one moment. A benchmark compares them with its own.
    package struct Report: Codable, Sendable {
        /// Verified signatures: of proofs, DPoP proofs and plain clients.
        package var verifications: Int
        /// Signed access tokens.
        package var tokens: Int
        /// Challenges that authorised a session.
        package var spends: Int
        /// Opened sessions, those of step-ups included.
        package var sessions: Int
        /// Exchanged refresh tokens, repeated exchanges included.
        package var refreshes: Int
        /// Answered redemptions of approvals, repeated ones included.
        package var redemptions: Int
        /// Unlocks that were counted by telemetry.
        package var unlocks: Int
        /// Whether a commit that was answered outlasts a failure of power.
        package var isDurable: Bool

        /// The counts of two nodes together.
        package static func + (one: Report, other: Report) -> Report {
            Report(
                verifications: one.verifications + other.verifications, tokens: one.tokens + other.tokens,
                spends: one.spends + other.spends, sessions: one.sessions + other.sessions,
                refreshes: one.refreshes + other.refreshes, redemptions: one.redemptions + other.redemptions,
                unlocks: one.unlocks + other.unlocks, isDurable: one.isDurable && other.isDurable)
        }
    }
}

extension Atomic<Int> {
    func count() { wrappingAdd(1, ordering: .relaxed) }
    var total: Int { load(ordering: .relaxed) }
}
#endif
