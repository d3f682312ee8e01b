public import ThumbturnCore

/// The header of a DPoP proof (RFC 9449 section 4.2).
public struct DPoPHeader: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, jwk }

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
}
