#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The part of the store that keeps approvals.
package protocol ApprovalStore: Sendable {
    /// Makes an approval. If the creator has a live approval with this transaction id, that one is returned if it is
    /// equal, and withdrawn if it differs: a changed transaction needs a new approval.
    func create(_ approval: NewApproval) async throws -> ApprovalCreation
    /// The approval of this id.
    func approval(_ id: ApprovalID) async throws -> ApprovalView?
    /// The approvals that an account is still asked for, oldest first.
    func openApprovals(of account: AccountID) async throws -> [ApprovalView]
    /// Adds the signature of one key, if the authorisation still holds and the approval still admits it. The last
    /// missing signature makes the approval approved.
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

/// Marks the identifiers of approvals.
package enum ApprovalKind {}
/// The identifier of an approval.
package typealias ApprovalID = Identifier<ApprovalKind>

/// An approval that is about to be made.
package struct NewApproval: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var transactionID: String
    package var account: AccountID
    /// The second account that has to approve; nil if one is enough.
    package var second: AccountID?
    /// The transaction's bytes, in base64url.
    package var txn: String
    package var demand: ApprovalDemand
    package var lifetime: Duration
    /// The most approvals that may be open for one account.
    package var cap: Int
}

/// The result of making an approval.
package enum ApprovalCreation: Sendable {
    /// A new approval was made.
    case made(ApprovalView)
    /// The creator has an equal approval, which is live.
    case exists(ApprovalView)
    /// There is no account of one of the ids.
    case unknownAccount
    /// One of the accounts has the maximum of open approvals.
    case tooMany
    /// The transaction was redeemed already.
    case redeemed
}

/// An approval with its signatures.
package struct ApprovalView: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var account: AccountID
    /// The second account that has to approve; nil if one is enough.
    package var second: AccountID?
    /// The transaction's bytes, in base64url.
    package var txn: String
    package var demand: ApprovalDemand
    package var createdAt: UnixTime
    package var expiresAt: UnixTime
    /// The stored state. An expired approval may still be stored as open; see `state(at:)`.
    package var state: ApprovalState
    /// The signatures that count. Until it is redeemed, those of keys that are retired by now do not: a PIN that was
    /// changed because it was stolen approves nothing.
    package var signatures: [ApprovalSignature]
    /// The idempotency key and the receipt; nil unless it was redeemed.
    package var redemption: (key: String, receipt: String)?

    /// The accounts that are asked to approve: one or two.
    package var accounts: [AccountID] { [account] + (second.map { [$0] } ?? []) }

    /// The state at a time, which takes the expiry into account.
    package func state(at now: UnixTime) -> ApprovalState {
        (state == .open || state == .approved) && now >= expiresAt ? .expired : state
    }

    /// Whether an account has given all the signatures that are demanded of it.
    package func isSigned(by account: AccountID) -> Bool {
        demand.isMet(by: signatures.filter { $0.account == account }.map(\.factor))
    }
}

/// The stored signature of one key that approves a transaction.
package struct ApprovalSignature: Sendable {
    package var account: AccountID
    package var device: DeviceID
    package var kind: KeyKind
    package var kid: String
    package var x963: [UInt8]
    package var enrolledAt: UnixTime
    package var enrolledBy: KeyOrigin
    /// The proof; nil for a PIN key, because its holder could try all PINs against it.
    package var proof: String?
    package var liveness: String?
    package var at: UnixTime

    /// The factor that it shows.
    var factor: KeyKind { enrolledBy.factor(of: kind) }
}

/// A signature that is about to be stored.
package struct NewApprovalSignature: Sendable {
    package var approval: ApprovalID
    package var account: AccountID
    /// The signed transaction, in base64url. It has to be equal to the stored one.
    package var txn: String
    package var demand: ApprovalDemand
    package var proof: String
    package var liveness: String?
    /// How long after its last signature the approval can at least be redeemed.
    package var redeemableFor: Duration
}

/// The redemption of an approval by its creator.
package struct Redemption: Sendable {
    package var approval: ApprovalID
    package var creator: String
    /// The idempotency key, which the creator chose for this redemption.
    package var key: String
    package var txn: String
    /// Signs the receipt, in the transaction: what is signed is what is redeemed, and no signature is missing from it.
    package var receipt: @Sendable (ApprovalView, _ now: UnixTime) throws -> String

    /// The outcome of a redemption.
    package enum Outcome: Sendable {
        /// The approval is redeemed, now or earlier with the same key; the receipt is the first one.
        case redeemed(ApprovalView)
        /// The transaction to be executed differs from the approved one. The approval has been withdrawn.
        case changed
        /// The approval is in another state, or was redeemed with another key.
        case not(ApprovalState)
        /// The creator has no approval of this id.
        case unknown
    }
}
#endif
