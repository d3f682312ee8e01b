/// Writes the fields of a message for the bridge to Java: each is its length (4 bytes, most significant first) and its bytes.
struct BridgeWriter {
    private(set) var message: [UInt8] = []

    /// Appends bytes; nil is a field of its own kind and no empty one.
    mutating func put(_ bytes: [UInt8]?) {
        guard let bytes else { return append(UInt64(UInt32.max), bytes: 4) }
        precondition(bytes.count <= Int32.max, "a field has no more bytes than its length can tell")
        append(UInt64(bytes.count), bytes: 4)
        message += bytes
    }

    /// Appends a number, 8 bytes.
    mutating func put(_ number: Int64) {
        append(8, bytes: 4)
        append(UInt64(bitPattern: number), bytes: 8)
    }

    mutating func put(_ flag: Bool) { put(Int64(flag ? 1 : 0)) }

    /// Appends a text as UTF-8.
    mutating func put(_ text: String?) { put(text.map { Array($0.utf8) }) }

    private mutating func append(_ number: UInt64, bytes: UInt64) {
        for place in (0..<bytes).reversed() { message.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
}

/// Reads the fields of a message in their order. It copies each byte at most once, and throws for everything that the contract
/// does not allow, whatever the bytes are.
struct BridgeReader {
    private var rest: ArraySlice<UInt8>

    init(_ message: [UInt8]) { rest = message[...] }

    /// What is wrong with a message.
    enum Malformed: Error, Hashable {
        /// It ends within a field, or before one.
        case cut
        /// A length below -1.
        case length
        /// A field of another type, or null where that has no meaning.
        case type
        /// A text that is not UTF-8.
        case text
        /// A list with more elements than bytes are left.
        case count
        /// Bytes after the last field.
        case more
    }

    /// The next field; nil for null.
    mutating func optionalBytes() throws(Malformed) -> [UInt8]? {
        let length = Int32(bitPattern: UInt32(truncatingIfNeeded: Self.number(try take(4))))
        guard length >= -1 else { throw .length }
        return length == -1 ? nil : Array(try take(Int(length)))
    }

    mutating func bytes() throws(Malformed) -> [UInt8] {
        guard let bytes = try optionalBytes() else { throw .type }
        return bytes
    }

    /// A number; nil for null.
    mutating func optionalNumber() throws(Malformed) -> Int64? {
        guard let bytes = try optionalBytes() else { return nil }
        guard bytes.count == 8 else { throw .type }
        return Int64(bitPattern: Self.number(bytes[...]))
    }

    mutating func number() throws(Malformed) -> Int64 {
        guard let number = try optionalNumber() else { throw .type }
        return number
    }

    /// A flag; nil for null.
    mutating func optionalFlag() throws(Malformed) -> Bool? {
        switch try optionalNumber() {
        case 0: false
        case 1: true
        case nil: nil
        default: throw .type
        }
    }

    mutating func flag() throws(Malformed) -> Bool {
        guard let flag = try optionalFlag() else { throw .type }
        return flag
    }

    /// A text; nil for null.
    mutating func optionalText() throws(Malformed) -> String? {
        guard let bytes = try optionalBytes() else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .text }
        return text
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = try optionalText() else { throw .type }
        return text
    }

    /// A list, whose elements the closure reads.
    mutating func list<Element>(
        _ element: (inout BridgeReader) throws(Malformed) -> Element
    ) throws(Malformed) -> [Element] {
        let count = try number()
        // A field has at least its length, so a list cannot have more elements than that.
        guard count >= 0, count <= rest.count / 4 else { throw .count }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// Throws unless every byte was read.
    func end() throws(Malformed) {
        guard rest.isEmpty else { throw .more }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .cut }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
