#if Server
package import ThumbturnCore
import ThumbturnMessages

/// The part of the store that keeps approvals.
package protocol ApprovalStore: Sendable {
    /// Makes an approval. A live one for this creator and transaction id is returned if all of it is equal, and withdrawn
    /// otherwise: a change voids an earlier approval.
    func create(_ approval: NewApproval) async throws -> ApprovalCreation
    /// The approval of this id.
    func approval(_ id: ApprovalID) async throws -> ApprovalView?
    /// The approvals that an account is still asked for, oldest first.
    func openApprovals(of account: AccountID) async throws -> [ApprovalView]
    /// Keeps one key's signature, if the authorisation still holds and the approval still admits it. With the last signature that
    /// is missing the approval is approved.
    func approve(_ signature: NewApprovalSignature, by authorisation: Authorisation) async throws -> CommitOutcome<ApprovalView>
    /// Declines an approval for an account that is asked for it. Nil if it is neither open nor approved.
    func decline(_ id: ApprovalID, by account: AccountID) async throws -> ApprovalView?
    /// Withdraws an approval for its creator. Nil if it is neither open nor approved.
    func withdraw(_ id: ApprovalID, by creator: String) async throws -> ApprovalView?
    /// Redeems an approval once. The same idempotency key gets the same receipt again.
    func redeem(_ redemption: Redemption) async throws -> Redemption.Outcome
    /// Deletes approvals that ended before a time without being redeemed.
    func purgeApprovals(before: UnixTime) async throws
}

package enum ApprovalKind {}
package typealias ApprovalID = Identifier<ApprovalKind>

/// An approval that is about to be made.
package struct NewApproval: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var transactionID: String
    package var account: AccountID
    package var second: AccountID?
    package var txn: String
    package var demand: ApprovalDemand
    package var lifetime: Duration
    /// The most approvals that may be open for one account.
    package var cap: Int
}

/// The result of making an approval.
package enum ApprovalCreation: Sendable {
    case made(ApprovalView)
    case exists(ApprovalView)
    case unknownAccount
    case tooMany
    /// The transaction was redeemed already.
    case redeemed
}

/// An approval with its signatures.
package struct ApprovalView: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var account: AccountID
    package var second: AccountID?
    package var txn: String
    package var demand: ApprovalDemand
    package var createdAt: UnixTime
    package var expiresAt: UnixTime
    /// The state that is stored: an approval that has expired may still be stored as open.
    package var state: ApprovalState
    package var signatures: [ApprovalSignature]
    /// The idempotency key and the receipt; nil unless it was redeemed.
    package var redemption: (key: String, receipt: String)?

    package var accounts: [AccountID] { [account] + (second.map { [$0] } ?? []) }

    /// The state at a time.
    package func state(at now: UnixTime) -> ApprovalState {
        (state == .open || state == .approved) && now >= expiresAt ? .expired : state
    }

    /// Whether an account has signed all that is demanded of it.
    package func isSigned(by account: AccountID) -> Bool {
        demand.isMet(by: signatures.filter { $0.account == account }.map(\.factor))
    }
}

/// One key's signature under an approval.
package struct ApprovalSignature: Sendable {
    package var account: AccountID
    package var device: DeviceID
    package var kind: KeyKind
    package var kid: String
    package var x963: [UInt8]
    package var enrolledAt: UnixTime
    package var enrolledBy: KeyOrigin
    /// Nil for a PIN key.
    package var proof: String?
    package var liveness: String?
    package var at: UnixTime

    /// The factor that it shows.
    var factor: KeyKind { enrolledBy.factor(of: kind) }
}

/// A signature that is about to be kept.
package struct NewApprovalSignature: Sendable {
    package var approval: ApprovalID
    package var account: AccountID
    /// The transaction that was signed; it has to be equal to the stored one.
    package var txn: String
    package var demand: ApprovalDemand
    package var proof: String
    package var liveness: String?
    /// How long after the last signature the approval can be redeemed, at least.
    package var redeemableFor: Duration
}

/// The redemption of an approval by its creator.
package struct Redemption: Sendable {
    package var approval: ApprovalID
    package var creator: String
    /// The idempotency key: the creator's own name for this attempt.
    package var key: String
    package var txn: String
    package var receipt: String

    package enum Outcome: Sendable {
        /// Redeemed now, or earlier with the same key: then the receipt is the first one.
        case redeemed(ApprovalView)
        /// The transaction to be executed differs from the approved one. The approval has been withdrawn.
        case changed
        /// It is in another state, or another key redeemed it.
        case not(ApprovalState)
        case unknown
    }
}
#endif
