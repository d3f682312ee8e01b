public import ThumbturnCore

/// `POST /v1/approvals`, by a back end: asks an account to approve a transaction.
public struct ApprovalRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account
        case secondAccount = "second_account"
        case transaction, demand
        case expiresIn = "expires_in"
    }

    /// The account's id: the claim `sub` of its tokens.
    public let account: String
    /// Another account that has to approve as well, on its own device.
    public let secondAccount: String?
    /// What is to be approved.
    public let transaction: ApprovalTransaction
    /// What has to answer; nil for one key, biometric or PIN.
    public let demand: ApprovalDemand?
    /// Seconds, 30 to 86400; nil for 300.
    public let expiresIn: Int64?

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(String.self, forKey: .account)
        secondAccount = try container.decodeIfPresent(String.self, forKey: .secondAccount)
        transaction = try container.decode(Strict<ApprovalTransaction>.self, forKey: .transaction).content
        demand = try container.decodeIfPresent(ApprovalDemand.self, forKey: .demand)
        expiresIn = try container.decodeIfPresent(Int64.self, forKey: .expiresIn)
    }
}
