public import ThumbturnCore

/// `GET /v1/me`: the account and the device of the token.
public struct Me: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account, name, device, acr, amr
        case authTime = "auth_time"
    }

    /// The account's id: the token's `sub`.
    public var account: String
    /// The account's name.
    public var name: String
    /// The device's id.
    public var device: String
    /// As in the token.
    public var acr: String
    /// As in the token.
    public var amr: [String]
    /// When a signature last verified the person.
    public var authTime: UnixTime

    /// An answer.
    public init(account: String, name: String, device: String, acr: String, amr: [String], authTime: UnixTime) {
        self.account = account
        self.name = name
        self.device = device
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
    }
}
