#if Server
package import ThumbturnCore

/// The part of the store that keeps its epoch.
///
/// A restored database does not know which ids were consumed after its backup was made. So a new epoch begins, in which
/// no challenge, ticket or token of the earlier one is accepted.
package protocol EpochStore: Sendable {
    /// Whether a new epoch began when this store was opened, because the database had replaced a newer one or had been
    /// copied.
    var wasRestored: Bool { get }
    /// Begins an epoch: deletes the secrets of challenges, tickets and refresh tokens, and ends all sessions and
    /// unfinished approvals.
    func beginEpoch() async throws
    /// The number of the current epoch and the time when it began. Both are 0 for the first epoch.
    func epoch() async throws -> (number: Int64, began: UnixTime)
    /// Writes a copy of the whole database to a file.
    func backUp(to path: String) async throws
    /// Replaces the whole database by such a copy, and begins an epoch.
    func restore(from path: String) async throws
}
#endif
