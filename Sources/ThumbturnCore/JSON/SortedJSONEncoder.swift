/// Writes values as compact JSON with sorted members, straight into one text: no tree of the value is made. So a
/// container is written to before its next sibling is begun, or not at all.
struct SortedJSONEncoder: Encoder {
    private let text: Text
    /// How many objects and lists are open around this value.
    private let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// A number that JSON cannot express: infinity, or none.
    struct Unsupported: Error {}

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let text = Text()
        try text.put(value, at: 0)
        return text.json.bytes
    }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        // A value may write its members in turns.
        let place = text.json.place(at: depth) ?? text.json.open("{")
        return KeyedEncodingContainer(Members<Key>(text: text, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(text: text, place: text.json.open("["))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Value(text: text, depth: depth) }

    // MARK: The text

    /// The text that all containers of one value share.
    private final class Text {
        var json = Growing()

        func put<T: Encodable>(_ value: T, at depth: Int) throws {
            if let text = value as? String { return json.put(text) }
            let start = json.bytes.count
            try value.encode(to: SortedJSONEncoder(text: self, depth: depth))
            json.close(to: depth)
            // The value has written nothing.
            if json.bytes.count == start { json.put(raw: "{}") }
        }
    }

    /// The text so far, and the objects and lists that are open at its end.
    private struct Growing {
        /// One object or list, while it is open; where it starts tells it from others of the same depth.
        struct Place {
            let depth: Int
            fileprivate let start: Int
        }

        private struct Open {
            let isObject: Bool
            /// Where its first member or element begins.
            let start: Int
            var count = 0
            /// Of an object: the names so far, and where each member begins.
            var members: [(name: String, start: Int)] = []
            var isSorted = true
        }

        private(set) var bytes: [UInt8] = []
        private var stack: [Open] = []

        init() {
            // An access token's claims and more.
            bytes.reserveCapacity(768)
        }

        func place(at depth: Int) -> Place? { depth < stack.count ? Place(depth: depth, start: stack[depth].start) : nil }

        mutating func open(_ bracket: Unicode.Scalar) -> Place {
            bytes.append(UInt8(ascii: bracket))
            var opened = Open(isObject: bracket == "{", start: bytes.count)
            // As many as an access token's claims, about.
            if opened.isObject { opened.members.reserveCapacity(12) }
            stack.append(opened)
            return Place(depth: stack.count - 1, start: bytes.count)
        }

        /// Closes everything that is deeper.
        mutating func close(to depth: Int) {
            while stack.count > depth {
                let last = stack.removeLast()
                if !last.isSorted { sort(last) }
                bytes.append(UInt8(ascii: last.isObject ? "}" : "]"))
            }
        }

        private mutating func sort(_ object: Open) {
            let ends = object.members.dropFirst().map { $0.start - 1 } + [bytes.count]
            let members = zip(object.members, ends).map { (name: $0.name, text: Array(bytes[$0.start..<$1])) }
            bytes.removeSubrange(object.start...)
            for (index, member) in members.sorted(by: { $0.name < $1.name }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += member.text
            }
        }

        /// Begins an element of a list.
        mutating func next(in place: Place) {
            precondition(
                place.depth < stack.count && stack[place.depth].start == place.start,
                "a container was written to after its next sibling was begun")
            close(to: place.depth + 1)
            if stack[place.depth].count > 0 { bytes.append(UInt8(ascii: ",")) }
            stack[place.depth].count += 1
        }

        /// Begins a member of an object.
        mutating func next(_ name: String, in place: Place) {
            next(in: place)
            if let last = stack[place.depth].members.last, name < last.name { stack[place.depth].isSorted = false }
            stack[place.depth].members.append((name, bytes.count))
            put(name)
            bytes.append(UInt8(ascii: ":"))
        }

        func count(in place: Place) -> Int { stack[place.depth].count }

        /// The string with quotes, and with the escapes that RFC 8259 section 7 demands.
        mutating func put(_ text: String) {
            bytes.append(UInt8(ascii: "\""))
            let start = bytes.count
            bytes += text.utf8
            if bytes[start...].contains(where: Self.isEscaped) {
                bytes.removeSubrange(start...)
                for byte in text.utf8 { putEscaped(byte) }
            }
            bytes.append(UInt8(ascii: "\""))
        }

        private static func isEscaped(_ byte: UInt8) -> Bool {
            byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        }

        private mutating func putEscaped(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            // The short forms of RFC 8785 section 3.2.2.2, which Foundation writes, too.
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case ..<0x20:
                let hex = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }

        mutating func put(_ number: some BinaryInteger) { put(raw: String(number)) }
        mutating func put(_ number: Double) throws {
            guard number.isFinite else { throw Unsupported() }
            if let whole = Int64(exactly: number) { put(whole) } else { put(raw: "\(number)") }
        }

        mutating func put(_ truth: Bool) { put(raw: truth ? "true" : "false") }
        mutating func putNull() { put(raw: "null") }

        mutating func put(raw text: String) { bytes += text.utf8 }
    }

    // MARK: Containers

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let text: Text
        let place: Growing.Place
        var codingPath: [any CodingKey] { [] }

        private func at(_ key: Key) -> Text {
            text.json.next(key.stringValue, in: place)
            return text
        }

        mutating func encodeNil(forKey key: Key) { at(key).json.putNull() }
        mutating func encode(_ value: Bool, forKey key: Key) { at(key).json.put(value) }
        mutating func encode(_ value: String, forKey key: Key) { at(key).json.put(value) }
        mutating func encode(_ value: Double, forKey key: Key) throws { try at(key).json.put(value) }
        mutating func encode(_ value: Int, forKey key: Key) { at(key).json.put(value) }
        mutating func encode(_ value: Int64, forKey key: Key) { at(key).json.put(value) }
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try at(key).put(value, at: place.depth + 1) }
        mutating func encodeIfPresent(_ value: String?, forKey key: Key) { if let value { encode(value, forKey: key) } }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { superEncoder(forKey: key).container(keyedBy: type) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            superEncoder(forKey: key).unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder {
            text.json.next("super", in: place)
            return SortedJSONEncoder(text: text, depth: place.depth + 1)
        }
        mutating func superEncoder(forKey key: Key) -> any Encoder { SortedJSONEncoder(text: at(key), depth: place.depth + 1) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let text: Text
        let place: Growing.Place
        var codingPath: [any CodingKey] { [] }
        var count: Int { text.json.count(in: place) }

        private func next() -> Text {
            text.json.next(in: place)
            return text
        }

        mutating func encodeNil() { next().json.putNull() }
        mutating func encode(_ value: String) { next().json.put(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try next().put(value, at: place.depth + 1) }
        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            superEncoder().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { SortedJSONEncoder(text: next(), depth: place.depth + 1) }
    }

    private struct Value: SingleValueEncodingContainer {
        let text: Text
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() { text.json.putNull() }
        mutating func encode(_ value: Bool) { text.json.put(value) }
        mutating func encode(_ value: String) { text.json.put(value) }
        mutating func encode(_ value: Double) throws { try text.json.put(value) }
        mutating func encode(_ value: Float) throws { try text.json.put(Double(value)) }
        mutating func encode(_ value: Int) { text.json.put(value) }
        mutating func encode(_ value: Int8) { text.json.put(value) }
        mutating func encode(_ value: Int16) { text.json.put(value) }
        mutating func encode(_ value: Int32) { text.json.put(value) }
        mutating func encode(_ value: Int64) { text.json.put(value) }
        mutating func encode(_ value: UInt) { text.json.put(value) }
        mutating func encode(_ value: UInt8) { text.json.put(value) }
        mutating func encode(_ value: UInt16) { text.json.put(value) }
        mutating func encode(_ value: UInt32) { text.json.put(value) }
        mutating func encode(_ value: UInt64) { text.json.put(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try text.put(value, at: depth) }
    }
}
