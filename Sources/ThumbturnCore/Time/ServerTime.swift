/// Bounds of a server's time at one moment of the device.
///
/// Two bounds, because a device cannot tell when within a round trip the server read its clock (Cristian,
/// "Probabilistic clock synchronization", 1989, section 3).
package struct ServerTime: Hashable, Sendable, Codable {
    /// The lower bound.
    package let earliest: UnixTime
    /// The upper bound.
    package let latest: UnixTime

    /// Creates the bounds of the server's time now from the time in one of its answers.
    ///
    /// - Parameters:
    ///   - told: the time in the answer, without the fraction of its second.
    ///   - sinceAsked: how long ago the request was sent; at least `sinceAnswered`.
    ///   - sinceAnswered: how long ago the answer arrived; not negative.
    package init(told: UnixTime, sinceAsked: Duration, sinceAnswered: Duration) {
        precondition(.zero <= sinceAnswered && sinceAnswered <= sinceAsked, "an answer arrives after its request, and before now")
        earliest = told + sinceAnswered
        latest = told + .seconds(1 + sinceAsked.wholeSecondsRoundedUp)
    }
}
