#if Server
package import ThumbturnCore

/// The part of the store that keeps its epoch.
///
/// A restored database does not know which ids were consumed after its backup was made. So a new epoch begins, in which
/// no challenge, ticket or token of the earlier one is accepted.
package protocol EpochStore: Sendable {
    /// The latest time that the database had seen when this store was opened.
    var foundTime: UnixTime { get }
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
    /// Replaces the whole database by such a copy, and begins an epoch. Keys of access tokens that were retired or
    /// revoked since the copy was made stay so, and the newer keys verify until their last tokens expire.
    ///
    /// A copy from days of a wrong clock may have seen a time that is still to come. Then its time is set to the clock's
    /// in the same transaction, as `setTime` does it. The keys of access tokens of former epochs have to be retired
    /// afterwards.
    ///
    /// - Parameters:
    ///   - coolOff: the longest cool-off of a device.
    ///   - sealing: opens every sealed value of the copy and seals it for this database. If it throws, nothing has changed.
    ///   - own: opens what this database has sealed, under the key that `sealing` seals with. If it throws, nothing has changed.
    @discardableResult
    func restore(
        from path: String, coolOff: Duration, sealing: @escaping Sealing, own: Sealing
    ) async throws -> RestoredTime
    /// Sets the latest time that was seen, to an earlier or a later one, and begins an epoch. The keys of access tokens
    /// end at once: they have signed tokens of the wrong time.
    ///
    /// - Parameters:
    ///   - keys: all keys of access tokens.
    ///   - coolOff: the longest cool-off of a device.
    func setTime(to time: UnixTime, retiring keys: [RetiredKey], coolOff: Duration) async throws
}

/// What a restore did with the latest time that the backup had seen.
package enum RestoredTime: Hashable, Sendable {
    /// Nothing: it is not ahead of the clock.
    case kept
    /// It was ahead of the clock by more than `NodeTime.largestStep`, so the server's time is the clock's now.
    case set(from: UnixTime, to: UnixTime)
    /// Nothing, although it is ahead of the clock: the clock is also behind the database that was replaced, so it may be
    /// the clock that is wrong. No server starts until an operator has set the clock or the time.
    case ahead(UnixTime)
}
#endif
