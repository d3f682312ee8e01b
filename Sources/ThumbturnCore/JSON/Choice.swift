/// One of several alternatives in JSON: its name alone (`"hintShown"`), or an object whose only member has its name and
/// carries a value (`{"retry": 1}`).
struct Choice {
    let name: String
    private let carried: KeyedDecodingContainer<JSONPathKey>?
    private let codingPath: [any CodingKey]

    init(from decoder: any Decoder) throws {
        codingPath = decoder.codingPath
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            (self.name, carried) = (name, nil)
            return
        }
        let container = try decoder.container(keyedBy: JSONPathKey.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "is not one choice"))
        }
        (name, carried) = (key.stringValue, container)
    }

    /// Whether it is the name alone.
    var isBare: Bool { carried == nil }

    /// What it carries.
    func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
        guard let carried else { throw unknown }
        return try carried.decode(Value.self, forKey: JSONPathKey(name))
    }

    /// The members that it carries. Throws where there are others.
    func members<Key: CodingKey & CaseIterable>(_: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let carried else { throw unknown }
        let decoder = try carried.superDecoder(forKey: JSONPathKey(name))
        try StrictKeys.check(decoder, Array(Key.allCases))
        return try decoder.container(keyedBy: Key.self)
    }

    var unknown: DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "\"\(name)\" has no meaning here"))
    }
}

extension Encoder {
    /// Writes a choice that carries nothing.
    func encode(choice name: String) throws {
        var container = singleValueContainer()
        try container.encode(name)
    }

    /// Writes a choice that carries a value.
    func encode(choice name: String, _ value: some Encodable) throws {
        var container = container(keyedBy: JSONPathKey.self)
        try container.encode(value, forKey: JSONPathKey(name))
    }

    /// Writes a choice that carries members.
    func encode<Key: CodingKey>(
        choice name: String, _ write: (inout KeyedEncodingContainer<Key>) throws -> Void
    ) throws {
        var container = container(keyedBy: JSONPathKey.self)
        var members = container.nestedContainer(keyedBy: Key.self, forKey: JSONPathKey(name))
        try write(&members)
    }
}
