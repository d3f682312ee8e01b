public import ThumbturnCore

/// `POST /v1/accounts/recover`, with a DPoP proof by the new session key: a recovery code in the place of lost
/// credentials. The answer is an `EnrolmentTicket`.
public struct RecoveryRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable { case account, code, password }

    /// The account's name.
    public var account: String
    /// A recovery code, as typed.
    public var code: String
    /// Needed where the account has one-time codes: then the recovery code replaces only those.
    public var password: String?

    /// A recovery code of an account.
    public init(account: String, code: String, password: String? = nil) {
        self.account = account
        self.code = code
        self.password = password
    }
}
