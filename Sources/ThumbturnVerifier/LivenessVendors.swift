import Crypto
import Foundation
public import ThumbturnCore
public import ThumbturnMessages

/// Whose liveness checks are believed, and how far: data of a deployment, read from a file.
///
///     {"vendors":[{"iss":"https://liveness.example","keys":[{"kty":"EC",…,"kid":"1"}],"certified":"high"}]}
public struct LivenessVendors: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable { case vendors }

    /// Those that are believed.
    public var vendors: [Vendor]

    /// A vendor of liveness checks.
    public struct Vendor: Message, Hashable {
        public enum CodingKeys: String, CodingKey, CaseIterable {
            case iss, keys, certified
            case minimumScore = "minimum_score"
        }

        /// The claim `iss` of its evidence.
        public var iss: String
        /// Its keys, each with a `kid`.
        public var keys: [JWK]
        /// The level that its product was certified for. Evidence that claims a higher one is refused.
        public var certified: LivenessLevel
        /// The score that its evidence has to exceed; nil: scores are not looked at. Scores of two vendors, or of two versions of one,
        /// do not compare, so there is none unless a deployment says so.
        public var minimumScore: Double?

        /// A vendor.
        public init(iss: String, keys: [JWK], certified: LivenessLevel, minimumScore: Double? = nil) {
            self.iss = iss
            self.keys = keys
            self.certified = certified
            self.minimumScore = minimumScore
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            iss = try container.decode(String.self, forKey: .iss)
            keys = try container.decode([Strict<JWK>].self, forKey: .keys).map(\.content)
            certified = try container.decode(LivenessLevel.self, forKey: .certified)
            minimumScore = try container.decodeIfPresent(Double.self, forKey: .minimumScore)
        }
    }

    /// These vendors and no others.
    public init(vendors: [Vendor] = []) {
        self.vendors = vendors
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        vendors = try container.decode([Strict<Vendor>].self, forKey: .vendors).map(\.content)
    }

    /// Reads the vendors of a file. Throws `malformed` for anything that it does not know, and `unacceptableKey`.
    public init(json: [UInt8]) throws(VerificationError) {
        self = try WireJSON.decode(Self.self, from: json)
        for key in vendors.flatMap(\.keys) {
            guard key.kid != nil else { throw .unacceptableKey }
            _ = try VerifyingKey(jwk: key)
        }
    }

    /// Returns if a vendor signed, at most 60 s ago, that a live person was there for this very challenge, at no lower level than what is
    /// demanded.
    ///
    /// - Parameter evidence: a compact JWS, ES256; see `LivenessClaims`.
    public func judge(
        _ evidence: String, for challenge: String, demanding level: LivenessLevel, at now: UnixTime
    ) throws(VerificationError) {
        guard let jws = CompactJWS(evidence) else { throw .malformed }
        let header = try WireJSON.decode(Header.self, from: jws.header)
        guard header.typ == LivenessClaims.type else { throw .wrongType }
        guard header.alg == "ES256" else { throw .wrongAlgorithm }
        let claims = try WireJSON.decodeClaims(LivenessClaims.self, from: jws.payload)
        guard let vendor = vendors.first(where: { $0.iss == claims.iss }) else { throw .wrongIssuer }
        guard let key = vendor.keys.first(where: { $0.kid == header.kid }) else { throw .unknownKey }
        guard try VerifyingKey(jwk: key).isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
        guard claims.nonce == LivenessClaims.nonce(of: challenge) else { throw .foreignKey }
        guard now - claims.iat <= Self.maximumAge else { throw .expired }
        guard claims.iat - now <= Self.clockSkew else { throw .notYetValid }
        guard claims.level <= vendor.certified, claims.level >= level else { throw .insufficient }
        if let least = vendor.minimumScore {
            guard let score = claims.score, score > least else { throw .insufficient }
        }
    }

    /// Long enough for a prompt after the check, and too short to be carried elsewhere.
    private static let maximumAge = Duration.seconds(60)
    /// A vendor's clock may be ahead of ours by so much.
    private static let clockSkew = Duration.seconds(5)

    private struct Header: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }
        var typ: String
        var alg: String
        var kid: String
    }
}

/// What a vendor signs about one liveness check: a compact JWS of type `liveness+jwt`, ES256, with the vendor's `kid`.
public struct LivenessClaims: Codable, Hashable, Sendable {
    /// The header `typ`.
    public static let type = "liveness+jwt"

    /// The vendor.
    public var iss: String
    /// Base64url SHA-256 of the challenge string; see `nonce(of:)`.
    public var nonce: String
    /// The level of the check that was made.
    public var level: LivenessLevel
    /// The vendor's own measure, 0 to 1.
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

    /// What binds the evidence to a challenge: base64url SHA-256 of the challenge string.
    public static func nonce(of challenge: String) -> String { Base64URL.encode(SHA256.hash(data: Array(challenge.utf8))) }
}
