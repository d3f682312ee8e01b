import Crypto
public import ThumbturnCore
import ThumbturnMessages

/// A back end's authentication without a password: a JWT that it signed (`private_key_jwt`, RFC 7523 section 3).
///
/// `init` only decodes an assertion; `verify` verifies it. The caller has to check that its `replayKey` was not seen
/// before.
public struct ClientAssertion: Sendable {
    /// The client that the assertion names.
    public let client: String
    /// The time of issue by the back end's clock (`iat`).
    public let issuedAt: UnixTime
    /// The first second at which the assertion is expired (`exp`).
    public let expiry: UnixTime
    private let claims: Claims
    private let jws: CompactJWS

    /// The longest lifetime of an assertion: 300 seconds. An assertion is made for one request.
    public static let longestLife = Duration.seconds(300)
    /// How far a back end's clock may be ahead of the server's: 60 seconds.
    public static let skew = TokenTimes.leeway

    /// Decodes an assertion: ES256, without a type or with one for client authentication, and with the same client as
    /// issuer and as subject. Throws the first check that failed.
    public init(_ text: String) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decodeClaims(Header.self, from: jws.header)
        // A critical extension must be understood (RFC 7515 section 4.1.11), and we support none.
        guard header.crit == nil else { throw .malformed }
        // No other kind of token is accepted as an assertion (RFC 8725 section 3.11).
        guard header.typ.map({ Self.types.contains($0.lowercased()) }) ?? true else { throw .wrongType }
        try ES256.require(header.alg)
        claims = try WireJSON.decodeClaims(Claims.self, from: jws.payload)
        guard claims.iss == claims.sub else { throw .wrongIssuer }
        self.jws = jws
        client = claims.sub
        issuedAt = claims.iat
        expiry = claims.exp
    }

    /// Verifies that one of these keys signed the assertion for one of these audiences, that it is not expired, and
    /// that its lifetime is at most `longestLife`. Throws the first check that failed.
    public func verify(by keys: [VerifyingKey], audiences: Set<String>, at now: UnixTime) throws(VerificationError) {
        guard keys.contains(where: { $0.isValid(jws.signature, for: jws.signingInput) }) else { throw .wrongSignature }
        guard audiences.contains(claims.aud.value) else { throw .wrongAudience }
        try TokenTimes.check(issued: claims.iat, expiry: claims.exp, longestLife: Self.longestLife, at: now)
        if let notBefore = claims.nbf { try TokenTimes.checkPast(notBefore, at: now) }
        guard (8...128).contains(claims.jti.utf8.count) else { throw .malformed }
    }

    /// The key for detecting a replay: an assertion with the same key must not be accepted again before this one
    /// expires. It is the first 16 bytes of SHA-256 over the client and the `jti`.
    public var replayKey: [UInt8] { Array(SHA256.hash(data: Array("\(client) \(claims.jti)".utf8)).prefix(16)) }

    private static let types: Set = [
        "jwt", "application/jwt", "client-authentication+jwt", "application/client-authentication+jwt",
    ]

    private struct Header: Decodable {
        var typ: String?
        var alg: String
        var crit: [String]?
    }

    private struct Claims: Decodable, Sendable {
        var iss: String
        var sub: String
        var aud: OneAudience
        var jti: String
        var iat: UnixTime
        var exp: UnixTime
        var nbf: UnixTime?
    }
}

/// The claim `aud` with exactly one value, as a string or in an array (RFC 7519 section 4.1.3). An assertion for
/// several audiences could be passed on by any of them.
struct OneAudience: Decodable, Sendable {
    var value: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let single = try? container.decode(String.self) {
            value = single
            return
        }
        let list = try container.decode([String].self)
        guard list.count == 1 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected one audience, found \(list.count)")
        }
        value = list[0]
    }
}
