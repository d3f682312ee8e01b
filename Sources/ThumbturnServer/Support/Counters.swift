#if Server
import Synchronization

/// What a node has done since it started.
package final class Counters: Sendable {
    let verifications = Atomic(0)
    let tokens = Atomic(0)
    let spends = Atomic(0)
    let sessions = Atomic(0)
    let refreshes = Atomic(0)
    let redemptions = Atomic(0)

    /// The counts, for a benchmark to compare with its own.
    package struct Report: Codable, Sendable {
        /// Signatures that were verified: proofs, DPoP proofs and those of plain clients.
        package var verifications: Int
        /// Access tokens that were signed.
        package var tokens: Int
        /// Challenges that paid for a session.
        package var spends: Int
        package var sessions: Int
        package var refreshes: Int
        /// Answers to redemptions of an approval, with those that were asked for again.
        package var redemptions: Int
        /// SQLite's `synchronous` of the writing connection: 2 is FULL.
        package var synchronous: Int
    }
}

extension Atomic<Int> {
    func count() { wrappingAdd(1, ordering: .relaxed) }
    var total: Int { load(ordering: .relaxed) }
}
#endif
