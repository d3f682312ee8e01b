public import ThumbturnCore

/// The header of a proof: a compact JWS, ES256, whose payload is the challenge string exactly as received.
public struct ProofHeader: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }

    /// The header `typ`.
    public static let type = "thumbturn-proof+jwt"

    /// `thumbturn-proof+jwt`.
    public var typ: String
    /// `ES256`.
    public var alg: String
    /// The key that signed.
    public var kid: String

    /// The header of a proof by this key.
    public init(kid: String) {
        typ = Self.type
        alg = "ES256"
        self.kid = kid
    }
}
