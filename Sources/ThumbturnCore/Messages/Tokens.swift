/// The grant type of a proof at the token endpoint (RFC 6749 section 4.5).
public let proofGrantType = "urn:thumbturn:grant-type:proof"

/// The token endpoint's answer to a sign-in or a refresh (RFC 6749 section 5.1).
public struct TokenAnswer: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        // As they are sorted on the way.
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case tokenType = "token_type"
    }

    /// A compact JWS of type `at+jwt`.
    public var accessToken: String
    /// Always `DPoP` (RFC 9449 section 5).
    public var tokenType: String
    /// Seconds from now.
    public var expiresIn: Int64
    /// What the next refresh needs; opaque.
    public var refreshToken: String

    /// An answer of type `DPoP`.
    public init(accessToken: String, expiresIn: Int64, refreshToken: String) {
        self.accessToken = accessToken
        tokenType = "DPoP"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
    }
}

/// The token endpoint's answer to a step-up: one access token, and nothing to refresh it with. What was proved for one action opens no
/// session.
public struct StepUpAnswer: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }

    /// A compact JWS of type `at+jwt`, with `authorization_details`.
    public var accessToken: String
    /// Always `DPoP` (RFC 9449 section 5).
    public var tokenType: String
    /// Seconds from now.
    public var expiresIn: Int64

    /// An answer of type `DPoP`.
    public init(accessToken: String, expiresIn: Int64) {
        self.accessToken = accessToken
        tokenType = "DPoP"
        self.expiresIn = expiresIn
    }
}

/// The claims of an access token (RFC 9068 section 2.2), bound to the session key (RFC 9449 section 6.1).
public struct AccessTokenClaims: Codable, Hashable, Sendable {
    public enum CodingKeys: String, CodingKey {
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

/// `GET /v1/me`: who the token speaks for.
public struct Me: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case account, name, device, acr, amr
        case authTime = "auth_time"
    }

    /// The account's id: the token's `sub`.
    public var account: String
    /// The account's name.
    public var name: String
    /// The device's id.
    public var device: String
    /// As in the token.
    public var acr: String
    /// As in the token.
    public var amr: [String]
    /// When the person was last verified by a signature.
    public var authTime: UnixTime

    /// An answer.
    public init(account: String, name: String, device: String, acr: String, amr: [String], authTime: UnixTime) {
        self.account = account
        self.name = name
        self.device = device
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
    }
}
