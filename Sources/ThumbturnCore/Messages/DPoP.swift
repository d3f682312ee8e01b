/// The header of a DPoP proof (RFC 9449 section 4.2).
public struct DPoPHeader: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, jwk }

    public static let type = "dpop+jwt"

    public var typ: String
    public var alg: String
    public var jwk: JWK

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
    public var jti: String
    /// The method and the address of the request, the address without query and fragment.
    public var htm: String
    public var htu: String
    public var iat: UnixTime
    /// Base64url SHA-256 of the access token, where one is used.
    public var ath: String?
    public var nonce: String?
    /// Base64url SHA-256 of the request's body. Ours, not standard: DPoP alone does not cover the body.
    public var bdy: String?

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
