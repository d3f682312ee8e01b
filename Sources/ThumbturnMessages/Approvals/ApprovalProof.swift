public import ThumbturnCore

/// The evidence of an approval: the signatures, and the server's receipt for the accounts of their keys. It can be
/// checked offline under the server's archived keys; see `CheckedApproval` of the verifier.
///
/// It proves that a key signed these bytes. That the key belonged to the account is claimed by the server, so it proves
/// nothing against the server itself.
public struct ApprovalProof: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case txn, signatures, receipt }

    /// The transaction: base64url of exactly the bytes that were signed.
    public let txn: String
    /// One for each key that signed, without PIN keys: the holder of such a signature could try all PINs against it.
    public let signatures: [Signature]
    /// The server's receipt: a compact JWS of type `thumbturn-receipt+jwt`, ES256, by a key of its key set; see
    /// `ApprovalReceipt`.
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
        /// The evidence of a liveness check, as the vendor signed it.
        public let liveness: String?

        /// A signature.
        public init(challenge: String, proof: String, publicKey: JWK, liveness: String?) {
            self.challenge = challenge
            self.proof = proof
            self.publicKey = publicKey
            self.liveness = liveness
        }
    }

    /// A proof object.
    public init(txn: String, signatures: [Signature], receipt: String) {
        self.txn = txn
        self.signatures = signatures
        self.receipt = receipt
    }
}
