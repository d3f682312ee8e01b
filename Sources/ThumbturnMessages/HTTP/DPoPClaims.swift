public import ThumbturnCore

/// The claims of a DPoP proof (RFC 9449 section 4.2). Claims that are not listed are ignored, as the standard wants it.
public struct DPoPClaims: Codable, Hashable, Sendable {
    /// The id that makes the proof unique: at least 96 random bits.
    public var jti: String
    /// The method and the address of the request, the address without query and fragment.
    public var htm: String
    /// The address of the request.
    public var htu: String
    /// When it was made, by the client's clock.
    public var iat: UnixTime
    /// Base64url SHA-256 of the access token, where one is used.
    public var ath: String?
    /// The latest nonce of the server.
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
