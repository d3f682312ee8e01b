import Crypto
import Foundation
public import ThumbturnCore
public import ThumbturnMessages

/// The vendors of liveness checks that a deployment trusts, each with its certified level.
///
///     {"vendors":[{"iss":"https://liveness.example","keys":[{"kty":"EC",…,"kid":"1"}],"certified":"high"}]}
public struct LivenessVendors: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case vendors }

    /// The trusted vendors.
    public var vendors: [Vendor]

    /// A vendor of liveness checks.
    public struct Vendor: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case iss, keys, certified
            case minimumScore = "minimum_score"
        }

        /// The vendor's name: the claim `iss` of its evidence.
        public var iss: String
        /// The vendor's public keys, each with a `kid`.
        public var keys: [JWK]
        /// The level that the vendor's product is certified for. Evidence that claims a higher one is refused.
        public var certified: LivenessLevel
        /// The score that the evidence has to exceed, 0 to 1; if nil, scores are ignored. Scores of different vendors,
        /// or of different versions, cannot be compared, so there is no default.
        public var minimumScore: Double?

        /// Creates a vendor.
        public init(iss: String, keys: [JWK], certified: LivenessLevel, minimumScore: Double? = nil) {
            self.iss = iss
            self.keys = keys
            self.certified = certified
            self.minimumScore = minimumScore
        }
    }

    /// Creates a list of these vendors, which are the only ones that are trusted.
    public init(vendors: [Vendor] = []) {
        self.vendors = vendors
    }

    /// Reads the bytes of a vendors file. Throws `malformed` for unknown members too, and `unacceptableKey` for a key
    /// without an id or not on P-256.
    public init(json: [UInt8]) throws(VerificationError) {
        self = try WireJSON.decode(Self.self, from: json)
        for key in vendors.flatMap(\.keys) {
            guard key.kid != nil else { throw .unacceptableKey }
            _ = try VerifyingKey(jwk: key)
        }
    }

    /// Verifies that a vendor signed, at most 60 s ago, that a live person was present for this challenge, at the
    /// demanded level or a higher one.
    ///
    /// - Parameters:
    ///   - evidence: a compact JWS, ES256; see `LivenessClaims`.
    ///   - challenge: the challenge string, as it was issued.
    ///   - level: the demanded level.
    ///   - now: the current time. The vendor's clock may be 5 s ahead.
    /// - Throws: the first check that failed.
    public func judge(
        _ evidence: String, for challenge: String, demanding level: LivenessLevel, at now: UnixTime
    ) throws(VerificationError) {
        let jws = try NamedKeyJWS(evidence, types: [LivenessClaims.type])
        let claims = try WireJSON.decodeClaims(LivenessClaims.self, from: jws.payload)
        guard let vendor = vendors.first(where: { $0.iss == claims.iss }) else { throw .wrongIssuer }
        guard let key = vendor.keys.first(where: { $0.kid == jws.kid }) else { throw .unknownKey }
        try jws.verify(by: try VerifyingKey(jwk: key))
        guard claims.nonce == LivenessClaims.nonce(of: challenge) else { throw .foreignKey }
        guard now - claims.iat <= Self.maximumAge else { throw .expired }
        try TokenTimes.checkPast(claims.iat, at: now, leeway: Self.clockSkew)
        guard claims.level <= vendor.certified, claims.level >= level else { throw .insufficient }
        if let least = vendor.minimumScore {
            guard let score = claims.score, score > least else { throw .insufficient }
        }
    }

    /// The longest age of evidence: long enough for a prompt after the check, and too short to use the evidence
    /// elsewhere.
    private static let maximumAge = Duration.seconds(60)
    /// How far a vendor's clock may be ahead of the server's. It is less than for tokens, because the evidence is valid
    /// for a minute only.
    private static let clockSkew = Duration.seconds(5)
}

/// The claims of a liveness check's evidence: a compact JWS of type `liveness+jwt`, ES256, with the vendor's `kid`.
public struct LivenessClaims: Codable, Hashable, Sendable {
    /// The value of the header `typ`.
    public static let type = "liveness+jwt"

    /// The vendor's name; see `LivenessVendors.Vendor.iss`.
    public var iss: String
    /// Base64url SHA-256 of the challenge string; see `nonce(of:)`.
    public var nonce: String
    /// The level of the check.
    public var level: LivenessLevel
    /// The vendor's score, 0 to 1.
    public var score: Double?
    /// The time of the check by the vendor's clock.
    public var iat: UnixTime

    /// Creates claims.
    public init(iss: String, nonce: String, level: LivenessLevel, score: Double? = nil, iat: UnixTime) {
        self.iss = iss
        self.nonce = nonce
        self.level = level
        self.score = score
        self.iat = iat
    }

    /// The nonce that binds evidence to a challenge: base64url SHA-256 of the challenge string.
    public static func nonce(of challenge: String) -> String { Base64URL.encode(SHA256.hash(data: Array(challenge.utf8))) }
}
