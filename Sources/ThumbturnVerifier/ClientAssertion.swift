import Crypto
public import ThumbturnCore
import ThumbturnMessages

/// What a back end shows of itself instead of a password: a JWT that it signed (`private_key_jwt`, RFC 7523 section 3).
///
/// Reading one believes nothing. `verify` judges it; that its `replayKey` was not seen before is the caller's to check.
public struct ClientAssertion: Sendable {
    /// Who it says it is.
    public let client: String
    /// When it was made, by the back end's clock.
    public let issuedAt: UnixTime
    /// The first second at which it is no longer good.
    public let expiry: UnixTime
    private let claims: Claims
    private let jws: CompactJWS

    /// An assertion lives so long at most: it is made for one request.
    public static let longestLife = Duration.seconds(300)
    /// A back end's clock may be ahead by so much.
    public static let skew = Duration.seconds(60)

    /// Reads an assertion: ES256, of no type or one of a client's, naming the same client as issuer and as subject.
    public init(_ text: String) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decodeClaims(Header.self, from: jws.header)
        // Nothing is critical that we do not know (RFC 7515 section 4.1.11), and we know no extension.
        guard header.crit == nil else { throw .malformed }
        // No other kind of token passes for one (RFC 8725 section 3.11).
        guard header.typ.map({ Self.types.contains($0.lowercased()) }) ?? true else { throw .wrongType }
        guard header.alg == "ES256" else { throw .wrongAlgorithm }
        claims = try WireJSON.decodeClaims(Claims.self, from: jws.payload)
        guard claims.iss == claims.sub else { throw .wrongIssuer }
        self.jws = jws
        client = claims.sub
        issuedAt = claims.iat
        expiry = claims.exp
    }

    /// Returns if one of the client's own keys signed it for one of these audiences, it is alive, and its life is short.
    public func verify(by keys: [VerifyingKey], audiences: Set<String>, at now: UnixTime) throws(VerificationError) {
        guard keys.contains(where: { $0.isValid(jws.signature, for: jws.signingInput) }) else { throw .wrongSignature }
        guard audiences.contains(claims.aud.value) else { throw .wrongAudience }
        guard now < claims.exp else { throw .expired }
        guard claims.iat - now <= Self.skew, (claims.nbf ?? claims.iat) - now <= Self.skew else { throw .notYetValid }
        guard claims.iat < claims.exp, claims.exp - claims.iat <= Self.longestLife else { throw .malformed }
        guard (8...128).contains(claims.jti.utf8.count) else { throw .malformed }
    }

    /// What must not be seen twice while the assertion is alive: 16 bytes of SHA-256 over the client and the `jti`.
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

/// The claim `aud` with exactly one value, alone or in a list (RFC 7519 section 4.1.3). What is meant for several could be passed on
/// by any of them.
struct OneAudience: Decodable, Sendable {
    var value: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let alone = try? container.decode(String.self) {
            value = alone
            return
        }
        let list = try container.decode([String].self)
        guard list.count == 1 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not one audience.")
        }
        value = list[0]
    }
}
