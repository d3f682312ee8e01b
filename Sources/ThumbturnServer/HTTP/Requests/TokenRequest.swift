#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A request to the token endpoint, parsed from its form: one case for each grant, with the fields of that grant.
enum TokenRequest: Hashable {
    /// The client credentials grant (RFC 6749 section 4.4) of a back end, which authenticates by an assertion (RFC
    /// 7523).
    case clientCredentials(assertion: String, scope: String?)
    /// A sign-in: the proofs of one key or of two.
    case signIn(proof: String, second: String?)
    /// A step-up: the proofs, the action with its amount, and signed liveness evidence.
    case stepUp(proof: String, second: String?, act: String, liveness: String?)
    /// A token exchange (RFC 8693) of the access token of a recent unlock for one that names an action.
    case stepUpByUnlock(token: String, act: String)
    /// The refresh grant (RFC 6749 section 6).
    case refresh(token: String)
    /// A token exchange (RFC 8693) of an ID token of the app's own provider, with the challenge that began the sign-in.
    case exchange(idToken: String, challenge: String?)
    /// The ticket of a full sign-in, for a visit.
    case visit(ticket: String)
    /// A grant that cannot be read, or that this server does not support. The error is sent only to a holder of a
    /// session key.
    case unreadable(OAuthError)

    /// The optional grants and evidence that a server can judge.
    struct Abilities {
        var judgesLiveness: Bool
        var exchangesTokens: Bool
        var takesUnlocks: Bool
        var opensVisits: Bool
    }

    /// Throws for the requests that are refused before the DPoP proof is checked. These are liveness evidence that this
    /// server does not judge, because it must not look as if it counted, and client credentials without an assertion.
    init(_ form: Form, _ abilities: Abilities) throws(RequestError) {
        guard form["liveness"] == nil || (abilities.judgesLiveness && form["act"] != nil) else {
            throw .malformed(error: .invalidRequest)
        }
        switch form["grant_type"] {
        case GrantType.clientCredentials:
            self = .clientCredentials(assertion: try Self.clientAssertion(in: form), scope: form["scope"])
        case GrantType.proof: self = Self.readProofs(form)
        case GrantType.refreshToken: self = form["refresh_token"].map { Self.refresh(token: $0) } ?? .unreadable(.invalidRequest)
        case GrantType.tokenExchange where abilities.takesUnlocks && form["act"] != nil: self = Self.readUnlock(form)
        case GrantType.tokenExchange where abilities.exchangesTokens: self = Self.readExchange(form)
        case GrantType.ticket where abilities.opensVisits:
            self = form["ticket"].map { Self.visit(ticket: $0) } ?? .unreadable(.invalidRequest)
        case nil: self = .unreadable(.invalidRequest)
        default: self = .unreadable(.unsupportedGrantType)
        }
    }

    private static func readProofs(_ form: Form) -> TokenRequest {
        guard let proof = form["proof"] else { return .unreadable(.invalidRequest) }
        guard let act = form["act"] else { return .signIn(proof: proof, second: form["also"]) }
        return .stepUp(proof: proof, second: form["also"], act: act, liveness: form["liveness"])
    }

    private static func readExchange(_ form: Form) -> TokenRequest {
        guard let token = form["subject_token"], form["subject_token_type"] == TokenExchange.idTokenType,
            [nil, TokenExchange.ticketType].contains(form["requested_token_type"])
        else { return .unreadable(.invalidRequest) }
        return .exchange(idToken: token, challenge: form[TokenExchange.challengeField])
    }

    private static func readUnlock(_ form: Form) -> TokenRequest {
        guard let token = form["subject_token"], form["subject_token_type"] == TokenExchange.accessTokenType,
            [nil, TokenExchange.accessTokenType].contains(form["requested_token_type"]), let act = form["act"]
        else { return .unreadable(.invalidRequest) }
        return .stepUpByUnlock(token: token, act: act)
    }

    /// The assertion by which a back end authenticates (RFC 7523 section 2.2).
    static func clientAssertion(in form: Form) throws(RequestError) -> String {
        guard let assertion = form["client_assertion"] else { throw .invalidClient(.init(.client, .missing)) }
        guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
            throw .malformed(error: .invalidRequest)
        }
        return assertion
    }
}
#endif
