public import ThumbturnCore

extension ApprovalDemand: Message {
    package enum CodingKeys: String, CodingKey, CaseIterable { case keys, liveness, acr }

    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let assurance = try container.decodeIfPresent(String.self, forKey: .acr).map { text in
            guard let assurance = Assurance(acr: text) else {
                throw DecodingError.dataCorruptedError(forKey: .acr, in: container, debugDescription: "is no assurance")
            }
            return assurance
        }
        let demand = ApprovalDemand(
            keys: try container.decodeIfPresent([KeyKind].self, forKey: .keys),
            liveness: try container.decodeIfPresent(LivenessLevel.self, forKey: .liveness), assurance: assurance
        )
        guard let demand else {
            throw DecodingError.dataCorruptedError(
                forKey: .keys, in: container,
                debugDescription: "must be absent, [\"biometric\"] or [\"biometric\",\"pin\"]")
        }
        self = demand
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(keys, forKey: .keys)
        try container.encodeIfPresent(liveness, forKey: .liveness)
        try container.encodeIfPresent(assurance?.acr, forKey: .acr)
    }
}
