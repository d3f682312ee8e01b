public import ThumbturnCore

/// The token endpoint's answer to a step-up: one access token and no refresh token. A proof for one action opens no
/// session.
public struct StepUpAnswer: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case issuedTokenType = "issued_token_type"
    }

    /// A compact JWS of type `at+jwt`, with `authorization_details`.
    public var accessToken: String
    /// Always `DPoP` (RFC 9449 section 5).
    public var tokenType: String
    /// Seconds from now.
    public var expiresIn: Int64
    /// The type of an access token, where it was exchanged for one (RFC 8693 section 2.2.1).
    public var issuedTokenType: String?

    /// An answer of type `DPoP`.
    public init(accessToken: String, expiresIn: Int64) {
        self.accessToken = accessToken
        tokenType = "DPoP"
        self.expiresIn = expiresIn
    }
}
