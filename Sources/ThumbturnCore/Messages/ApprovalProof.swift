/// What is left of an approval: who signed what, and the server's word for whose keys these are. Anybody can check it offline under the
/// server's archived keys; see `ApprovalProof.verify` of the verifier.
///
/// It shows that this key signed these bytes. That the key was this account's is the server's word, so it proves nothing against the
/// server itself.
public struct ApprovalProof: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case txn, signatures, receipt }

    /// The transaction: base64url of exactly the bytes that were signed.
    public let txn: String
    /// One for each key that signed, without PIN keys: whoever has a signature of those could try all PINs.
    public let signatures: [Signature]
    /// The server's receipt: a compact JWS of type `thumbturn-receipt+jwt`, ES256, by a key of its key set; see `ApprovalReceipt`.
    public let receipt: String

    /// One key's signature.
    public struct Signature: Message, Hashable {
        public enum CodingKeys: String, CodingKey, CaseIterable {
            case challenge, proof
            case publicKey = "public_key"
            case liveness
        }

        /// The challenge, exactly as it was signed; its claim `txn` is the transaction.
        public let challenge: String
        /// The proof over it.
        public let proof: String
        /// The key that signed.
        public let publicKey: JWK
        /// The evidence of a liveness check, as its vendor signed it.
        public let liveness: String?

        /// A signature.
        public init(challenge: String, proof: String, publicKey: JWK, liveness: String?) {
            self.challenge = challenge
            self.proof = proof
            self.publicKey = publicKey
            self.liveness = liveness
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            challenge = try container.decode(String.self, forKey: .challenge)
            proof = try container.decode(String.self, forKey: .proof)
            publicKey = try container.decode(Strict<JWK>.self, forKey: .publicKey).content
            liveness = try container.decodeIfPresent(String.self, forKey: .liveness)
        }
    }

    /// A proof object.
    public init(txn: String, signatures: [Signature], receipt: String) {
        self.txn = txn
        self.signatures = signatures
        self.receipt = receipt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        txn = try container.decode(String.self, forKey: .txn)
        signatures = try container.decode([Strict<Signature>].self, forKey: .signatures).map(\.content)
        receipt = try container.decode(String.self, forKey: .receipt)
    }
}

/// The claims of the server's receipt.
public struct ApprovalReceipt: Codable, Hashable, Sendable {
    /// The header `typ`.
    public static let type = "thumbturn-receipt+jwt"

    public enum CodingKeys: String, CodingKey, CaseIterable {
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
    /// Each key that signed.
    public var approvedBy: [Signer]

    /// A key that signed, as the server knows it.
    public struct Signer: Codable, Hashable, Sendable {
        public enum CodingKeys: String, CodingKey, CaseIterable {
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
        /// What the key is for.
        public var kind: KeyKind
        /// The key's thumbprint; of a PIN key its handle.
        public var kid: String
        /// When the device was enrolled.
        public var enrolledAt: UnixTime
        /// What stood behind the key when it was enrolled: `credentials`, `biometric`, `pin` or `passcode`.
        public var enrolledBy: String
        /// How far the key may be trusted, by its evidence.
        public var acr: String
        /// When the signature came.
        public var at: UnixTime
        /// Base64url SHA-256 of the proof; nil for a PIN key, whose proof is nobody's.
        public var proofHash: String?

        /// A signer.
        public init(
            account: String, device: String, kind: KeyKind, kid: String, enrolledAt: UnixTime, enrolledBy: String, acr: String,
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
