/// What a device knows of its server's time at one moment: two bounds, because nobody can tell when within a round trip it was told
/// (Cristian, "Probabilistic clock synchronization", 1989, section 3).
public struct ServerTime: Hashable, Sendable, Codable {
    /// It is not earlier than this.
    public let earliest: UnixTime
    /// It is not later than this.
    public let latest: UnixTime

    /// The server's time now, out of what it told.
    ///
    /// - Parameters:
    ///   - told: the time in its answer; fractions of the second were dropped there.
    ///   - sinceAsked: how long ago the request left; not less than `sinceAnswered`.
    ///   - sinceAnswered: how long ago the answer came; not negative.
    public init(told: UnixTime, sinceAsked: Duration, sinceAnswered: Duration) {
        precondition(.zero <= sinceAnswered && sinceAnswered <= sinceAsked, "an answer comes after its request, and before now")
        earliest = told + sinceAnswered
        latest = told + .seconds(1 + sinceAsked.wholeSecondsRoundedUp)
    }
}
