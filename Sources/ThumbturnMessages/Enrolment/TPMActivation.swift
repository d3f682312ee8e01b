public import ThumbturnCore

/// `POST /v1/evidence/tpm`: asks for a credential that only one TPM can open, and only while it holds one attestation key.
public struct TPMActivationRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case endorsement
        case attestationKey = "attestation_key"
    }

    /// The certificate of the endorsement key in DER, and those that issued it; in base64url.
    public let endorsement: [[UInt8]]
    /// The attestation key's public area, a `TPMT_PUBLIC`; in base64url.
    public let attestationKey: [UInt8]

    /// A request with what the TPM told.
    public init(endorsement: [[UInt8]], attestationKey: [UInt8]) {
        self.endorsement = endorsement
        self.attestationKey = attestationKey
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            endorsement: try container.base64URLs(.endorsement), attestationKey: try container.base64URL(.attestationKey))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(endorsement.map { Base64URL.encode($0) }, forKey: .endorsement)
        try container.encode(Base64URL.encode(attestationKey), forKey: .attestationKey)
    }
}

/// The answer: the credential (TPM 2.0 Library, part 1, section 24), and a text that the evidence carries back.
public struct TPMActivationAnswer: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case token
        case idObject = "id_object"
        case encryptedSeed = "encrypted_seed"
        case expiresIn = "expires_in"
    }

    /// A `TPMS_ID_OBJECT`, in base64url.
    public let idObject: [UInt8]
    /// A `TPMS_ECC_POINT`, in base64url.
    public let encryptedSeed: [UInt8]
    /// Goes back with the secret, as received. It is good for one enrolment or change of keys of the session key that asked.
    public let token: String
    /// How long it is, in seconds.
    public let expiresIn: Int64

    /// An answer with a credential.
    public init(idObject: [UInt8], encryptedSeed: [UInt8], token: String, expiresIn: Int64) {
        self.idObject = idObject
        self.encryptedSeed = encryptedSeed
        self.token = token
        self.expiresIn = expiresIn
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            idObject: try container.base64URL(.idObject), encryptedSeed: try container.base64URL(.encryptedSeed),
            token: try container.decode(String.self, forKey: .token),
            expiresIn: try container.decode(Int64.self, forKey: .expiresIn))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Base64URL.encode(idObject), forKey: .idObject)
        try container.encode(Base64URL.encode(encryptedSeed), forKey: .encryptedSeed)
        try container.encode(token, forKey: .token)
        try container.encode(expiresIn, forKey: .expiresIn)
    }
}
