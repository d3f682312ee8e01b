#if Server
import ThumbturnCore

/// A sign-in with full credentials before its transaction: the evidence, and the counts that grow if it is wrong.
package struct SignInAttempt: Sendable {
    /// The evidence, judged as far as possible without a transaction.
    package enum Evidence: Sendable {
        /// The evidence is missing or wrong.
        case nothing
        /// The password is right. The step is that of a right one-time code; nil without one.
        case password(oneTimeStep: Int64?)
        /// The hash of a recovery code, and whether the password that came with it is right.
        case recoveryCode([UInt8], passwordFits: Bool)
    }

    /// The account of the given name; nil if there is none.
    package var account: AccountID?
    /// The account's `credentialGeneration` when the evidence was judged. The evidence is void if it has grown since.
    package var credentialGeneration: Int64 = 0
    package var evidence: Evidence
    /// False if sign-ins were throttled, so that nothing was compared. Such an attempt is not counted.
    package var isJudged = true
    /// The accounts or devices whose consecutive wrong attempts are counted.
    package var inARow: [ThrottleID]
    /// The addresses whose rate of wrong attempts is counted.
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
    /// The sign-in may be tried; as the result of `settle`, it is accepted.
    case open
    /// The evidence was wrong, and the attempt was counted.
    case wrong
    /// Sign-ins to the account are throttled. The sender must not notice, so the same work is done as for a wrong
    /// password.
    case paused
    /// Sign-ins from the device or from the network are throttled. The sender may know that, so no work is done.
    case closed
    /// Sign-ins from all senders without an enrolled session key are throttled.
    case overloaded
}
#endif
