public import Crypto
import Foundation
public import ThumbturnCore

/// Makes access tokens: RFC 9068, ES256.
public struct TokenSigner: Sendable {
    private let key: P256.Signing.PrivateKey
    /// The thumbprint of the public key.
    public let kid: String

    public init(_ key: P256.Signing.PrivateKey) throws(Refusal) {
        self.key = key
        kid = try VerifyingKey(x963: Array(key.publicKey.x963Representation)).thumbprint
    }

    /// The public half, for `/.well-known/jwks.json`.
    public var jwk: JWK {
        let point = Array(key.publicKey.x963Representation)
        return JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: kid, use: "sig", alg: "ES256")
    }

    public func sign(_ claims: AccessTokenClaims) throws -> String {
        let header = WireJSON.encode(AccessToken.Header(typ: AccessTokenClaims.type, alg: "ES256", kid: kid))
        let input = CompactJWS.signingInput(header: header, payload: WireJSON.encode(claims))
        let signature = try key.signature(for: input).rawRepresentation
        return CompactJWS.compact(signingInput: input, signature: Array(signature))
    }
}

/// A set of public keys (RFC 7517 section 5).
public struct JWKS: Message {
    public enum CodingKeys: String, CodingKey, CaseIterable { case keys }

    public var keys: [JWK]

    public init(keys: [JWK]) {
        self.keys = keys
    }
}

/// Judges access tokens as RFC 9068 section 4 says. The algorithm is pinned to the keys, never taken from the token.
///
/// A valid token is one half: the request must also carry a DPoP proof by the key that `cnf.jkt` names.
public struct AccessToken: Sendable {
    public let claims: AccessTokenClaims

    public init(
        _ text: String, keys: [String: VerifyingKey], issuer: String, audience: String, at now: UnixTime
    ) throws(Refusal) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(Header.self, from: jws.header)
        // Media types are compared without regard to case (RFC 2045 section 5.1), and "application/" may be spelled out.
        guard ["at+jwt", "application/at+jwt"].contains(header.typ.lowercased()) else { throw .wrongType }
        guard header.alg == "ES256" else { throw .wrongAlgorithm }
        guard let key = keys[header.kid] else { throw .unknownKey }
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
        let claims = try WireJSON.decodeClaims(AccessTokenClaims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard claims.aud == audience else { throw .wrongAudience }
        guard now < claims.exp else { throw .expired }
        self.claims = claims
    }

    struct Header: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }
        var typ: String
        var alg: String
        var kid: String
    }
}
