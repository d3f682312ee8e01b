/// What has to answer before a transaction is approved. Part of the challenge, so it is signed.
public struct ApprovalDemand: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case keys, liveness }

    /// The keys that have to sign, all of them: the biometric one, or that and the PIN key. Nil: either of them, alone.
    public let keys: [KeyKind]?
    /// The least certified level of a signed liveness check; nil where none is demanded. See `LivenessLevel`.
    public let liveness: LivenessLevel?

    /// Nil where the keys are others than these.
    public init?(keys: [KeyKind]? = nil, liveness: LivenessLevel? = nil) {
        guard keys == nil || keys == [.biometric] || keys == [.biometric, .pin] else { return nil }
        self.keys = keys
        self.liveness = liveness
    }

    /// One key, biometric or PIN.
    public static let oneKey = ApprovalDemand(known: nil, nil)

    private init(known keys: [KeyKind]?, _ liveness: LivenessLevel?) {
        self.keys = keys
        self.liveness = liveness
    }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let demand = ApprovalDemand(
            keys: try container.decodeIfPresent([KeyKind].self, forKey: .keys),
            liveness: try container.decodeIfPresent(LivenessLevel.self, forKey: .liveness)
        )
        guard let demand else {
            throw DecodingError.dataCorruptedError(
                forKey: .keys, in: container, debugDescription: "Not keys that can be demanded.")
        }
        self = demand
    }

    /// Whether a key of this kind may sign.
    package func takes(_ kind: KeyKind) -> Bool { (keys ?? [.biometric, .pin]).contains(kind) }
    /// Whether these are all that have to sign.
    package func isMet(by kinds: some Sequence<KeyKind>) -> Bool {
        let signed = Set(kinds)
        return keys.map { signed.isSuperset(of: $0) } ?? !signed.isDisjoint(with: [.biometric, .pin])
    }
    /// Whether the proof of this kind of key has to come with liveness evidence: where two keys sign it is asked once.
    package func wantsLiveness(with kind: KeyKind) -> Bool { liveness != nil && (keys == nil || kind == .biometric) }
}

/// The level that a liveness product was certified for, against attacks on the sensor (ISO/IEC 30107-3) and injected pictures (CEN/TS
/// 18099).
public enum LivenessLevel: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    case substantial
    case high

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs == .substantial && rhs == .high }
}

/// `POST /v1/approvals`, by a back end: asks an account to approve a transaction.
public struct ApprovalRequest: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
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

/// An approval as its creator and the devices of its accounts see it.
public struct ApprovalRecord: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, state, txn, demand, from
        case createdAt = "created_at"
        case expiresAt = "expires_at"
        case signed
    }

    /// Where an approval stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Somebody still has to approve.
        case open
        /// Approved, and not redeemed yet.
        case approved
        /// Redeemed: it never is again.
        case redeemed
        /// Somebody who was asked does not want it.
        case declined
        /// Its creator took it back, or put another in its place.
        case withdrawn
        case expired
    }

    /// The approval's id.
    public let id: String
    /// Where it stands.
    public let state: State
    /// The transaction: base64url of exactly the bytes that are signed.
    public let txn: String
    /// What has to answer.
    public let demand: ApprovalDemand
    /// Who asks: the name of the back end.
    public let from: String
    /// When it was made, by the server's clock.
    public let createdAt: UnixTime
    /// The first second at which it is no longer good.
    public let expiresAt: UnixTime
    /// Whether the account whose device asks has signed all that is demanded of it; nil for the creator.
    public let signed: Bool?

    /// A record.
    public init(
        id: String, state: State, txn: String, demand: ApprovalDemand, from: String, createdAt: UnixTime, expiresAt: UnixTime,
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

/// `GET /v1/approvals`, by a device: what its account may approve now, oldest first.
public struct ApprovalList: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case approvals }

    /// Those that are open.
    public let approvals: [ApprovalRecord]

    /// A list.
    public init(approvals: [ApprovalRecord]) {
        self.approvals = approvals
    }
}

/// `POST /v1/approvals/{id}/challenge`, with a DPoP proof by the session key: asks for what is to be signed.
public struct ApprovalChallengeRequest: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case kids }

    /// The keys that may answer, 1 to 4.
    public let kids: [String]

    /// A request for a challenge.
    public init(kids: [String]) {
        self.kids = kids
    }
}

/// `POST /v1/approvals/{id}/proofs`, with a DPoP proof by the session key: one key's signature over the challenge.
public struct ApprovalProofRequest: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable { case proof, liveness }

    /// The proof.
    public let proof: String
    /// The signed evidence of a liveness check, where one is demanded.
    public let liveness: String?

    /// A proof, with evidence where that is demanded.
    public init(proof: String, liveness: String? = nil) {
        self.proof = proof
        self.liveness = liveness
    }
}

/// `POST /v1/approvals/{id}/redeem`, by the creator, with the header `Idempotency-Key`: what is about to be executed, for the last time.
public struct ApprovalRedemption: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case transaction }

    /// It has to be what was approved.
    public let transaction: ApprovalTransaction

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transaction = try container.decode(Strict<ApprovalTransaction>.self, forKey: .transaction).content
    }
}
