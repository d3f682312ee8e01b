#if Server
import ThumbturnCore

/// A sign-in with full credentials before its transaction: the evidence, and what it counts against if it is wrong.
package struct SignInAttempt: Sendable {
    /// The evidence, judged as far as that needs no transaction.
    package enum Evidence: Sendable {
        case nothing
        /// The password fits. The step is that of a fitting one-time code, if there was one.
        case password(oneTimeStep: Int64?)
        /// A recovery code's hash, and whether the password that came with it fits.
        case recoveryCode([UInt8], passwordFits: Bool)
    }

    package var account: AccountID?
    package var evidence: Evidence
    /// False if sign-ins were closed, so that nothing was compared: then the attempt is not counted.
    package var isJudged = true
    /// The accounts or devices whose wrong attempts in a row it adds to.
    package var inARow: [ThrottleID]
    /// The addresses whose rate of wrong attempts it adds to.
    package var byRate: [ThrottleID]
    package var limits: ThrottleLimits

    package init(
        account: AccountID?, evidence: Evidence, inARow: [ThrottleID], byRate: [ThrottleID], limits: ThrottleLimits
    ) {
        self.account = account
        self.evidence = evidence
        self.inARow = inARow
        self.byRate = byRate
        self.limits = limits
    }
}

/// Whether a sign-in may be tried, or the result of one.
package enum SignInStanding: Hashable, Sendable {
    /// It may be tried; after `settle`, it is accepted.
    case open
    case wrong
    case closed
    case overloaded
}
#endif
