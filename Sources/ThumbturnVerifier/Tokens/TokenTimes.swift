package import ThumbturnCore

/// The one rule for times that another clock wrote: in tokens, assertions, challenges and evidence (RFC 7519 section
/// 4.1).
///
/// Clocks differ a little, so a time may lie ahead by `leeway`. Nothing later is accepted: it would be valid for longer
/// than its issuer promised, and its age would be negative, which is fresher than every demand.
package enum TokenTimes {
    /// How far an issuer's clock may be ahead of the verifier's: 60 seconds.
    package static let leeway = Duration.seconds(60)

    /// Throws `expired`, `notYetValid`, or `malformed` for an expiry that is not after the issue or a life that is
    /// longer than its issuer gives.
    package static func check(
        issued: UnixTime, expiry: UnixTime, longestLife: Duration, at now: UnixTime
    ) throws(VerificationError) {
        guard now < expiry else { throw .expired }
        try checkPast(issued, at: now)
        guard issued < expiry, expiry - issued <= longestLife else { throw .malformed }
    }

    /// Throws `notYetValid` for a time that lies further ahead than the leeway.
    package static func checkPast(
        _ time: UnixTime, at now: UnixTime, leeway: Duration = Self.leeway
    ) throws(VerificationError) {
        guard time - now <= leeway else { throw .notYetValid }
    }

    /// The age of something that happened at `time`, never negative; nil if the time lies further ahead than the leeway,
    /// so that nothing from the future counts as fresh.
    package static func age(of time: UnixTime, at now: UnixTime) -> Duration? {
        guard time - now <= leeway else { return nil }
        return max(.zero, now - time)
    }
}
