import ThumbturnCore

/// The answer to the exchange of an ID token for a ticket (RFC 8693 section 2.2.1). A ticket is not an access token, so
/// the token type is `N_A`.
package struct ExchangedTicket: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account
        case accessToken = "access_token"
        case issuedTokenType = "issued_token_type"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }

    package var accessToken: String
    package var issuedTokenType = TokenExchange.ticketType
    package var tokenType = "N_A"
    package var expiresIn: Int64
    /// As in `EnrolmentTicket`.
    package var account: String?

    package init(_ ticket: EnrolmentTicket) {
        (accessToken, account, expiresIn) = (ticket.ticket, ticket.account, ticket.expiresIn)
    }

    /// The ticket; nil where another type of token was issued.
    package var ticket: EnrolmentTicket? {
        guard issuedTokenType == TokenExchange.ticketType else { return nil }
        return EnrolmentTicket(ticket: accessToken, account: account, expiresIn: expiresIn)
    }
}

/// The identifiers of a token exchange (RFC 8693 section 3).
package enum TokenExchange {
    package static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    package static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
    package static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    package static let ticketType = "urn:thumbturn:token-type:enrolment-ticket"
}
