#if Server
import ThumbturnCore

/// What a store keeps of wrong attempts, and of the factors beside the password.
package protocol ThrottleStore: Sendable {
    /// Whether a sign-in may be tried: closed for the account, the device or the address; or overloaded, for everybody who has no
    /// enrolled session key.
    func standing(of attempt: SignInAttempt) async throws -> SignInStanding
    /// Accepts a sign-in, or counts it as a wrong one, in one transaction: the one-time step or the recovery code is used up, or the
    /// counts have grown, when this returns. While it is closed for anything that the attempt counts at, nothing is accepted and
    /// nothing grows.
    func settle(_ attempt: SignInAttempt) async throws -> SignInStanding
    /// Counts something wrong against an address alone.
    func count(against ids: [ThrottleID], limits: ThrottleLimits) async throws
    /// Forgets the wrong sign-ins of an account.
    func unlock(_ account: AccountID) async throws
}
#endif
