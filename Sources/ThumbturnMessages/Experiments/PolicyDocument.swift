public import ThumbturnCore

/// The policies and experiments that a server gives its devices: the claims of a compact JWS that the server signed.
///
///     {"iss": "https://login.example", "iat": 1790000000, "exp": 1790086400, "ver": 7,
///      "policies": {"unlock": {"experiment": {…}}, "transaction": {"policy": {…}}}}
///
/// Members that are not listed are refused: a device that does not know what a rule means does not follow half of it.
public struct PolicyDocument: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case iss, iat, exp, ver, policies }

    /// The header `typ`.
    public static let type = "thumbturn-policy+jwt"

    /// The longest life of a document: 7 days.
    public static let longestLife = Duration.seconds(7 * 86_400)

    /// The most policies of a document.
    public static let mostPolicies = 32

    /// The server.
    public var iss: String
    /// When it was made.
    public var iat: UnixTime
    /// The first second at which it is expired.
    public var exp: UnixTime
    /// The version: each document of a server has a higher one than those before it, so that an old one takes no new one's place.
    /// At most `iat` in seconds, so that whatever version came before, the present second is a higher one.
    public var ver: Int64
    /// What takes the place of the app's own policies, by their names (`UnlockPolicy.name`).
    public var policies: [String: Entry]

    /// What takes the place of one policy.
    public enum Entry: Hashable, Sendable {
        /// The same policy for every device.
        case policy(UnlockPolicy)
        /// An arm's policy, by each device's assignment.
        case experiment(Experiment)
    }

    /// All claims.
    public init(iss: String, iat: UnixTime, exp: UnixTime, ver: Int64, policies: [String: Entry]) {
        self.iss = iss
        self.iat = iat
        self.exp = exp
        self.ver = ver
        self.policies = policies
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        iss = try values.decode(String.self, forKey: .iss)
        iat = try values.decode(UnixTime.self, forKey: .iat)
        exp = try values.decode(UnixTime.self, forKey: .exp)
        ver = try values.decode(Int64.self, forKey: .ver)
        policies = try values.decode([String: Entry].self, forKey: .policies)
        guard policies.count <= Self.mostPolicies else {
            throw DecodingError.dataCorruptedError(
                forKey: .policies, in: values, debugDescription: "are more than \(Self.mostPolicies)")
        }
    }
}

extension PolicyDocument.Entry: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case policy, experiment }

    /// Reads `{"policy": {…}}` or `{"experiment": {…}}`. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let policy = try values.decodeIfPresent(UnlockPolicy.self, forKey: .policy)
        let experiment = try values.decodeIfPresent(Experiment.self, forKey: .experiment)
        switch (policy, experiment) {
        case (let policy?, nil):
            // An arm that is none of an experiment could be a name of one device.
            guard policy.arm == nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .policy, in: values, debugDescription: "has an arm, and is no part of an experiment")
            }
            self = .policy(policy)
        case (nil, let experiment?): self = .experiment(experiment)
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "is not one policy or one experiment"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .policy(let policy): try values.encode(policy, forKey: .policy)
        case .experiment(let experiment): try values.encode(experiment, forKey: .experiment)
        }
    }
}

/// The header of a document: a type, the algorithm, and the id of the server's key.
package struct PolicyHeader: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }

    /// `thumbturn-policy+jwt`.
    package var typ: String
    /// `ES256`.
    package var alg: String
    /// The key that signed.
    package var kid: String

    /// The header of a document that this key signs.
    package init(kid: String) {
        typ = PolicyDocument.type
        alg = "ES256"
        self.kid = kid
    }
}
