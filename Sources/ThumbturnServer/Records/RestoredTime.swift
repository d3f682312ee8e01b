#if Server
package import ThumbturnCore

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
