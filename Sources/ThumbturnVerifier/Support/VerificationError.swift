/// The check that failed: a closed set, for the operator's log. A client gets one of a few neutral problem types
/// instead.
public enum VerificationError: String, Error, Hashable, Sendable, CaseIterable {
    /// The text does not have the expected form: parts, base64url, JSON, members or sizes.
    case malformed
    /// The header `typ` is missing or is another one than expected.
    case wrongType
    /// The header `alg` is not the expected algorithm.
    case wrongAlgorithm
    /// There is no such key, or the key must not be used here.
    case unknownKey
    /// The signature or the MAC is not valid.
    case wrongSignature
    /// The issuer (`iss`) is another one than expected.
    case wrongIssuer
    /// The audience (`aud`) is another one than expected.
    case wrongAudience
    /// The challenge is for another purpose or another action.
    case wrongPurpose
    /// The token, challenge, proof or evidence is expired.
    case expired
    /// The time of issue lies in the future, or the key's device is in its cool-off.
    case notYetValid
    /// The public key is not a point on P-256, has an encoding that is not accepted, or must not be used here.
    case unacceptableKey
    /// The challenge, the ticket or the token is bound to another key than the one that was used.
    case foreignKey
    /// The DPoP proof is for another method, address, token or body.
    case wrongRequest
    /// The DPoP proof has no live nonce (RFC 9449 section 8).
    case nonceNeeded
    /// The proof, challenge, ticket or assertion was accepted or consumed before.
    case replayed
    /// The liveness evidence is missing, or its level or score is too low, or its level is higher than its vendor's
    /// certified one; or the sign-in of a ticket is not fresh enough for what it is to authorise.
    case insufficient
    /// The signed transaction or demand is not the stored one.
    case changed
    /// The approval is no longer open, or the account has signed it already.
    case over
}
