#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Exchanges an ID token of the app's own provider for a ticket for the caller's session key (RFC 8693). The first
    /// exchange of an identity makes its account.
    func exchange(_ text: String, dpop: DPoPProof) async throws -> TicketAnswer {
        let token: IDToken
        let epoch = try await store.epoch()
        do {
            token = try IDToken(text, providers: providers.current, jkt: dpop.jkt, at: time.now)
            // The server no longer knows which tokens were used before this epoch began, so it refuses them all.
            guard token.issuedAt - epoch.began > IDToken.skew else { throw VerificationError.replayed }
        } catch let refusal as VerificationError {
            throw RequestError.invalidGrant(.init(.idToken, refusal))
        }
        let identity = Identity(issuer: token.issuer, subject: token.subject)
        // The account of an identity has no password, so nothing is hashed: neither for a new identity nor for a token
        // that was used before.
        let fresh = Account(
            id: .random(), name: Self.normalized("\(token.subject) at \(token.issuer)"),
            passwordHash: passwords.unfittingHash()
        )
        guard let account = try await store.account(of: identity, orMaking: fresh, spending: token.spend(in: epoch.number)) else {
            throw RequestError.invalidGrant(.init(.idToken, .replayed))
        }
        let ticket = tickets.issue(
            to: account.id, generation: account.credentialGeneration, jkt: dpop.jkt, credentials: token.methods,
            at: time.now, lifetime: settings.ticketLifetime)
        return TicketAnswer(accessToken: ticket, expiresIn: settings.ticketLifetime.components.seconds)
    }
}

/// The answer of RFC 8693 section 2.2.1. A ticket is not an access token, so the token type is `N_A`.
struct TicketAnswer: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case issuedTokenType = "issued_token_type"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }

    var accessToken: String
    var issuedTokenType = TokenExchange.ticketType
    var tokenType = "N_A"
    var expiresIn: Int64
}

enum TokenExchange {
    static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
    static let ticketType = "urn:thumbturn:token-type:enrolment-ticket"
}
#endif
