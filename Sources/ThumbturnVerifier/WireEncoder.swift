import ThumbturnCore

/// Writes values as compact JSON with sorted members, for the same reason that `WireDecoder` reads them.
struct WireEncoder: Encoder {
    /// What was written at one place.
    final class Part {
        enum Content {
            case nothing
            case text([UInt8])
            case object([(name: String, part: Part)])
            case array([Part])
        }
        var content = Content.nothing

        func write(to bytes: inout [UInt8]) {
            switch content {
            case .nothing: bytes += "{}".utf8
            case .text(let text): bytes += text
            case .object(let members):
                bytes.append(UInt8(ascii: "{"))
                var isFirst = true
                for (name, part) in members.sorted(by: { $0.name < $1.name }) {
                    if !isFirst { bytes.append(UInt8(ascii: ",")) }
                    isFirst = false
                    WireEncoder.quote(name, to: &bytes)
                    bytes.append(UInt8(ascii: ":"))
                    part.write(to: &bytes)
                }
                bytes.append(UInt8(ascii: "}"))
            case .array(let parts):
                bytes.append(UInt8(ascii: "["))
                for (index, part) in parts.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    part.write(to: &bytes)
                }
                bytes.append(UInt8(ascii: "]"))
            }
        }
    }

    let part: Part

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let part = Part()
        try WireEncoder(part: part).put(value)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        part.write(to: &bytes)
        return bytes
    }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        // A value may write its members in turns.
        if case .object = part.content {} else { part.content = .object([]) }
        return KeyedEncodingContainer(Members<Key>(part: part))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        part.content = .array([])
        return Elements(part: part)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Value(part: part) }

    // MARK: Values

    /// A number that JSON cannot say.
    struct Unsupported: Error {}

    func put<T: Encodable>(_ value: T) throws {
        if let text = value as? String { put(text) } else { try value.encode(to: self) }
    }

    func put(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        Self.quote(text, to: &bytes)
        part.content = .text(bytes)
    }

    func putNumber(_ number: some BinaryInteger) { part.content = .text(Array(String(number).utf8)) }
    func putFraction(_ number: Double) throws {
        guard number.isFinite else { throw Unsupported() }
        if let whole = Int64(exactly: number) { putNumber(whole) } else { part.content = .text(Array("\(number)".utf8)) }
    }

    func put(_ truth: Bool) { part.content = .text(Array((truth ? "true" : "false").utf8)) }
    func putNull() { part.content = .text(Array("null".utf8)) }

    /// The string with quotes, and with the escapes that RFC 8259 section 7 demands.
    static func quote(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20:
                let hex = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Containers

    struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let part: Part
        var codingPath: [any CodingKey] { [] }

        private func at(_ key: Key) -> WireEncoder {
            let member = Part()
            guard case .object(var members) = part.content else { return WireEncoder(part: member) }
            part.content = .nothing
            members.append((key.stringValue, member))
            part.content = .object(members)
            return WireEncoder(part: member)
        }

        mutating func encodeNil(forKey key: Key) { at(key).putNull() }
        mutating func encode(_ value: Bool, forKey key: Key) { at(key).put(value) }
        mutating func encode(_ value: String, forKey key: Key) { at(key).put(value) }
        mutating func encode(_ value: Double, forKey key: Key) throws { try at(key).putFraction(value) }
        mutating func encode(_ value: Float, forKey key: Key) throws { throw Unsupported() }
        mutating func encode(_ value: Int, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: Int8, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: Int16, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: Int32, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: Int64, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: UInt, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: UInt8, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: UInt16, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: UInt32, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode(_ value: UInt64, forKey key: Key) { at(key).putNumber(value) }
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try at(key).put(value) }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { at(key).container(keyedBy: type) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { at(key).unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { WireEncoder(part: Part()) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { at(key) }
    }

    struct Elements: UnkeyedEncodingContainer {
        let part: Part
        var codingPath: [any CodingKey] { [] }
        var count: Int {
            if case .array(let parts) = part.content { parts.count } else { 0 }
        }

        private func next() -> WireEncoder {
            let element = Part()
            guard case .array(var parts) = part.content else { return WireEncoder(part: element) }
            part.content = .nothing
            parts.append(element)
            part.content = .array(parts)
            return WireEncoder(part: element)
        }

        mutating func encodeNil() { next().putNull() }
        mutating func encode(_ value: String) { next().put(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try next().put(value) }
        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            next().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { next() }
    }

    struct Value: SingleValueEncodingContainer {
        let part: Part
        var codingPath: [any CodingKey] { [] }
        private var here: WireEncoder { WireEncoder(part: part) }

        init(part: Part) {
            self.part = part
        }

        mutating func encodeNil() { here.putNull() }
        mutating func encode(_ value: Bool) { here.put(value) }
        mutating func encode(_ value: String) { here.put(value) }
        mutating func encode(_ value: Double) throws { try here.putFraction(value) }
        mutating func encode(_ value: Float) throws { throw Unsupported() }
        mutating func encode(_ value: Int) { here.putNumber(value) }
        mutating func encode(_ value: Int8) { here.putNumber(value) }
        mutating func encode(_ value: Int16) { here.putNumber(value) }
        mutating func encode(_ value: Int32) { here.putNumber(value) }
        mutating func encode(_ value: Int64) { here.putNumber(value) }
        mutating func encode(_ value: UInt) { here.putNumber(value) }
        mutating func encode(_ value: UInt8) { here.putNumber(value) }
        mutating func encode(_ value: UInt16) { here.putNumber(value) }
        mutating func encode(_ value: UInt32) { here.putNumber(value) }
        mutating func encode(_ value: UInt64) { here.putNumber(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try here.put(value) }
    }
}
