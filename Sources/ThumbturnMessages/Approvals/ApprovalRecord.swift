public import ThumbturnCore

/// An approval as its creator and the devices of its accounts see it.
public struct ApprovalRecord: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, state, txn, demand, from
        case createdAt = "created_at"
        case expiresAt = "expires_at"
        case signed
    }

    /// The approval's id.
    public let id: String
    /// The state of the approval.
    public let state: ApprovalState
    /// The transaction: base64url of exactly the bytes that are signed.
    public let txn: String
    /// The signatures and evidence needed.
    public let demand: ApprovalDemand
    /// The name of the back end that asks.
    public let from: String
    /// When it was created, by the server's clock.
    public let createdAt: UnixTime
    /// The first second at which it is expired.
    public let expiresAt: UnixTime
    /// Whether the account of the requesting device has given all signatures demanded of it; nil for the creator.
    public let signed: Bool?

    /// A record.
    public init(
        id: String, state: ApprovalState, txn: String, demand: ApprovalDemand, from: String, createdAt: UnixTime,
        expiresAt: UnixTime,
        signed: Bool?
    ) {
        self.id = id
        self.state = state
        self.txn = txn
        self.demand = demand
        self.from = from
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.signed = signed
    }
}

/// `GET /v1/approvals`, by a device: the approvals that its account can give now, oldest first.
public struct ApprovalList: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case approvals }

    /// The open approvals.
    public let approvals: [ApprovalRecord]

    /// A list.
    public init(approvals: [ApprovalRecord]) {
        self.approvals = approvals
    }
}
