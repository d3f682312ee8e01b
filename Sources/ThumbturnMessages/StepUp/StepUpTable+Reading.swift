package import ThumbturnCore

extension StepUpTable: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case format, version, preset, actions }

    /// The value of the member `format`.
    public static let format = "thumbturn-policy/1"

    /// The most bytes of a policy file: 64 KiB.
    package static let largestFile = 64 * 1024

    /// Reads the bytes of a policy file.
    package init(json: [UInt8]) throws(JSONError) {
        guard json.count <= Self.largestFile else { throw JSONError(.path(""), "is longer than 64 KiB") }
        self = try StrictJSON.decodeIgnoringUnknown(StepUpTable.self, from: json)
    }

    /// Reads a table: `format`, `version` if there is one, and `preset` or `actions` or both. An action of the file replaces the
    /// preset's whole rule. Throws `DecodingError` with the place and the reason for a member that is unknown, absent or invalid.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(String.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: values, debugDescription: "is not \"\(Self.format)\"")
        }
        var table = StepUpTable(actions: [:])
        if let name = try values.decodeIfPresent(String.self, forKey: .preset) {
            guard let preset = Self.presets[name] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .preset, in: values, debugDescription: "is neither \"standard\" nor \"regulated\"")
            }
            table = preset
        }
        if values.contains(.actions) {
            let rules = try values.nestedContainer(keyedBy: ActionName.self, forKey: .actions)
            for name in rules.allKeys {
                guard StepUpAction.isName(name.stringValue) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: name, in: rules, debugDescription: "a name is 1 to 64 of a to z, 0 to 9 and -")
                }
                table.actions[name.stringValue] = try rules.decode(ActionRule.self, forKey: name)
            }
        }
        table.version = try values.decodeIfPresent(Int64.self, forKey: .version)
        guard !table.actions.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "names no action, so everything would be denied"))
        }
        self = table
    }

    private struct ActionName: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension ActionRule: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case maximumAge = "max_age"
        case keys, credentials, unlock, protection, verification
        case oneOf = "one_of"
        case thresholds
    }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: values, debugDescription: reason)
        }
        let seconds = try values.decode(Int64.self, forKey: .maximumAge)
        guard (0...300).contains(seconds) else { throw refuse(.maximumAge, "is 0 to 300 s") }
        self.init(maximumAge: .seconds(seconds))
        keys = try values.decodeIfPresent([KeyKind].self, forKey: .keys) ?? keys
        guard !keys.isEmpty, Set(keys).count == keys.count else { throw refuse(.keys, "names at least one kind, and none twice") }
        guard !keys.contains(.session) else { throw refuse(.keys, "a session key proves no presence") }
        takesCredentials = try values.decodeIfPresent(Bool.self, forKey: .credentials) ?? false
        guard !takesCredentials || !signsEach else {
            throw refuse(.credentials, "needs a max_age above 0, because a sign-in is no signature for each use")
        }
        takesUnlock = try values.decodeIfPresent(Bool.self, forKey: .unlock) ?? false
        guard !takesUnlock || !signsEach else {
            throw refuse(.unlock, "needs a max_age above 0, because an unlock is no signature for each use")
        }
        assurance.protection = try values.decodeIfPresent(KeyProtection.self, forKey: .protection) ?? assurance.protection
        assurance.verification =
            try values.decodeIfPresent(UserVerification.self, forKey: .verification) ?? assurance.verification
        if values.contains(.oneOf) {
            oneOf = try values.furtherProofs(forKey: .oneOf)
        }
        if values.contains(.thresholds) {
            thresholds = try values.decode([Threshold].self, forKey: .thresholds)
            guard !thresholds.isEmpty else { throw refuse(.thresholds, "is empty; leave it out to have none") }
            guard Set(thresholds.map(\.above)).count == thresholds.count else {
                throw refuse(.thresholds, "has two entries for one amount")
            }
        }
    }
}

extension ActionRule.Threshold: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case currency, above
        case oneOf = "one_of"
    }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: values, debugDescription: reason)
        }
        let currency = try values.decode(String.self, forKey: .currency)
        guard Money.isCurrency(currency) else { throw refuse(.currency, "is three capital letters (ISO 4217)") }
        guard let above = Money(minor: try values.decode(Int64.self, forKey: .above), currency: currency) else {
            throw refuse(.above, "is 0 to 999999999999999 whole minor units")
        }
        let oneOf = try values.furtherProofs(forKey: .oneOf)
        self.init(above: above, oneOf: oneOf)
    }
}

extension KeyedDecodingContainer {
    /// A list of proofs, one of which is demanded. An empty one would demand nothing without saying so.
    fileprivate func furtherProofs(forKey key: Key) throws -> [FurtherProof] {
        let proofs = try decode([FurtherProof].self, forKey: key)
        guard !proofs.isEmpty, Set(proofs).count == proofs.count else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "names at least one further proof, and none twice")
        }
        return proofs
    }
}
