public import ThumbturnCore

/// `GET /v1/me`: who the token speaks for.
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
    /// When the person was last verified by a signature.
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
