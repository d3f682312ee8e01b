#if Server
import ThumbturnCore
import ThumbturnMessages

/// The grants of the token endpoint: the values of `grant_type`.
enum GrantType {
    static let proof = proofGrantType
    static let ticket = ticketGrantType
    static let refreshToken = "refresh_token"
    static let clientCredentials = "client_credentials"
    static let tokenExchange = TokenExchange.grantType
}
#endif
