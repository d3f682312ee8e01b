package import ThumbturnCore

/// The operator's file of what devices get in place of their apps' own policies:
///
///     {"format": "thumbturn-unlock-policies/1", "version": 7,
///      "policies": {"unlock": {"experiment": {…}}, "transaction": {"policy": {…}}}}
package struct UnlockPolicyFile: Decodable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case format, version, policies }

    /// The value of the member `format`.
    package static let format = "thumbturn-unlock-policies/1"

    /// The most bytes of a file: 64 KiB.
    package static let largest = 64 * 1024

    /// The most bytes of the member `policies` of a document, so that its JWS is within what devices read.
    package static let mostBytesOfPolicies = 11 * 1024

    /// 1 or more. Devices take no document of a lower version than the one that they have.
    package let version: Int64
    /// What takes the place of the app's own policies, by their names.
    package let policies: [String: PolicyDocument.Entry]

    /// Reads the bytes of a file.
    package init(json: [UInt8]) throws(JSONError) {
        guard json.count <= Self.largest else { throw JSONError(.path(""), "is longer than 64 KiB") }
        self = try StrictJSON.decodeIgnoringUnknown(Self.self, from: json)
    }

    /// Throws `DecodingError` with the place and the reason for a member that is unknown, absent or invalid.
    package init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: values, debugDescription: "is not \"\(Self.format)\"")
        }
        version = try values.decode(Int64.self, forKey: .version)
        guard version > 0 else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: values, debugDescription: "is not 1 or more")
        }
        policies = try values.decode([String: PolicyDocument.Entry].self, forKey: .policies)
        guard policies.count <= PolicyDocument.mostPolicies else {
            throw DecodingError.dataCorruptedError(
                forKey: .policies, in: values, debugDescription: "are more than \(PolicyDocument.mostPolicies)")
        }
        guard StrictJSON.encode(policies).count <= Self.mostBytesOfPolicies else {
            throw DecodingError.dataCorruptedError(
                forKey: .policies, in: values,
                debugDescription: "are longer than \(Self.mostBytesOfPolicies) bytes with all their numbers written out")
        }
        // A device takes what has the name of the app's own policy, so under another name it would have no effect.
        for (name, entry) in policies {
            guard TelemetryLabel(name).text == name else {
                throw DecodingError.dataCorruptedError(
                    forKey: .policies, in: values, debugDescription: "has a name that no policy can have: \"\(name)\"")
            }
            for policy in entry.all where policy.name != nil && policy.name?.text != name {
                throw DecodingError.dataCorruptedError(
                    forKey: .policies, in: values, debugDescription: "\(name): has a policy with another name")
            }
        }
    }
}

extension PolicyDocument.Entry {
    /// The policy, or those of all arms.
    fileprivate var all: [UnlockPolicy] {
        switch self {
        case .policy(let policy): [policy]
        case .experiment(let experiment): experiment.arms.map(\.policy)
        }
    }
}
