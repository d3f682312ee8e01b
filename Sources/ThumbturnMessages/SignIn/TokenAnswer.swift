public import ThumbturnCore

/// The grant type of a proof at the token endpoint (RFC 6749 section 4.5).
public let proofGrantType = "urn:thumbturn:grant-type:proof"

/// The grant type of an enrolment ticket at the token endpoint (RFC 6749 section 4.5): the ticket of a full sign-in is
/// redeemed for a session without an enrolled device, in place of an enrolment.
public let ticketGrantType = "urn:thumbturn:grant-type:ticket"

/// The token endpoint's answer to a sign-in or a refresh (RFC 6749 section 5.1).
public struct TokenAnswer: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        // In the order of the sorted text, so that the encoder does not have to sort.
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case tokenType = "token_type"
    }

    /// A compact JWS of type `at+jwt`.
    public var accessToken: String
    /// Always `DPoP` (RFC 9449 section 5).
    public var tokenType: String
    /// Seconds from now.
    public var expiresIn: Int64
    /// The refresh token; opaque.
    public var refreshToken: String

    /// An answer of type `DPoP`.
    public init(accessToken: String, expiresIn: Int64, refreshToken: String) {
        self.accessToken = accessToken
        tokenType = "DPoP"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
    }
}
