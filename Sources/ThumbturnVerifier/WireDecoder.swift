import ThumbturnCore

/// Decodes values from a `JSONTree`. Foundation's decoder reads the text anew and takes several times as long, and judging a proof is
/// little else than reading JSON and two signatures.
///
/// Numbers, texts, truth values, lists and objects are all that our messages have.
struct WireDecoder: Decoder {
    let tree: JSONTree
    let index: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The text is not what the type wants. The caller says `malformed`, so nothing more is kept.
    enum Fault: Error {
        case notWhatIsWanted
    }

    var node: JSONTree.Node { tree.nodes[index] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw Fault.notWhatIsWanted }
        return KeyedDecodingContainer(Members<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw Fault.notWhatIsWanted }
        return Elements(decoder: self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Value(decoder: self) }

    // MARK: Values

    func string() throws -> String {
        guard node.kind == .string else { throw Fault.notWhatIsWanted }
        return tree.string(node)
    }

    func bool() throws -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw Fault.notWhatIsWanted
        }
    }

    func whole<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
        guard node.kind == .number else { throw Fault.notWhatIsWanted }
        let text = String(decoding: tree.bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
        // 1.0 and 1e0 are whole, too.
        guard let number = Number(text) ?? Double(text).flatMap({ Number(exactly: $0) }) else { throw Fault.notWhatIsWanted }
        return number
    }

    /// A score, for example.
    func fraction() throws -> Double {
        guard node.kind == .number else { throw Fault.notWhatIsWanted }
        let text = String(decoding: tree.bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw Fault.notWhatIsWanted }
        return number
    }

    func value<T: Decodable>(_ type: T.Type) throws -> T {
        if type == String.self, let text = try string() as? T { return text }
        return try T(from: self)
    }

    // MARK: Containers

    struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: WireDecoder

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] {
            var keys: [Key] = []
            var at = decoder.index + 1
            for _ in 0..<decoder.node.count {
                if let key = Key(stringValue: decoder.tree.name(decoder.tree.nodes[at])) { keys.append(key) }
                at = Int(decoder.tree.nodes[at].next)
            }
            return keys
        }

        func contains(_ key: Key) -> Bool { decoder.tree.member(key.stringValue, of: decoder.index) != nil }

        func member(_ key: Key) throws -> WireDecoder {
            guard let at = decoder.tree.member(key.stringValue, of: decoder.index) else { throw Fault.notWhatIsWanted }
            return WireDecoder(tree: decoder.tree, index: at)
        }

        /// Nil where it is absent or null.
        private func given(_ key: Key) -> WireDecoder? {
            guard let at = decoder.tree.member(key.stringValue, of: decoder.index), decoder.tree.nodes[at].kind != .null else {
                return nil
            }
            return WireDecoder(tree: decoder.tree, index: at)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try member(key).node.kind == .null }
        func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try member(key).bool() }
        func decode(_: String.Type, forKey key: Key) throws -> String { try member(key).string() }
        func decode(_: Double.Type, forKey key: Key) throws -> Double { try member(key).fraction() }
        func decode(_: Float.Type, forKey key: Key) throws -> Float { throw Fault.notWhatIsWanted }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).whole(type) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).whole(type) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).whole(type) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).whole(type) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).whole(type) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).whole(type) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).whole(type) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).whole(type) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).whole(type) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).whole(type) }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).value(type) }
        func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try given(key)?.string() }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try given(key)?.value(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { throw Fault.notWhatIsWanted }
        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
    }

    struct Elements: UnkeyedDecodingContainer {
        let decoder: WireDecoder
        var currentIndex = 0
        private var at: Int

        init(decoder: WireDecoder) {
            self.decoder = decoder
            at = decoder.index + 1
        }

        var codingPath: [any CodingKey] { [] }
        var count: Int? { Int(decoder.node.count) }
        var isAtEnd: Bool { currentIndex >= Int(decoder.node.count) }

        private mutating func next() throws -> WireDecoder {
            guard !isAtEnd else { throw Fault.notWhatIsWanted }
            let element = WireDecoder(tree: decoder.tree, index: at)
            at = Int(element.node.next)
            currentIndex += 1
            return element
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd else { throw Fault.notWhatIsWanted }
            guard decoder.tree.nodes[at].kind == .null else { return false }
            _ = try next()
            return true
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
        let decoder: WireDecoder

        var codingPath: [any CodingKey] { [] }
        func decodeNil() -> Bool { decoder.node.kind == .null }
        func decode(_: Bool.Type) throws -> Bool { try decoder.bool() }
        func decode(_: String.Type) throws -> String { try decoder.string() }
        func decode(_: Double.Type) throws -> Double { try decoder.fraction() }
        func decode(_: Float.Type) throws -> Float { throw Fault.notWhatIsWanted }
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
