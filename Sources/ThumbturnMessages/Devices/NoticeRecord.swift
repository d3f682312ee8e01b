public import ThumbturnCore

/// `GET /v1/notices`: what happened to an account of late, the newest first.
public struct NoticeList: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case notices }

    /// Of the last 30 days, 100 at most.
    public var notices: [NoticeRecord]

    /// A list of notices.
    public init(notices: [NoticeRecord]) {
        self.notices = notices
    }
}

/// Something that the owner of an account should hear of.
public struct NoticeRecord: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case id, kind, account, device, at }

    /// Makes the notice one of its kind; a webhook may get the same one twice.
    public var id: String
    /// What happened: one of a bounded set, which may grow.
    public var kind: String
    /// The account's id: the `sub` of its tokens.
    public var account: String
    /// The device that it happened to, or by which it happened.
    public var device: String?
    /// When, by the server's clock.
    public var at: UnixTime

    /// A notice as it travels.
    public init(id: String, kind: String, account: String, device: String?, at: UnixTime) {
        self.id = id
        self.kind = kind
        self.account = account
        self.device = device
        self.at = at
    }
}
