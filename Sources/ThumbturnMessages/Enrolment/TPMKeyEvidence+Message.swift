public import ThumbturnCore

/// As a request carries it: `{"format":"tpm","endorsement":[…],"attestation_key":…,"token":…,"secret":…,"keys":{"session":{…}}}`,
/// all bytes in base64url.
extension TPMKeyEvidence: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case format, endorsement, token, secret, keys
        case attestationKey = "attestation_key"
    }

    /// The name of the format. WebAuthn's format of this name (section 8.3) has other members.
    package static let format = "tpm"

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: container, debugDescription: "is not \"\(Self.format)\"")
        }
        var keys: [KeyKind: Key] = [:]
        for (kind, key) in try container.decode([String: Key].self, forKey: .keys) {
            guard let kind = KeyKind(rawValue: kind), kind != .pin else {
                throw DecodingError.dataCorruptedError(
                    forKey: .keys, in: container, debugDescription: "names no kind of attested key")
            }
            keys[kind] = key
        }
        self.init(
            endorsement: try container.base64URLs(.endorsement), attestationKey: try container.base64URL(.attestationKey),
            token: try container.decode(String.self, forKey: .token), secret: try container.base64URL(.secret), keys: keys)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(endorsement.map { Base64URL.encode($0) }, forKey: .endorsement)
        try container.encode(Base64URL.encode(attestationKey), forKey: .attestationKey)
        try container.encode(token, forKey: .token)
        try container.encode(Base64URL.encode(secret), forKey: .secret)
        var named: [String: Key] = [:]
        for (kind, key) in keys { named[kind.rawValue] = key }
        try container.encode(named, forKey: .keys)
    }
}

/// `{"public_area":…,"creation_data":…,"attestation":…,"signature":…,"guarding":{…}}`
extension TPMKeyEvidence.Key: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case attestation, signature, guarding
        case publicArea = "public_area"
        case creationData = "creation_data"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            publicArea: try container.base64URL(.publicArea), creationData: try container.base64URL(.creationData),
            attestation: try container.base64URL(.attestation), signature: try container.base64URL(.signature),
            guarding: try container.decode(TPMKeyEvidence.Guarding.self, forKey: .guarding))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Base64URL.encode(publicArea), forKey: .publicArea)
        try container.encode(Base64URL.encode(creationData), forKey: .creationData)
        try container.encode(Base64URL.encode(attestation), forKey: .attestation)
        try container.encode(Base64URL.encode(signature), forKey: .signature)
        try container.encode(guarding, forKey: .guarding)
    }
}

/// `{"by":"open"}`, `{"by":"matcher","key":{…},"reference":…,"counter":…,"value":…}` or
/// `{"by":"pin","index":…,"reference":…}`. The key is a JWK; the value has eight bytes, big-endian, as in the TPM.
extension TPMKeyEvidence.Guarding: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case by, key, reference, counter, value, index }

    private enum Guard: String, Codable {
        case open, matcher, pin

        /// The members beside `by`, all of which are there.
        var members: Set<CodingKeys> {
            switch self {
            case .open: []
            case .matcher: [.key, .reference, .counter, .value]
            case .pin: [.index, .reference]
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ text: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: text)
        }
        let guarded = try container.decode(Guard.self, forKey: .by)
        guard guarded.members.union([.by]) == Set(container.allKeys) else {
            throw refuse(.by, "has other members than those of \"\(guarded.rawValue)\"")
        }
        switch guarded {
        case .open: self = .open
        case .matcher:
            guard let key = try container.decode(JWK.self, forKey: .key).publicKey else {
                throw refuse(.key, "is no public key on P-256")
            }
            let value = try container.base64URL(.value)
            guard value.count == 8 else { throw refuse(.value, "has other than eight bytes") }
            self = .matcher(
                key, reference: try container.base64URL(.reference), counter: try container.base64URL(.counter),
                value: value.reduce(0) { $0 << 8 | UInt64($1) })
        case .pin: self = .pin(index: try container.base64URL(.index), reference: try container.base64URL(.reference))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .open: try container.encode(Guard.open, forKey: .by)
        case .matcher(let key, let reference, let counter, let value):
            try container.encode(Guard.matcher, forKey: .by)
            try container.encode(JWK(key), forKey: .key)
            try container.encode(Base64URL.encode(reference), forKey: .reference)
            try container.encode(Base64URL.encode(counter), forKey: .counter)
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
            try container.encode(Base64URL.encode(bytes), forKey: .value)
        case .pin(let index, let reference):
            try container.encode(Guard.pin, forKey: .by)
            try container.encode(Base64URL.encode(index), forKey: .index)
            try container.encode(Base64URL.encode(reference), forKey: .reference)
        }
    }
}

extension KeyedDecodingContainer {
    /// The bytes of a text in base64url.
    func base64URL(_ key: Key) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "is not base64url")
        }
        return bytes
    }

    /// The bytes of several texts in base64url.
    func base64URLs(_ key: Key) throws -> [[UInt8]] {
        try decode([String].self, forKey: key).map { text in
            guard let bytes = Base64URL.decode(text) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "is not base64url")
            }
            return bytes
        }
    }
}
