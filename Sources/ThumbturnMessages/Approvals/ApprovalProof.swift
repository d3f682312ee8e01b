public import ThumbturnCore

/// What is left of an approval: who signed what, and the server's word for whose keys these are. Anybody can check it offline under the
/// server's archived keys; see `ApprovalProof.verify` of the verifier.
///
/// It shows that this key signed these bytes. That the key was this account's is the server's word, so it proves nothing against the
/// server itself.
public struct ApprovalProof: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case txn, signatures, receipt }

    /// The transaction: base64url of exactly the bytes that were signed.
    public let txn: String
    /// One for each key that signed, without PIN keys: whoever has a signature of those could try all PINs.
    public let signatures: [Signature]
    /// The server's receipt: a compact JWS of type `thumbturn-receipt+jwt`, ES256, by a key of its key set; see `ApprovalReceipt`.
    public let receipt: String

    /// One key's signature.
    public struct Signature: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
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
