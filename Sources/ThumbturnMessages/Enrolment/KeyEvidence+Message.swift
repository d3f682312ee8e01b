public import ThumbturnCore

/// Evidence as a request carries it: an object whose member `format` says how to read the others.
extension KeyEvidence: Codable {
    private enum FormatKey: String, CodingKey { case format }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormatKey.self)
        // Decoded as messages of their own, so that unknown members are refused here as well.
        let value = try decoder.singleValueContainer()
        switch try container.decode(String.self, forKey: .format) {
        case AppAttestEvidence.format: self = .appAttest(try value.decode(AppAttestEvidence.self))
        case AndroidKeyEvidence.format: self = .androidKey(try value.decode(AndroidKeyEvidence.self))
        case TPMKeyEvidence.format: self = .tpm(try value.decode(TPMKeyEvidence.self))
        default:
            throw DecodingError.dataCorruptedError(forKey: .format, in: container, debugDescription: "is no known format")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .appAttest(let evidence): try evidence.encode(to: encoder)
        case .androidKey(let evidence): try evidence.encode(to: encoder)
        case .tpm(let evidence): try evidence.encode(to: encoder)
        }
    }

    /// The name of the format, as requests and the operator's lists have it.
    package var format: String {
        switch self {
        case .appAttest: AppAttestEvidence.format
        case .androidKey: AndroidKeyEvidence.format
        case .tpm: TPMKeyEvidence.format
        }
    }
}

/// As a request carries it: `{"format":"android-key","challenge":…,"chains":{"biometric":[…]}}`, the certificates in
/// base64url.
extension AndroidKeyEvidence: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case format, challenge, chains }

    /// The name that WebAuthn gives this format (section 8.4).
    package static let format = "android-key"

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ text: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: text)
        }
        guard try container.decode(String.self, forKey: .format) == Self.format else {
            throw refuse(.format, "is not \"\(Self.format)\"")
        }
        var chains: [KeyKind: [[UInt8]]] = [:]
        for (kind, texts) in try container.decode([String: [String]].self, forKey: .chains) {
            guard let kind = KeyKind(rawValue: kind), kind != .pin else { throw refuse(.chains, "names no kind of attested key") }
            chains[kind] = try texts.map { text in
                guard let bytes = Base64URL.decode(text) else { throw refuse(.chains, "is not base64url") }
                return bytes
            }
        }
        self.init(challenge: try container.decode(String.self, forKey: .challenge), chains: chains)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(challenge, forKey: .challenge)
        var texts: [String: [String]] = [:]
        for (kind, chain) in chains { texts[kind.rawValue] = chain.map { Base64URL.encode($0) } }
        try container.encode(texts, forKey: .chains)
    }
}
