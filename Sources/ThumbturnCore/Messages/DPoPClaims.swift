/// The header of a DPoP proof (RFC 9449 section 4.2).
public struct DPoPHeader: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, jwk }

    /// The header `typ`.
    public static let type = "dpop+jwt"

    /// `dpop+jwt`.
    public var typ: String
    /// `ES256`.
    public var alg: String
    /// The public key that signed.
    public var jwk: JWK

    /// The header of a proof by this key.
    public init(jwk: JWK) {
        typ = Self.type
        alg = "ES256"
        self.jwk = jwk
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        typ = try container.decode(String.self, forKey: .typ)
        alg = try container.decode(String.self, forKey: .alg)
        jwk = try container.decode(Strict<JWK>.self, forKey: .jwk).content
    }
}

/// The claims of a DPoP proof (RFC 9449 section 4.2). Claims that are not listed are ignored, as the standard wants it.
public struct DPoPClaims: Codable, Hashable, Sendable {
    /// What makes the proof one of its kind: at least 96 random bits.
    public var jti: String
    /// The method and the address of the request, the address without query and fragment.
    public var htm: String
    /// The address of the request.
    public var htu: String
    /// When it was made, by the client's clock.
    public var iat: UnixTime
    /// Base64url SHA-256 of the access token, where one is used.
    public var ath: String?
    /// The server's newest nonce.
    public var nonce: String?
    /// Base64url SHA-256 of the request's body. Ours, not standard: DPoP alone does not cover the body.
    public var bdy: String?

    /// All claims.
    public init(jti: String, htm: String, htu: String, iat: UnixTime, ath: String?, nonce: String?, bdy: String?) {
        self.jti = jti
        self.htm = htm
        self.htu = htu
        self.iat = iat
        self.ath = ath
        self.nonce = nonce
        self.bdy = bdy
    }
}
