#if Server
/// The error codes of OAuth that this server answers with, and no others.
///
/// The raw values travel as the member `error` of a refusal and as the parameter `error` of `WWW-Authenticate`.
enum OAuthError: String, CaseIterable, Sendable {
    // RFC 6749 section 5.2: the token endpoint.
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
    // RFC 6750 section 3.1: resources.
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    // RFC 9449 sections 5, 7.1, 8 and 9: DPoP.
    case invalidDPoPProof = "invalid_dpop_proof"
    case useDPoPNonce = "use_dpop_nonce"
    // RFC 9470 section 3: step-up.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    // OpenID Connect Core Error Code unmet_authentication_requirements: the policy demands more than these keys.
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
}
#endif
