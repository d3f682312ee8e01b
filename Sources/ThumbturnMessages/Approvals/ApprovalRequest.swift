public import ThumbturnCore

/// `POST /v1/approvals`, by a back end: asks an account to approve a transaction.
public struct ApprovalRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account
        case secondAccount = "second_account"
        case transaction, action, demand
        case expiresIn = "expires_in"
    }

    /// The account's id: the claim `sub` of its tokens.
    public let account: String
    /// A second account that also has to approve, on its own device.
    public let secondAccount: String?
    /// The transaction to approve.
    public let transaction: ApprovalTransaction
    /// The name of the action in the server's policy, whose demands hold for the approval as well. Nil for a payment or a
    /// mandate: `new-recipient`, if the policy has it; nil for any other transaction: none.
    public let action: String?
    /// The signatures and evidence needed, in addition to the policy's; nil for one signature, by the biometric or the PIN
    /// key.
    public let demand: ApprovalDemand?
    /// Seconds, 30 to 86400; nil for 300.
    public let expiresIn: Int64?
}
