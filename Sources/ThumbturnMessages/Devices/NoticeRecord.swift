public import ThumbturnCore

/// `GET /v1/notices`: the recent events of an account, newest first.
public struct NoticeList: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case notices }

    /// The notices of the last 30 days, at most 100.
    public var notices: [NoticeRecord]

    /// A list of notices.
    public init(notices: [NoticeRecord]) {
        self.notices = notices
    }
}

/// An event that the owner of an account is told about.
public struct NoticeRecord: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case id, kind, account, device, at }

    /// The id that makes the notice unique: a webhook may receive the same notice twice.
    public var id: String
    /// The kind of event: one of a small set, which may grow.
    public var kind: String
    /// The account's id: the `sub` of its tokens.
    public var account: String
    /// The device that the event is about, or that caused it.
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
