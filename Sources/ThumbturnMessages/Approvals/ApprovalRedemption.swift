public import ThumbturnCore

/// `POST /v1/approvals/{id}/redeem`, by the creator, with the header `Idempotency-Key`: the transaction that is about
/// to be executed.
public struct ApprovalRedemption: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case transaction }

    /// It must equal the approved transaction.
    public let transaction: ApprovalTransaction
}
