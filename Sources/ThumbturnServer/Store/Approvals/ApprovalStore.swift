#if Server
package import ThumbturnCore
import ThumbturnMessages

/// What the server keeps of approvals.
package protocol ApprovalStore: Sendable {
    /// Makes an approval. One that lives already for this creator and transaction id is returned where all of it is equal, and withdrawn
    /// otherwise: a change voids what was approved before.
    func create(_ approval: NewApproval) async throws -> ApprovalCreation
    /// An approval of this id.
    func approval(_ id: ApprovalID) async throws -> ApprovalView?
    /// What an account may still approve, oldest first.
    func openApprovals(of account: AccountID) async throws -> [ApprovalView]
    /// Keeps one key's signature, if the authorisation still holds and the approval still admits it. With the last signature that is
    /// missing the approval is approved.
    func approve(_ signature: NewApprovalSignature, by authorisation: Authorisation) async throws -> CommitOutcome<ApprovalView>
    /// Somebody who was asked does not want it. Nil where there is nothing open.
    func decline(_ id: ApprovalID, by account: AccountID) async throws -> ApprovalView?
    /// Its creator takes back an approval that is not redeemed. Nil where there is none.
    func withdraw(_ id: ApprovalID, by creator: String) async throws -> ApprovalView?
    /// Redeems an approval once. The same key gets the same receipt again.
    func redeem(_ redemption: Redemption) async throws -> Redemption.Outcome
    /// Forgets approvals that ended unredeemed before a time.
    func purgeApprovals(before: UnixTime) async throws
}

package enum ApprovalKind {}
package typealias ApprovalID = Identifier<ApprovalKind>

package struct NewApproval: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var transactionID: String
    package var account: AccountID
    package var second: AccountID?
    package var txn: String
    package var demand: ApprovalDemand
    package var lifetime: Duration
    /// So many may be open for one account.
    package var cap: Int
}

package enum ApprovalCreation: Sendable {
    case made(ApprovalView)
    case exists(ApprovalView)
    case unknownAccount
    case tooMany
    /// This transaction was redeemed.
    case redeemed
}

package struct ApprovalView: Sendable {
    package var id: ApprovalID
    package var creator: String
    package var account: AccountID
    package var second: AccountID?
    package var txn: String
    package var demand: ApprovalDemand
    package var createdAt: UnixTime
    package var expiresAt: UnixTime
    /// As it is kept: one that has expired may be open.
    package var state: ApprovalState
    package var signatures: [ApprovalSignature]
    /// Where it is redeemed.
    package var redemption: (key: String, receipt: String)?

    package var accounts: [AccountID] { [account] + (second.map { [$0] } ?? []) }

    /// Where it stands at a time.
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
    var factor: KeyKind { KeyStanding.factor(of: kind, broughtBy: enrolledBy) }
}

package struct NewApprovalSignature: Sendable {
    package var approval: ApprovalID
    package var account: AccountID
    /// What was signed: it has to be what is kept.
    package var txn: String
    package var demand: ApprovalDemand
    package var proof: String
    package var liveness: String?
    /// An approval can be redeemed for at least so long after the last signature.
    package var redeemableFor: Duration
}

package struct Redemption: Sendable {
    package var approval: ApprovalID
    package var creator: String
    /// The creator's own name for this attempt.
    package var key: String
    package var txn: String
    package var receipt: String

    package enum Outcome: Sendable {
        /// Redeemed now, or before by the same key: then the receipt is that of the first time.
        case redeemed(ApprovalView)
        /// What is about to be executed is not what was approved. The approval is void.
        case changed
        /// It stands elsewhere, or another key redeemed it.
        case not(ApprovalState)
        case unknown
    }
}
#endif
