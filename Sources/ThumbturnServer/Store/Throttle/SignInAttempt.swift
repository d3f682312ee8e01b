#if Server
import ThumbturnCore

/// A sign-in with full credentials as it stands before its transaction: what was compared, and where it counts if it is wrong.
package struct SignInAttempt: Sendable {
    /// What the person showed, judged as far as that needs no transaction.
    package enum Evidence: Sendable {
        case nothing
        /// The password fits. The step is that of a one-time code that fits, where there was one.
        case password(oneTimeStep: Int64?)
        /// A recovery code's hash, and whether the password that came with it fits.
        case recoveryCode([UInt8], passwordFits: Bool)
    }

    package var account: AccountID?
    package var evidence: Evidence
    /// False where it was closed, and so nothing was compared: then it counts nowhere.
    package var isJudged = true
    /// Where wrong attempts in a row count.
    package var inARow: [ThrottleID]
    /// Where wrong attempts count by the time between them.
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

package enum SignInStanding: Hashable, Sendable {
    /// It may be tried; of one that was settled, it is accepted.
    case open
    case wrong
    case closed
    case overloaded
}
#endif
