#if Server
package import ThumbturnCore
package import ThumbturnMessages

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
    /// The most approvals of this creator that may be open for one account. Those of other creators do not count, so that
    /// none can take the place of another's.
    package var cap: Int
    /// The rate of this creator for all accounts together.
    package var rate = Limits.approvalsOfCreator
    /// The rate of this creator for one account. It is counted for each account that is asked.
    package var rateForAccount = Limits.approvalsOfCreatorAndAccount

    /// The accounts that are asked to approve: one or two.
    package var accounts: [AccountID] { [account] + (second.map { [$0] } ?? []) }
}

/// The result of making an approval.
package enum ApprovalCreation: Sendable {
    /// A new approval was made.
    case made(ApprovalView)
    /// The creator has an equal approval, which is live.
    case exists(ApprovalView)
    /// There is no account of one of the ids, or it is switched off.
    case unknownAccount
    /// One of the accounts has the maximum of open approvals of this creator. Nothing has changed.
    case tooMany
    /// The creator makes approvals at too high a rate. Nothing has changed; the next one is accepted after this time.
    case tooFast(Duration)
    /// The transaction was redeemed already.
    case redeemed
    /// The creator is no longer registered, or its limits do not allow this.
    case notAllowed
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
    /// changed because it was stolen approves nothing. Nor do those from before the account was last switched off.
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
    /// How far the key may be trusted now; see `KeyStanding.assurance`.
    package var assurance: Assurance
    /// The proof; nil for a PIN key, because its holder could try all PINs against it.
    package var proof: String?
    package var liveness: String?
    package var at: UnixTime

    /// The factor that it shows.
    var factor: KeyKind { enrolledBy.factor(of: kind) }

    /// Whether it still counts, by its key as it is now: a signature of a key that is gone by now approves nothing, nor
    /// does one of a key whose evidence no longer carries as far as the approval or the account's group demands. A pause and
    /// a cool-off that began after the signature leave it as it is.
    func counts(by key: EnrolledKey, for demand: ApprovalDemand) -> Bool {
        let standing = key.standing(at: at)
        return key.device == device && key.account == account && standing.state != .gone && standing.isEnough
            && demand.takes(assurance, of: factor)
    }
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
    /// Signs the receipt, in the transaction: what is signed is what is redeemed, and no signature is missing from it. The edition is that
    /// of the database's secrets.
    package var receipt: @Sendable (ApprovalView, _ now: UnixTime, _ edition: SecretsEdition) throws -> String

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
        /// The creator is no longer registered, or its limits do not allow this. The approval stays as it is.
        case notAllowed
    }
}
#endif
