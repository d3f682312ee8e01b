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
    /// A second account that also has to approve, on its own device.
    public let secondAccount: String?
    /// The transaction to approve.
    public let transaction: ApprovalTransaction
    /// The signatures and evidence needed; nil for one signature, by the biometric or the PIN key.
    public let demand: ApprovalDemand?
    /// Seconds, 30 to 86400; nil for 300.
    public let expiresIn: Int64?
}
