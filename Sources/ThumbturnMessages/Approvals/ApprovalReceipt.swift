public import ThumbturnCore

/// The claims of the server's receipt.
public struct ApprovalReceipt: Codable, Hashable, Sendable {
    /// The header `typ`.
    public static let type = "thumbturn-receipt+jwt"

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case iss, aud, iat, approval
        case txnHash = "txn_hash"
        case approvedBy = "approved_by"
    }

    /// The server.
    public var iss: String
    /// The back end that redeemed it.
    public var aud: String
    /// When it was redeemed, by the server's clock.
    public var iat: UnixTime
    /// The approval's id.
    public var approval: String
    /// Base64url SHA-256 of the transaction's bytes.
    public var txnHash: String
    /// The keys that signed.
    public var approvedBy: [Signer]

    /// A key that signed, as the server knows it.
    public struct Signer: Codable, Hashable, Sendable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case account, device, kind, kid
            case enrolledAt = "enrolled_at"
            case enrolledBy = "enrolled_by"
            case acr, at
            case proofHash = "proof_hash"
        }

        /// The account's handle: random, not its name.
        public var account: String
        /// The device's id.
        public var device: String
        /// The kind of key.
        public var kind: KeyKind
        /// The key's thumbprint; of a PIN key its handle.
        public var kid: String
        /// When the device was enrolled.
        public var enrolledAt: UnixTime
        /// What authorised the key's enrolment.
        public var enrolledBy: KeyOrigin
        /// The key's assurance, by its evidence; see `Assurance`.
        public var acr: String
        /// When the server received the signature.
        public var at: UnixTime
        /// Base64url SHA-256 of the proof; nil for a PIN key, whose proof is given to no one.
        public var proofHash: String?

        /// The factor that its signature shows.
        public var factor: KeyKind { enrolledBy.factor(of: kind) }

        /// A signer.
        public init(
            account: String, device: String, kind: KeyKind, kid: String, enrolledAt: UnixTime, enrolledBy: KeyOrigin, acr: String,
            at: UnixTime, proofHash: String?
        ) {
            self.account = account
            self.device = device
            self.kind = kind
            self.kid = kid
            self.enrolledAt = enrolledAt
            self.enrolledBy = enrolledBy
            self.acr = acr
            self.at = at
            self.proofHash = proofHash
        }
    }

    /// All claims.
    public init(iss: String, aud: String, iat: UnixTime, approval: String, txnHash: String, approvedBy: [Signer]) {
        self.iss = iss
        self.aud = aud
        self.iat = iat
        self.approval = approval
        self.txnHash = txnHash
        self.approvedBy = approvedBy
    }
}
