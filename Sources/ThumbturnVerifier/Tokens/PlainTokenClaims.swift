package import ThumbturnCore

/// The claims of a plain client's access token (RFC 9068 section 2.2). It is bound to no key and belongs to no session,
/// so it lacks `cnf` and `sid` and is never accepted as a bound token; without a `scope` it is not accepted as a back
/// end's token either.
package struct PlainTokenClaims: Codable, Hashable, Sendable {
    package enum CodingKeys: String, CodingKey {
        case iss, aud, sub
        case clientID = "client_id"
        case iat, exp, jti, did
        case authTime = "auth_time"
        case acr, amr
        case credentials
    }

    /// The assurance of plain clients: neither the protection of the key nor the user verification is known.
    package static let assurance = Assurance.withoutKey

    package var iss: String
    package var aud: String
    /// The account's id.
    package var sub: String
    package var clientID: String
    package var iat: UnixTime
    package var exp: UnixTime
    package var jti: String
    /// The id of the plain client's device.
    package var did: String
    package var authTime: UnixTime
    package var acr: String
    /// The methods: only the possession of a key is known (RFC 8176 section 2, `pop`).
    package var amr: [String]
    /// Names the account's credentials of then, for the issuer alone. A new password and a disabled account end the token.
    package var credentials: String?

    package init(
        iss: String, aud: String, account: String, clientID: String, iat: UnixTime, exp: UnixTime, jti: String, device: String,
        credentials: String? = nil
    ) {
        self.iss = iss
        self.aud = aud
        sub = account
        self.clientID = clientID
        self.iat = iat
        self.exp = exp
        self.jti = jti
        did = device
        authTime = iat
        acr = Self.assurance.acr
        amr = ["pop"]
        self.credentials = credentials
    }

    /// Verifies a plain client's token of this issuer for this audience.
    ///
    /// - Parameter keys: the issuer's public keys by their `kid`.
    /// - Throws: the first check that failed. A bound token belongs to a session; of those, only a visit's has this `acr`.
    package init(
        verifying text: String, keys: [String: VerifyingKey], issuer: String, audience: String,
        longestLife: Duration = AccessToken.longestLife, at now: UnixTime
    ) throws(VerificationError) {
        let payload = try AccessToken.payload(of: text, keys: keys)
        let claims = try WireJSON.decodeClaims(Self.self, from: payload)
        guard try WireJSON.decodeClaims(Bound.self, from: payload).sid == nil else { throw .wrongType }
        try claims.check(issuer: issuer, audience: audience, longestLife: longestLife, at: now)
        guard claims.acr == Self.assurance.acr else { throw .wrongType }
        self = claims
    }

    /// What only the token of a session has.
    private struct Bound: Decodable { var sid: String? }
}
