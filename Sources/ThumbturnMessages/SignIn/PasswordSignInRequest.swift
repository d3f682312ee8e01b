public import ThumbturnCore

/// `POST /v1/accounts/sign-in`, with a DPoP proof by the new session key: the first sign-in of a device.
public struct PasswordSignInRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account, password
        case oneTimeCode = "one_time_code"
    }

    /// The account's name.
    public var account: String
    /// The password as typed.
    public var password: String
    /// The code of an authenticator app (RFC 6238), which some accounts need in addition to the password.
    public var oneTimeCode: String?

    /// Name and password, and a one-time code where the account has them.
    public init(account: String, password: String, oneTimeCode: String? = nil) {
        self.account = account
        self.password = password
        self.oneTimeCode = oneTimeCode
    }
}
