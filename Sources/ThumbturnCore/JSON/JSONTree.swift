/// The values of a JSON text and where they lie in it: read once, front to back, with no copy of anything.
package final class JSONTree: Sendable {
    package let bytes: [UInt8]
    /// In the order of the text; a value's members or elements follow it.
    package let nodes: [Node]

    package struct Node: Sendable {
        package var kind: Kind
        /// The value in the text; of a string what is between the quotes.
        package var start: Int32
        package var end: Int32
        /// Whether a string has escapes.
        package var isEscaped = false
        /// Where it is a member: the name, between the quotes.
        package var nameStart: Int32 = 0
        package var nameEnd: Int32 = 0
        package var isNameEscaped = false
        /// How many members or elements it has.
        package var count: Int32 = 0
        /// The index behind the last of its members or elements, where its next sibling is.
        package var next: Int32 = 0
    }

    package enum Kind: Sendable {
        case object, array, string, number, `true`, `false`, null
    }

    /// Why a text is none, and the line, from 1, where reading it stopped.
    package struct Fault: Error, Hashable, Sendable {
        package let line: Int
        package let says: String
    }

    /// Reads a text that everybody reads alike; see `JSONScan`.
    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.first != 0xEF, bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(line: 1, says: "is no UTF-8, or begins with a mark")
        }
        var reader = Reader(bytes: bytes)
        guard reader.value(depth: 0), reader.isAtEnd else {
            let line = 1 + bytes.prefix(reader.index).count { $0 == UInt8(ascii: "\n") }
            throw Fault(line: line, says: reader.says)
        }
        self.bytes = bytes
        nodes = reader.nodes
    }

    /// The string of a node, without its escapes.
    package func string(_ node: Node) -> String {
        text(node.start, node.end, isEscaped: node.isEscaped)
    }

    /// The name of a member, without its escapes.
    package func name(_ node: Node) -> String {
        text(node.nameStart, node.nameEnd, isEscaped: node.isNameEscaped)
    }

    /// The index of an object's member, nil where there is none.
    package func member(_ name: String, of index: Int) -> Int? {
        var at = index + 1
        for _ in 0..<nodes[index].count {
            let node = nodes[at]
            if node.isNameEscaped {
                if self.name(node) == name { return at }
            } else if Int(node.nameEnd - node.nameStart) == name.utf8.count,
                bytes[Int(node.nameStart)..<Int(node.nameEnd)].elementsEqual(name.utf8)
            {
                return at
            }
            at = Int(node.next)
        }
        return nil
    }

    private func text(_ start: Int32, _ end: Int32, isEscaped: Bool) -> String {
        let raw = bytes[Int(start)..<Int(end)]
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        // Reading it has made sure that its escapes mean something.
        return JSONEscapes.text(raw) ?? ""
    }
}

private struct Reader {
    let bytes: [UInt8]
    var index = 0
    var says = "is no JSON"
    var nodes: [JSONTree.Node] = []
    /// Our own messages are three deep.
    private static let maximumDepth = 16

    init(bytes: [UInt8]) {
        self.bytes = bytes
        nodes.reserveCapacity(16)
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == bytes.count
        }
    }

    mutating func value(depth: Int) -> Bool {
        guard depth <= Self.maximumDepth else {
            says = "is nested more than \(Self.maximumDepth) deep"
            return false
        }
        skipSpace()
        let start = Int32(index)
        let at = nodes.count
        nodes.append(JSONTree.Node(kind: .null, start: start, end: start))
        switch peek {
        case UInt8(ascii: "{"):
            guard let count = object(at, depth: depth) else { return false }
            nodes[at].kind = .object
            nodes[at].count = count
        case UInt8(ascii: "["):
            guard let count = array(depth: depth) else { return false }
            nodes[at].kind = .array
            nodes[at].count = count
        case UInt8(ascii: "\""):
            guard let string = string() else { return false }
            nodes[at].kind = .string
            (nodes[at].start, nodes[at].end, nodes[at].isEscaped) = string
        default:
            guard let kind = literal() else { return false }
            nodes[at].kind = kind
        }
        if nodes[at].kind != .string { nodes[at].end = Int32(index) }
        nodes[at].next = Int32(nodes.count)
        return true
    }

    private mutating func object(_ at: Int, depth: Int) -> Int32? {
        index += 1
        var count: Int32 = 0
        if take("}") { return count }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\""), let name = string() else { return nil }
            guard isNew(name, among: at + 1, count) else {
                says = "holds a member twice in one object"
                return nil
            }
            let member = nodes.count
            guard take(":"), value(depth: depth + 1) else { return nil }
            (nodes[member].nameStart, nodes[member].nameEnd, nodes[member].isNameEscaped) = name
            count += 1
        } while take(",")
        return take("}") ? count : nil
    }

    /// Two spellings of one name are one name.
    private func isNew(_ name: (start: Int32, end: Int32, isEscaped: Bool), among first: Int, _ count: Int32) -> Bool {
        let raw = bytes[Int(name.start)..<Int(name.end)]
        var at = first
        for _ in 0..<count {
            let other = nodes[at]
            let theirs = bytes[Int(other.nameStart)..<Int(other.nameEnd)]
            if name.isEscaped || other.isNameEscaped {
                if JSONEscapes.scalars(raw) == JSONEscapes.scalars(theirs) { return false }
            } else if raw.count == theirs.count, raw.elementsEqual(theirs) {
                return false
            }
            at = Int(other.next)
        }
        return true
    }

    private mutating func array(depth: Int) -> Int32? {
        index += 1
        var count: Int32 = 0
        if take("]") { return count }
        repeat {
            guard value(depth: depth + 1) else { return nil }
            count += 1
        } while take(",")
        return take("]") ? count : nil
    }

    private mutating func string() -> (start: Int32, end: Int32, isEscaped: Bool)? {
        index += 1
        let start = index
        var isEscaped = false
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { return nil }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                index += 1
            }
            index += 1
        }
        guard index < bytes.count else { return nil }
        let end = index
        index += 1
        guard !isEscaped || JSONEscapes.scalars(bytes[start..<end]) != nil else { return nil }
        return (Int32(start), Int32(end), isEscaped)
    }

    private mutating func literal() -> JSONTree.Kind? {
        let start = index
        while let byte = peek, !Self.ends.contains(byte) { index += 1 }
        let text = bytes[start..<index]
        switch text.first {
        case UInt8(ascii: "t") where text.elementsEqual("true".utf8): return .true
        case UInt8(ascii: "f") where text.elementsEqual("false".utf8): return .false
        case UInt8(ascii: "n") where text.elementsEqual("null".utf8): return .null
        default:
            if Self.isNumber(text) { return .number }
            index = start
            return nil
        }
    }

    /// `-` digits `.` digits `e` digits (RFC 8259 section 6), of which only the first digits are needed.
    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func digits() -> Int {
            let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest.removeFirst(found)
            return found
        }
        _ = skip("-")
        let leadsWithZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !leadsWithZero) else { return false }
        if skip("."), digits() == 0 { return false }
        if skip("eE") {
            _ = skip("+-")
            if digits() == 0 { return false }
        }
        return rest.isEmpty
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private static let ends: [UInt8] = [0x20, 0x09, 0x0A, 0x0D] + Array(",:{}[]\"".utf8)
}

/// What escapes in a JSON string stand for.
enum JSONEscapes {
    static func scalars(_ raw: ArraySlice<UInt8>) -> [Unicode.Scalar]? { text(raw).map { Array($0.unicodeScalars) } }

    /// Nil where an escape means nothing: an unknown one, half a pair of surrogates, or U+0000.
    static func text(_ raw: ArraySlice<UInt8>) -> String? {
        // UTF-16 is what \u speaks; surrogates pair up when it is read as a whole.
        var units: [UInt16] = []
        var rest = Array(String(decoding: raw, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == UInt16(UInt8(ascii: "\\")) else {
                units.append(unit)
                continue
            }
            guard let escape = rest.popFirst() else { return nil }
            switch escape {
            case 0x22, 0x5C, 0x2F: units.append(escape)
            case 0x62: units.append(8)
            case 0x66: units.append(12)
            case 0x6E: units.append(10)
            case 0x72: units.append(13)
            case 0x74: units.append(9)
            case 0x75:
                let digits = rest.prefix(4)
                guard digits.count == 4, let text = String(validating: digits, as: UTF16.self),
                    text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                    let code = UInt16(text, radix: 16),
                    code != 0
                else { return nil }
                units.append(code)
                rest = rest.dropFirst(4)
            default: return nil
            }
        }
        return String(validating: units, as: UTF16.self)
    }
}
