import Crypto
import Foundation
public import ThumbturnCore
public import ThumbturnMessages

/// The trusted vendors of liveness checks, each with its level: data of a deployment, read from a file.
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

        /// The claim `iss` of its evidence.
        public var iss: String
        /// Its keys, each with a `kid`.
        public var keys: [JWK]
        /// The level that its product was certified for. Evidence that claims a higher one is refused.
        public var certified: LivenessLevel
        /// The score that its evidence has to exceed; nil ignores scores. Scores of different vendors, or of different versions, cannot be
        /// compared, so there is no default.
        public var minimumScore: Double?

        /// A vendor.
        public init(iss: String, keys: [JWK], certified: LivenessLevel, minimumScore: Double? = nil) {
            self.iss = iss
            self.keys = keys
            self.certified = certified
            self.minimumScore = minimumScore
        }
    }

    /// Trusts only these vendors.
    public init(vendors: [Vendor] = []) {
        self.vendors = vendors
    }

    /// Reads a vendors file. Throws `malformed` for unknown members too, and `unacceptableKey` for a key without an id or not on P-256.
    public init(json: [UInt8]) throws(VerificationError) {
        self = try WireJSON.decode(Self.self, from: json)
        for key in vendors.flatMap(\.keys) {
            guard key.kid != nil else { throw .unacceptableKey }
            _ = try VerifyingKey(jwk: key)
        }
    }

    /// Verifies that a vendor signed, at most 60 s ago, that a live person was present for this challenge, at the demanded level or a
    /// higher one.
    ///
    /// - Parameter evidence: a compact JWS, ES256; see `LivenessClaims`.
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
        guard claims.iat - now <= Self.clockSkew else { throw .notYetValid }
        guard claims.level <= vendor.certified, claims.level >= level else { throw .insufficient }
        if let least = vendor.minimumScore {
            guard let score = claims.score, score > least else { throw .insufficient }
        }
    }

    /// Long enough for a prompt after the check, and too short to use the evidence elsewhere.
    private static let maximumAge = Duration.seconds(60)
    /// How far a vendor's clock may be ahead of ours.
    private static let clockSkew = Duration.seconds(5)
}

/// The claims of a liveness check's evidence: a compact JWS of type `liveness+jwt`, ES256, with the vendor's `kid`.
public struct LivenessClaims: Codable, Hashable, Sendable {
    /// The header `typ`.
    public static let type = "liveness+jwt"

    /// The vendor.
    public var iss: String
    /// Base64url SHA-256 of the challenge string; see `nonce(of:)`.
    public var nonce: String
    /// The level of the check.
    public var level: LivenessLevel
    /// The vendor's score, 0 to 1.
    public var score: Double?
    /// When the check was made, by the vendor's clock.
    public var iat: UnixTime

    /// All claims.
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
