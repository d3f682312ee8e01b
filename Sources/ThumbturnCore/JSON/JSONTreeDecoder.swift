/// Decodes values from a `JSONTree`.
///
/// Foundation's decoder reads the text anew and takes several times as long, and judging a proof is little else than
/// reading JSON and two signatures. Decoders of the standard library carry their path with them; this one finds it in
/// the tree when an error needs it.
struct JSONTreeDecoder: Decoder {
    let tree: JSONTree
    let index: Int
    /// Whether a `Message` with members that it does not know is refused, here and deeper.
    let refusesUnknownMembers: Bool

    var codingPath: [any CodingKey] { tree.path(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var node: JSONTree.Node { tree.nodes[index] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw mismatch(JSONTree.Kind.object.name, [String: Any].self) }
        return KeyedDecodingContainer(Members<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw mismatch(JSONTree.Kind.array.name, [Any].self) }
        return Elements(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Value(decoder: self) }

    func child(at index: Int) -> JSONTreeDecoder {
        JSONTreeDecoder(tree: tree, index: index, refusesUnknownMembers: refusesUnknownMembers)
    }

    // MARK: Values

    func value<T: Decodable>(_ type: T.Type) throws -> T {
        if type == String.self, let text = try string() as? T { return text }
        // Only an object has members, and asking a type whether it is a message takes longer than most of these values.
        if refusesUnknownMembers, node.kind == .object, let message = type as? any Message.Type {
            try refuseUnknownMembers(of: message)
        }
        return try T(from: self)
    }

    private func refuseUnknownMembers<Value: Message>(of type: Value.Type) throws {
        let known = Value.CodingKeys.allCases
        let present = known.count { tree.member($0.stringValue, of: index) != nil }
        guard present < Int(node.count) else { return }
        let unknown = tree.children(of: index).map { tree.name(tree.nodes[$0]) }.first { name in
            !known.contains { $0.stringValue == name }
        }
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath + [JSONPathKey(unknown ?? "")], debugDescription: StrictKeys.problem)
        )
    }

    func string() throws -> String {
        guard node.kind == .string else { throw mismatch(JSONTree.Kind.string.name, String.self) }
        return tree.string(node)
    }

    func bool() throws -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw mismatch("true or false", Bool.self)
        }
    }

    func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard node.kind == .number else { throw mismatch("a whole number", type) }
        let text = tree.number(node)
        // 1.0 and 1e0 are whole, too.
        guard let number = Number(text) ?? Double(text).flatMap({ Number(exactly: $0) }) else {
            throw mismatch("a whole number of at most \(Number.bitWidth) bits", type, found: text)
        }
        return number
    }

    /// A number with a fraction, for example a score.
    func fraction() throws -> Double {
        guard node.kind == .number, let number = Double(tree.number(node)), number.isFinite else {
            throw mismatch("a number", Double.self)
        }
        return number
    }

    func mismatch(_ expected: String, _ type: Any.Type, found: String? = nil) -> DecodingError {
        let problem = "expected \(expected), found \(found ?? node.kind.name)"
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: problem))
    }

    // MARK: Containers

    /// The types that have no method of their own here go through the generic one, and come back through a single
    /// value.
    struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: JSONTreeDecoder
        private let byName: [ArraySlice<UInt8>: Int]?

        init(decoder: JSONTreeDecoder) {
            self.decoder = decoder
            byName = decoder.tree.membersByName(of: decoder.index)
        }

        private func find(_ name: String) -> Int? {
            guard let byName else { return decoder.tree.member(name, of: decoder.index) }
            return byName[ArraySlice(name.utf8)]
        }

        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] {
            decoder.tree.children(of: decoder.index).compactMap { Key(stringValue: decoder.tree.name(decoder.tree.nodes[$0])) }
        }

        func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

        private func member(_ key: Key) throws -> JSONTreeDecoder {
            guard let at = find(key.stringValue) else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: codingPath, debugDescription: "lacks the member \"\(key.stringValue)\""))
            }
            return decoder.child(at: at)
        }

        /// Nil where it is absent or null.
        private func given(_ key: Key) -> JSONTreeDecoder? {
            guard let at = find(key.stringValue), decoder.tree.nodes[at].kind != .null else {
                return nil
            }
            return decoder.child(at: at)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try member(key).node.kind == .null }
        func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
        func decode(_: String.Type, forKey key: Key) throws -> String { try member(key).string() }
        func decode(_: Double.Type, forKey key: Key) throws -> Double { try member(key).fraction() }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).whole(type) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).whole(type) }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).value(type) }
        func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try given(key)?.string() }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try given(key)?.value(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder {
            guard let at = find("super") else {
                throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "lacks the member \"super\""))
            }
            return decoder.child(at: at)
        }
        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
    }

    struct Elements: UnkeyedDecodingContainer {
        let decoder: JSONTreeDecoder
        private(set) var currentIndex = 0
        private var at: Int

        init(decoder: JSONTreeDecoder) {
            self.decoder = decoder
            at = decoder.index + 1
        }

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { Int(decoder.node.count) }
        var isAtEnd: Bool { currentIndex >= Int(decoder.node.count) }

        private mutating func next() throws -> JSONTreeDecoder {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    Any.self, .init(codingPath: codingPath, debugDescription: "has only \(decoder.node.count) elements"))
            }
            let element = decoder.child(at: at)
            at = Int(element.node.next)
            currentIndex += 1
            return element
        }

        mutating func decodeNil() throws -> Bool {
            let before = self
            if try next().node.kind == .null { return true }
            // What is not null is still to be decoded.
            self = before
            return false
        }
        mutating func decode(_: String.Type) throws -> String { try next().string() }
        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    struct Value: SingleValueDecodingContainer {
        let decoder: JSONTreeDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }
        func decodeNil() -> Bool { decoder.node.kind == .null }
        func decode(_: Bool.Type) throws -> Bool { try decoder.bool() }
        func decode(_: String.Type) throws -> String { try decoder.string() }
        func decode(_: Double.Type) throws -> Double { try decoder.fraction() }
        func decode(_: Float.Type) throws -> Float { Float(try decoder.fraction()) }
        func decode(_ type: Int.Type) throws -> Int { try decoder.whole(type) }
        func decode(_ type: Int8.Type) throws -> Int8 { try decoder.whole(type) }
        func decode(_ type: Int16.Type) throws -> Int16 { try decoder.whole(type) }
        func decode(_ type: Int32.Type) throws -> Int32 { try decoder.whole(type) }
        func decode(_ type: Int64.Type) throws -> Int64 { try decoder.whole(type) }
        func decode(_ type: UInt.Type) throws -> UInt { try decoder.whole(type) }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.whole(type) }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.whole(type) }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.whole(type) }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.whole(type) }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
    }
}
