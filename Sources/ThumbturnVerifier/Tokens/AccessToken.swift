import Foundation
public import ThumbturnCore
public import ThumbturnMessages

/// A verified access token (RFC 9068 section 4). The algorithm is pinned to the keys, never taken from the token.
///
/// A valid token is not enough: the request must also carry a DPoP proof by the key that `cnf.jkt` names.
public struct AccessToken: Sendable {
    /// The verified claims.
    public let claims: AccessTokenClaims

    /// The life of an access token unless its issuer says otherwise: 300 seconds.
    public static let longestLife = Duration.seconds(300)

    /// Verifies a token of this issuer for this audience.
    ///
    /// - Parameters:
    ///   - text: the token in compact serialisation.
    ///   - keys: the issuer's public keys by their `kid`. The caller has to obtain them in a trusted way.
    ///   - issuer: the claim `iss` that the token must have.
    ///   - audience: the claim `aud` that the token must have.
    ///   - longestLife: the longest time between `iat` and `exp`; a token with a longer life is refused.
    ///   - now: the current time, which has to be before the claim `exp`. The claims `iat` and `auth_time` may be ahead of
    ///     it by 60 seconds, because clocks differ.
    /// - Throws: the first check that failed.
    public init(
        _ text: String, keys: [String: VerifyingKey], issuer: String, audience: String,
        longestLife: Duration = AccessToken.longestLife, at now: UnixTime
    ) throws(VerificationError) {
        let claims = try WireJSON.decodeClaims(AccessTokenClaims.self, from: try Self.payload(of: text, keys: keys))
        try claims.check(issuer: issuer, audience: audience, longestLife: longestLife, at: now)
        self.claims = claims
    }

    /// The payload of an access token that one of these keys signed.
    static func payload(of text: String, keys: [String: VerifyingKey]) throws(VerificationError) -> [UInt8] {
        try NamedKeyJWS.payload(of: text, types: types, keys: keys)
    }

    /// The prefix "application/" is optional (RFC 9068 section 4).
    private static let types: Set<String?> = ["at+jwt", "application/at+jwt"]

    /// The id of the key that a token claims to be signed by; nil for a token that cannot be read.
    package static func kid(of text: String) -> String? {
        guard let jws = CompactJWS(text) else { return nil }
        return (try? WireJSON.decode(NamedKeyJWS.Header.self, from: jws.header))?.kid
    }
}
