#if Server
import ThumbturnCore

/// The part of the store that counts wrong attempts.
package protocol ThrottleStore: Sendable {
    /// Whether a sign-in may be tried. `paused` is for one account, `closed` for one device or address, and `overloaded`
    /// for every sender without an enrolled session key.
    func standing(of attempt: SignInAttempt) async throws -> SignInStanding
    /// Accepts a sign-in or counts it as a wrong one, in one transaction. When this returns, the one-time step or the
    /// recovery code has been consumed, or the counts have grown. Only if it is open is a sign-in accepted, and only
    /// then do the counts of consecutive attempts grow. The counts by rate grow even while an account is paused:
    /// otherwise the sender's own address would show the state of any name.
    func settle(_ attempt: SignInAttempt) async throws -> SignInStanding
    /// Counts a wrong request against addresses only.
    func count(against ids: [ThrottleID], limits: ThrottleLimits) async throws
    /// Resets the count of wrong sign-ins of an account, and gives its enrolments and changes of keys of a day back.
    func unlock(_ account: AccountID) async throws
}
#endif
