public import ThumbturnCore

/// The claims of an access token (RFC 9068 section 2.2), bound to the session key (RFC 9449 section 6.1).
public struct AccessTokenClaims: Codable, Hashable, Sendable {
    package enum CodingKeys: String, CodingKey {
        // As they are sorted on the way.
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
    /// The first second at which it is no longer good.
    public var exp: UnixTime
    /// Makes the token one of its kind.
    public var jti: String
    /// The session, and the device that it lives on.
    public var sid: String
    /// The device's id.
    public var did: String
    /// When the person was last verified by a signature. A refresh does not move it.
    public var authTime: UnixTime
    /// How far the proof behind the session may be trusted; see `Assurance`.
    public var acr: String
    /// What is known of how the person was verified.
    public var amr: [String]
    /// The session key that must come with the token.
    public var cnf: Confirmation
    /// The one action that the person proved presence for; absent after a sign-in.
    public var authorizationDetails: [ActionGrant]?

    /// All claims.
    public init(
        iss: String, aud: String, sub: String, clientID: String, iat: UnixTime, exp: UnixTime, jti: String, sid: String,
        did: String, authTime: UnixTime, acr: String, amr: [String], cnf: Confirmation,
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
