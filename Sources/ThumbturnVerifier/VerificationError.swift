/// Why something was refused: a bounded set, for the operator. A client is told one of few neutral problem types instead.
public enum VerificationError: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a JWS of the expected shape: parts, base64url, JSON, members, sizes.
    case malformed
    case wrongType
    case wrongAlgorithm
    case unknownKey
    case wrongSignature
    case wrongIssuer
    case wrongAudience
    case wrongPurpose
    case expired
    case notYetValid
    /// A public key that is no point on P-256, or in an encoding that is not accepted.
    case unacceptableKey
    /// The proof was made by another key than the challenge or the token names.
    case foreignKey
    /// A DPoP proof for another method, address, token or body.
    case wrongRequest
    case nonceNeeded
    case replayed
    /// Good evidence of too little, or of more than its maker is certified for.
    case insufficient
    /// What was signed is not what is on record.
    case changed
    /// What is on record is no longer open.
    case over
}
