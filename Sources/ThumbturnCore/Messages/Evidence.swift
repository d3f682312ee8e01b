/// Evidence of Apple's App Attest for the keys of a device, in a form that enrolment can carry.
///
/// It says that a genuine copy of the app, on a genuine device, claims these keys. It does not say that they live in the Secure Enclave: App
/// Attest attests a key of its own, which no person unlocks.
public struct AppAttestEvidence: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case format, attestation, assertion
        case keyID = "key_id"
        case attestedValue = "attested_value"
    }

    /// The name that Apple's attestation object gives its own format.
    public static let format = "apple-appattest"

    /// The name of the app's attested key: the SHA-256 of its public half in base64, as the system gave it.
    public var keyID: String
    /// Apple's attestation object (CBOR), in base64url. Its client data is `attestedValue`.
    public var attestation: String
    /// The bound value that the key was attested with: 32 bytes in base64url. A key is attested once, so of a later enrolment it is
    /// not this enrolment's own; what is fresh is the assertion.
    public var attestedValue: String
    /// Apple's assertion (CBOR), in base64url. Its client data is the bound value of this very enrolment.
    public var assertion: String

    /// Evidence as the system gave it.
    public init(keyID: String, attestation: [UInt8], attestedValue: [UInt8], assertion: [UInt8]) {
        self.keyID = keyID
        self.attestation = Base64URL.encode(attestation)
        self.attestedValue = Base64URL.encode(attestedValue)
        self.assertion = Base64URL.encode(assertion)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: container, debugDescription: "Another format.")
        }
        keyID = try container.decode(String.self, forKey: .keyID)
        attestation = try container.decode(String.self, forKey: .attestation)
        attestedValue = try container.decode(String.self, forKey: .attestedValue)
        assertion = try container.decode(String.self, forKey: .assertion)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(keyID, forKey: .keyID)
        try container.encode(attestation, forKey: .attestation)
        try container.encode(attestedValue, forKey: .attestedValue)
        try container.encode(assertion, forKey: .assertion)
    }
}

/// What evidence is bound to.
package enum EvidenceBinding {
    /// The bytes whose SHA-256 is the bound value: the challenge as received, then the RFC 7638 thumbprints of the keys in the order of
    /// their bytes, all as text with nothing in between. A thumbprint has 43 characters and a challenge ends with 43 after its last dot, so
    /// no two lists have the same bytes.
    package static func input(challenge: String, thumbprints: [String]) -> [UInt8] {
        Array((challenge + thumbprints.sorted().joined()).utf8)
    }
}
