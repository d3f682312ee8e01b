#if Server
import ThumbturnCore

/// The part of the store that counts wrong attempts.
package protocol ThrottleStore: Sendable {
    /// Whether a sign-in may be tried. `closed` is for one account, device or address; `overloaded` is for every sender
    /// without an enrolled session key.
    func standing(of attempt: SignInAttempt) async throws -> SignInStanding
    /// Accepts a sign-in or counts it as a wrong one, in one transaction. When this returns, the one-time step or the
    /// recovery code has been consumed, or the counts have grown. While sign-ins are closed for anything that the
    /// attempt counts against, none is accepted and no count grows.
    func settle(_ attempt: SignInAttempt) async throws -> SignInStanding
    /// Counts a wrong request against addresses only.
    func count(against ids: [ThrottleID], limits: ThrottleLimits) async throws
    /// Resets the count of wrong sign-ins of an account.
    func unlock(_ account: AccountID) async throws
}
#endif
