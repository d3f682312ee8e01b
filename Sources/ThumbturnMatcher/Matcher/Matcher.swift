package import ThumbturnCore

/// The service that asks for a finger and signs for the match, as the device sees it. Its calls block.
package protocol Matcher: Sendable {
    /// The matcher's key and enrolment counter, to which a new biometric key is bound.
    func identity() throws(Failure) -> MatcherIdentity
}

/// A match that can be used for one signature.
package protocol Match: Sendable {
    /// Consumes the match: the matcher signs for the TPM session with this nonce. Blocks.
    func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch
}

/// The matcher's signature over a `TPMAuthorization`.
package struct SignedMatch: Hashable, Sendable {
    /// How many seconds after the session's start the signature expires.
    package var expiration: Int32
    /// ES256: r and s, 32 bytes each.
    package var signature: [UInt8]
}
