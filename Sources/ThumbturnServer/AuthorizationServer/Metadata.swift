#if Server
import ThumbturnCore
import ThumbturnMessages

/// The authorization server's metadata (RFC 8414 section 2). It lists only what this server supports.
struct Metadata: Encodable {
    enum CodingKeys: String, CodingKey {
        case issuer
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case scopesSupported = "scopes_supported"
        case responseTypesSupported = "response_types_supported"
        case grantTypesSupported = "grant_types_supported"
        case tokenAuthMethods = "token_endpoint_auth_methods_supported"
        case tokenAuthAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
        case revocationEndpoint = "revocation_endpoint"
        case revocationAuthMethods = "revocation_endpoint_auth_methods_supported"
        case introspectionEndpoint = "introspection_endpoint"
        case introspectionAuthMethods = "introspection_endpoint_auth_methods_supported"
        case introspectionAuthAlgorithms = "introspection_endpoint_auth_signing_alg_values_supported"
        case dpopAlgorithms = "dpop_signing_alg_values_supported"
        case acrValuesSupported = "acr_values_supported"
    }

    var issuer: String
    var tokenEndpoint: String
    var jwksURI: String
    var scopesSupported = ClientScope.allCases.map(\.rawValue)
    /// Required by the standard, and empty: people sign in on their device, not on a page of the server.
    var responseTypesSupported: [String] = []
    var grantTypesSupported: [String]
    /// Devices are public clients, back ends are not.
    var tokenAuthMethods = ["none", "private_key_jwt"]
    var tokenAuthAlgorithms = ["ES256"]
    var revocationEndpoint: String
    var revocationAuthMethods = ["none"]
    var introspectionEndpoint: String
    var introspectionAuthMethods = ["private_key_jwt", "DPoP", "Bearer"]
    var introspectionAuthAlgorithms = ["ES256"]
    var dpopAlgorithms = ["ES256"]
    /// The assurance levels that tokens may name (RFC 9470 section 7).
    var acrValuesSupported: [String]
}

extension AuthorizationServer {
    /// `GET /.well-known/oauth-authorization-server`.
    var metadata: Metadata {
        let url = settings.publicURL
        return Metadata(
            issuer: url, tokenEndpoint: url + "/v1/token", jwksURI: url + "/.well-known/jwks.json",
            grantTypesSupported: grantTypes, revocationEndpoint: url + "/v1/revoke",
            introspectionEndpoint: url + "/v1/introspect",
            acrValuesSupported: settings.evidence.current.assurances.map(\.acr)
                + (visitLifetime == nil ? [] : [Assurance.withoutKey.acr])
        )
    }

    var grantTypes: [String] {
        [GrantType.proof, GrantType.refreshToken, GrantType.clientCredentials]
            + (exchangesTokens || takesUnlocks ? [GrantType.tokenExchange] : [])
            + (visitLifetime == nil ? [] : [GrantType.ticket])
    }

    /// Whether an action's rule takes an unlock. Only then is the exchange of an access token on.
    var takesUnlocks: Bool { settings.stepUp.current.actions.values.contains(where: \.takesUnlock) }

    /// Whether the exchange of an ID token is on: only where identity providers are configured.
    var exchangesTokens: Bool { settings.identityProviders != nil }
}
#endif
