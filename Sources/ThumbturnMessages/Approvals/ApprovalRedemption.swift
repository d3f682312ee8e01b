public import ThumbturnCore

/// `POST /v1/approvals/{id}/redeem`, by the creator, with the header `Idempotency-Key`: what is about to be executed, for the last time.
public struct ApprovalRedemption: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case transaction }

    /// It has to be what was approved.
    public let transaction: ApprovalTransaction

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transaction = try container.decode(Strict<ApprovalTransaction>.self, forKey: .transaction).content
    }
}
