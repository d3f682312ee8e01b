#if Server
package import ThumbturnCore

/// The part of the store that keeps its epoch.
///
/// A database that was restored or promoted does not know what was consumed since its backup was made. So a new epoch begins, in
/// which no challenge, ticket or token of the earlier one is accepted.
package protocol EpochStore: Sendable {
    /// Whether an epoch began when this store was opened, because the database had replaced a newer one or had been copied.
    var wasRestored: Bool { get }
    /// Begins an epoch: deletes the secrets of challenges, tickets and refresh tokens, and ends all sessions and unfinished
    /// approvals.
    func beginEpoch() async throws
    /// The current epoch and when it began: both are 0 for the first.
    func epoch() async throws -> (number: Int64, began: UnixTime)
    /// Writes a copy of the whole database to a file.
    func backUp(to path: String) async throws
    /// Replaces the whole database by such a copy, and begins an epoch.
    func restore(from path: String) async throws
}
#endif
