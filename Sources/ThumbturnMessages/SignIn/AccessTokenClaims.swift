public import ThumbturnCore

/// The claims of an access token (RFC 9068 section 2.2), bound to the session key (RFC 9449 section 6.1).
public struct AccessTokenClaims: Codable, Hashable, Sendable {
    package enum CodingKeys: String, CodingKey {
        // In the order of the sorted text, so that the encoder does not have to sort.
        case acr, amr, aud
        case authTime = "auth_time"
        case authorizationDetails = "authorization_details"
        case clientID = "client_id"
        case cnf, did, exp, iat, iss, jti, sid, sub
    }

    /// The header `typ`.
    public static let type = "at+jwt"

    /// The server's public address.
    public var iss: String
    /// The resource that the token is for.
    public var aud: String
    /// The account: random, not its name.
    public var sub: String
    /// The app.
    public var clientID: String
    /// When it was issued.
    public var iat: UnixTime
    /// The first second at which it is expired.
    public var exp: UnixTime
    /// The id that makes the token unique.
    public var jti: String
    /// The session.
    public var sid: String
    /// The device's id.
    public var did: String
    /// When a signature last verified the person. A refresh does not change it.
    public var authTime: UnixTime
    /// The assurance of the proof that opened the session; see `Assurance`.
    public var acr: String
    /// How the person was verified, as far as the server knows (RFC 8176).
    public var amr: [String]
    /// The session key that must sign each use of the token.
    public var cnf: KeyConfirmation
    /// The action that the person proved presence for; absent after a sign-in.
    public var authorizationDetails: [ActionGrant]?

    /// All claims.
    public init(
        iss: String, aud: String, sub: String, clientID: String, iat: UnixTime, exp: UnixTime, jti: String, sid: String,
        did: String, authTime: UnixTime, acr: String, amr: [String], cnf: KeyConfirmation,
        authorizationDetails: [ActionGrant]? = nil
    ) {
        self.iss = iss
        self.aud = aud
        self.sub = sub
        self.clientID = clientID
        self.iat = iat
        self.exp = exp
        self.jti = jti
        self.sid = sid
        self.did = did
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
        self.cnf = cnf
        self.authorizationDetails = authorizationDetails
    }
}
