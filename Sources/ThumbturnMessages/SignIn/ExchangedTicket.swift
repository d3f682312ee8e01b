package import ThumbturnCore

/// The answer to the exchange of an ID token for a ticket (RFC 8693 section 2.2.1). A ticket is not an access token, so
/// the token type is `N_A`.
package struct ExchangedTicket: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case account
        case isFresh = "fresh"
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
    /// As in `EnrolmentTicket`.
    package var isFresh: Bool?

    package init(_ ticket: EnrolmentTicket) {
        (accessToken, account, isFresh, expiresIn) = (ticket.ticket, ticket.account, ticket.isFresh, ticket.expiresIn)
    }

    /// The ticket; nil where another type of token was issued.
    package var ticket: EnrolmentTicket? {
        guard issuedTokenType == TokenExchange.ticketType else { return nil }
        return EnrolmentTicket(ticket: accessToken, account: account, isFresh: isFresh, expiresIn: expiresIn)
    }
}

/// The identifiers of a token exchange (RFC 8693 section 3), and what makes the exchange of an ID token fresh.
package enum TokenExchange {
    package static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    package static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
    package static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    package static let ticketType = "urn:thumbturn:token-type:enrolment-ticket"
    /// The field of the form with the challenge that the server made before the person was sent to the provider. It shows
    /// when the sign-in began.
    package static let challengeField = "challenge"

    /// How far a provider's clock may be behind the server's. The two are kept by NTP; 10 seconds are more than they
    /// differ, and too short for a second sign-in by another person.
    package static let clockLeeway = Duration.seconds(10)

    /// Whether the provider authenticated the person for this sign-in, and did not answer by a session of before. The device
    /// judges it early, and the server decides.
    ///
    /// - Parameters:
    ///   - authTime: the ID token's claim `auth_time`.
    ///   - began: the server's time when the sign-in began.
    package static func isFresh(_ authTime: UnixTime, since began: UnixTime) -> Bool {
        authTime - began >= .zero - clockLeeway
    }

    /// The `nonce` of one sign-in: the session key's thumbprint, a period, and text that no other sign-in has. A provider may
    /// refuse a nonce that it has seen (OpenID Connect Core section 15.5.2), and a device signs in again with the same key.
    package static func nonce(ofKey jkt: String, unique: String) -> String { "\(jkt).\(unique)" }

    /// Whether an ID token's `nonce` names a session key: it is the thumbprint, alone or before a period and any text.
    package static func names(_ nonce: String, key jkt: String) -> Bool { nonce == jkt || nonce.hasPrefix("\(jkt).") }
}
