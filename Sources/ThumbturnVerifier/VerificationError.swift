/// The check that failed: a closed set, for the operator. A client is told one of few neutral problem types instead.
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
    /// A public key that is not a point on P-256, or in an encoding that is not accepted.
    case unacceptableKey
    /// The proof was made by another key than the challenge or the token names.
    case foreignKey
    /// A DPoP proof for another method, address, token or body.
    case wrongRequest
    case nonceNeeded
    case replayed
    /// Valid evidence of a level that is too low, or higher than its vendor is certified for.
    case insufficient
    /// The signed value is not the one on record.
    case changed
    /// The record is no longer open.
    case over
}
