public import ThumbturnCore

/// As an enrolment carries it: the bytes in base64url, and the member `format`.
extension AppAttestEvidence: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case format, attestation, assertion
        case keyID = "key_id"
        case attestedValue = "attested_value"
    }

    /// The name that Apple's attestation object gives its own format.
    package static let format = "apple-appattest"

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: container, debugDescription: "is not \"\(Self.format)\"")
        }
        func bytes(_ key: CodingKeys) throws -> [UInt8] {
            guard let bytes = Base64URL.decode(try container.decode(String.self, forKey: key)) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "is not base64url")
            }
            return bytes
        }
        self.init(
            keyID: try container.decode(String.self, forKey: .keyID), attestation: try bytes(.attestation),
            attestedValue: try bytes(.attestedValue), assertion: try bytes(.assertion))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(keyID, forKey: .keyID)
        try container.encode(Base64URL.encode(attestation), forKey: .attestation)
        try container.encode(Base64URL.encode(attestedValue), forKey: .attestedValue)
        try container.encode(Base64URL.encode(assertion), forKey: .assertion)
    }
}
