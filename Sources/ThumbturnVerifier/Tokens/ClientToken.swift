package import ThumbturnCore
package import ThumbturnMessages

/// The claims of a back end's access token (RFC 9068 section 2.2): the subject is the client itself. They lack session,
/// device and key, so the token is never accepted as a person's; a person's token lacks `scope`, so it is never
/// accepted as a back end's.
package struct ClientTokenClaims: Codable, Hashable, Sendable {
    package enum CodingKeys: String, CodingKey {
        case iss, aud, sub
        case clientID = "client_id"
        case iat, exp, jti, scope, cnf, registration
    }

    package var iss: String
    package var aud: String
    /// The back end's name; equal to `clientID`.
    package var sub: String
    package var clientID: String
    package var iat: UnixTime
    package var exp: UnixTime
    package var jti: String
    /// The scopes, separated by spaces (RFC 6749 section 3.3).
    package var scope: String
    /// The key that the token is bound to (RFC 9449 section 6); nil for a bearer token.
    package var cnf: KeyConfirmation?
    /// Names the registration that the back end had then, for the issuer alone. Another back end of the same name has another one.
    package var registration: String?

    package init(
        iss: String, aud: String, client: String, iat: UnixTime, exp: UnixTime, jti: String, scope: String,
        cnf: KeyConfirmation?, registration: String? = nil
    ) {
        self.iss = iss
        self.aud = aud
        sub = client
        clientID = client
        self.iat = iat
        self.exp = exp
        self.jti = jti
        self.scope = scope
        self.cnf = cnf
        self.registration = registration
    }

    /// Verifies a token of this issuer for this audience. Throws the first check that failed.
    package init(
        verifying text: String, keys: [String: VerifyingKey], issuer: String, audience: String,
        longestLife: Duration = AccessToken.longestLife, at now: UnixTime
    ) throws(VerificationError) {
        let claims = try WireJSON.decodeClaims(Self.self, from: try AccessToken.payload(of: text, keys: keys))
        try claims.check(issuer: issuer, audience: audience, longestLife: longestLife, at: now)
        guard claims.sub == claims.clientID else { throw .wrongType }
        self = claims
    }
}
