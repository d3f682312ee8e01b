#if Server
package import ThumbturnCore

/// The part of the store that knows its epoch. A database that was restored or promoted has forgotten what was spent since, so a new epoch
/// begins, in which nothing of the old one is good.
package protocol EpochStore {
    /// Whether one began when this store was opened, because the database was put in the place of a newer one or copied.
    var wasRestored: Bool { get }
    /// Begins one: the secrets of challenges, tickets and refresh tokens go, and all sessions and unfinished approvals end.
    func beginEpoch() async throws
    /// The current one, and when it began: both are 0 for the first.
    func epoch() async throws -> (number: Int64, began: UnixTime)
    /// Writes a copy of everything to a file.
    func backUp(to path: String) async throws
    /// Puts such a copy in the place of everything, and begins an epoch.
    func restore(from path: String) async throws
}
#endif
