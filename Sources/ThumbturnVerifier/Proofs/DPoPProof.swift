import Crypto
import Foundation
public import ThumbturnCore
import ThumbturnMessages

/// A verified DPoP proof (RFC 9449 section 4.3). The caller has to check that its `replayKey` was not seen before.
public struct DPoPProof: Sendable {
    /// The public key in the proof's header, which signed it.
    public let key: VerifyingKey
    /// The proof's id: 8 to 128 bytes of UTF-8.
    public let jti: String
    /// The nonce in the proof; nil if it has none.
    public let nonce: String?

    /// The thumbprint of `key` (RFC 7638).
    public let jkt: String

    /// The request that a proof must be for.
    public struct Request: Sendable {
        /// The method, in capital letters.
        public var method: String
        /// The full address as clients see it; query and fragment do not count.
        public var uri: String
        /// The access token that the claim `ath` must cover; nil if the proof must have no such claim.
        public var accessToken: String?
        /// The body that the claim `bdy` must cover; nil if the claim is not demanded.
        public var body: [UInt8]?

        /// Creates a request as the server sees it.
        public init(method: String, uri: String, accessToken: String? = nil, body: [UInt8]? = nil) {
            self.method = method
            self.uri = uri
            self.accessToken = accessToken
            self.body = body
        }
    }

    /// How the freshness of a proof is checked.
    public enum Freshness: Sendable {
        /// By a nonce of the server, which is bound to the server's own time. The client's clock does not count (RFC
        /// 9449 section 8).
        case nonce(isLive: @Sendable (String) -> Bool)
        /// By the claim `iat`, which may be older than the time of the server by the window, and ahead of it by the
        /// window or 60 seconds, whichever is less. A nonce in the proof is ignored.
        case issued(within: Duration, of: UnixTime)
    }

    /// Verifies the value of the header `DPoP`, which a request must have once. Throws the first check that failed;
    /// `nonceNeeded` for a missing or expired nonce.
    public init(_ text: String, for request: Request, fresh freshness: Freshness) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(DPoPHeader.self, from: jws.header)
        guard header.typ == DPoPHeader.type else { throw .wrongType }
        try ES256.require(header.alg)
        let claims = try WireJSON.decodeClaims(DPoPClaims.self, from: jws.payload)
        // The nonce is checked before the signature, so that a caller without a live nonce cannot make the server
        // verify one.
        if case .nonce(let isLive) = freshness {
            guard let nonce = claims.nonce, isLive(nonce) else { throw .nonceNeeded }
        }
        key = try VerifyingKey(jwk: header.jwk)
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
        guard (8...128).contains(claims.jti.utf8.count) else { throw .malformed }
        guard claims.htm == request.method, Self.sameAddress(claims.htu, request.uri) else { throw .wrongRequest }
        guard claims.ath == request.accessToken.map({ Self.hash(Array($0.utf8)) }) else { throw .wrongRequest }
        if let body = request.body {
            guard claims.bdy == Self.hash(body) else { throw .wrongRequest }
        }
        if case .issued(let window, let now) = freshness {
            try TokenTimes.checkPast(claims.iat, at: now, leeway: min(window, TokenTimes.leeway))
            if now - claims.iat > window { throw .expired }
        }
        jkt = key.thumbprint
        jti = claims.jti
        nonce = claims.nonce
    }

    /// The key for detecting a replay: a proof with the same key must not be accepted again while this one is fresh. It
    /// is the first 16 bytes of SHA-256 over the thumbprint and the `jti`.
    public var replayKey: [UInt8] {
        Array(SHA256.bytes(of: Array("\(jkt) \(jti)".utf8)).prefix(16))
    }

    /// The value of `ath` and `bdy`: SHA-256 in base64url.
    public static func hash(_ bytes: [UInt8]) -> String {
        Base64URL.encode(SHA256.bytes(of: bytes))
    }

    /// Whether two addresses are the same after the normalisation of RFC 3986 sections 6.2.2 and 6.2.3, without query
    /// and fragment.
    private static func sameAddress(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.elementsEqual(rhs.utf8) || normalized(lhs).map { $0 == normalized(rhs) } ?? false
    }

    private static func normalized(_ address: String) -> String? {
        // A URI is ASCII (RFC 3986 section 2).
        guard ASCII.holds(address), var parts = URLComponents(string: address),
            let scheme = parts.scheme?.lowercased(), let host = parts.host
        else { return nil }
        parts.scheme = scheme
        parts.host = host.lowercased()
        if (scheme, parts.port) == ("https", 443) || (scheme, parts.port) == ("http", 80) { parts.port = nil }
        if parts.path.isEmpty { parts.path = "/" }
        parts.query = nil
        parts.fragment = nil
        return parts.string
    }
}
