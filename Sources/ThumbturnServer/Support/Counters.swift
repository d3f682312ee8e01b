#if Server
package import Synchronization

/// The counts of a node's work since it started. Tests and benchmarks compare them with their own.
package final class Counters: Sendable {
    /// Verified signatures: of proofs, DPoP proofs and plain clients.
    package let verifications = Atomic(0)
    /// Signed access tokens.
    package let tokens = Atomic(0)
    /// Challenges that authorized a session.
    package let spends = Atomic(0)
    /// Opened sessions, those of step-ups included.
    package let sessions = Atomic(0)
    /// Exchanged refresh tokens, repeated exchanges included.
    package let refreshes = Atomic(0)
    /// Answered redemptions of approvals, repeated ones included.
    package let redemptions = Atomic(0)
    /// Unlocks that were counted by telemetry.
    package let unlocks = Atomic(0)
}

extension Atomic<Int> {
    func count() { wrappingAdd(1, ordering: .relaxed) }
    package var total: Int { load(ordering: .relaxed) }
}
#endif
