public import ThumbturnCore

/// `POST /v1/approvals/{id}/proofs`, with a DPoP proof by the session key: one key's signature over the challenge.
public struct ApprovalProofRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable { case proof, liveness }

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
