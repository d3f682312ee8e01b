import ThumbturnCore
import ThumbturnDevice

/// The service that asks for a finger and vouches for the match, as the device sees it. Calls block.
protocol Matcher: Sendable {
    /// Whose word the TPM is to take, and where the enrolment counter stands.
    func identity() throws(Failure) -> MatcherIdentity
}

/// One match, not spent yet.
protocol Match: Sendable {
    /// Spends it on one session of the TPM. Blocks.
    func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch
}

/// The matcher's signature over a `TPMAuthorization`.
struct SignedMatch: Hashable, Sendable {
    /// Seconds after the session's beginning.
    var expiration: Int32
    /// ES256: r and s, 32 bytes each.
    var signature: [UInt8]
}
