/// Reads the nodes of a `JSONTree`.
struct JSONTreeReader {
    let bytes: [UInt8]
    private let maximumMembers: Int
    private(set) var nodes: [JSONTree.Node] = []
    private(set) var unescaped: [String] = []
    private(set) var steps = 0
    private var index = 0

    init(bytes: [UInt8], maximumMembers: Int) {
        self.bytes = bytes
        self.maximumMembers = maximumMembers
        nodes.reserveCapacity(16)
    }

    /// Reads the one value of the text.
    mutating func read() throws(JSONError) {
        try value(in: -1, at: 0, depth: 0)
        skipSpace()
        guard index == bytes.count else { throw unexpected("the end") }
        steps += bytes.count
    }

    private mutating func value(in parent: Int, at position: Int32, depth: Int) throws(JSONError) {
        guard depth <= StrictJSON.maximumDepth else {
            throw error("is nested more than \(StrictJSON.maximumDepth) deep")
        }
        skipSpace()
        let start = Int32(index)
        let at = nodes.count
        nodes.append(JSONTree.Node(kind: .null, start: start, end: start, parent: Int32(parent), position: position))
        switch peek {
        case UInt8(ascii: "{"):
            nodes[at].kind = .object
            nodes[at].count = try members(of: at, depth: depth)
            nodes[at].end = Int32(index)
        case UInt8(ascii: "["):
            nodes[at].kind = .array
            nodes[at].count = try elements(of: at, depth: depth)
            nodes[at].end = Int32(index)
        case UInt8(ascii: "\""):
            nodes[at].kind = .string
            (nodes[at].start, nodes[at].end, nodes[at].unescaped) = try string()
        default:
            nodes[at].kind = try literal()
            nodes[at].end = Int32(index)
        }
        nodes[at].next = Int32(nodes.count)
    }

    private mutating func members(of object: Int, depth: Int) throws(JSONError) -> Int32 {
        index += 1
        if take("}") { return 0 }
        var count: Int32 = 0
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw unexpected("the name of a member") }
            guard count < maximumMembers else {
                throw error("has more than \(maximumMembers) members in one object")
            }
            let name = try string()
            let member = nodes.count
            guard take(":") else { throw unexpected("\":\"") }
            try value(in: object, at: count, depth: depth + 1)
            (nodes[member].nameStart, nodes[member].nameEnd, nodes[member].unescapedName) = name
            count += 1
        } while take(",")
        guard take("}") else { throw unexpected("\",\" or \"}\"") }
        try checkNames(of: object, count)
        return count
    }

    /// Refuses an object with two members of one name. Two spellings of a name are one name.
    ///
    /// Each name goes into a set once, so the work is in proportion to the names. The set compares bytes, because
    /// strings also compare equal where their bytes differ (é as one scalar, and as two).
    private mutating func checkNames(of object: Int, _ count: Int32) throws(JSONError) {
        var at = object + 1
        if count <= Self.fewMembers, !hasEscapedName(object, count) {
            // Hashing costs more than the few comparisons, most of which see two lengths.
            for position in 1..<count {
                at = Int(nodes[at].next)
                var other = object + 1
                for _ in 0..<position {
                    steps += 1 + (hasOneLength(nodes[at], nodes[other]) ? Int(nodes[at].nameEnd - nodes[at].nameStart) : 0)
                    if isSameName(nodes[at], nodes[other]) { throw duplicate(nodes[at]) }
                    other = Int(nodes[other].next)
                }
            }
            return
        }
        var seen: Set<ArraySlice<UInt8>> = []
        seen.reserveCapacity(Int(count))
        for _ in 0..<count {
            let name = name(nodes[at])
            steps += 1 + name.count
            guard seen.insert(name).inserted else { throw duplicate(nodes[at]) }
            at = Int(nodes[at].next)
        }
    }

    /// As many as the claims of an access token have, and some more.
    static let fewMembers: Int32 = 16

    /// Whether a name has escapes. Each comparison would copy it without them.
    private func hasEscapedName(_ object: Int, _ count: Int32) -> Bool {
        var at = object + 1
        for _ in 0..<count {
            if nodes[at].unescapedName != nil { return true }
            at = Int(nodes[at].next)
        }
        return false
    }

    private func hasOneLength(_ one: JSONTree.Node, _ other: JSONTree.Node) -> Bool {
        one.nameEnd - one.nameStart == other.nameEnd - other.nameStart
    }

    /// Whether two names without escapes are the same.
    private func isSameName(_ one: JSONTree.Node, _ other: JSONTree.Node) -> Bool {
        hasOneLength(one, other)
            && (0..<Int(one.nameEnd - one.nameStart)).allSatisfy {
                bytes[Int(one.nameStart) + $0] == bytes[Int(other.nameStart) + $0]
            }
    }

    private func name(_ node: JSONTree.Node) -> ArraySlice<UInt8> {
        node.unescapedName.map { Array(unescaped[Int($0)].utf8)[...] } ?? bytes[Int(node.nameStart)..<Int(node.nameEnd)]
    }

    private mutating func elements(of array: Int, depth: Int) throws(JSONError) -> Int32 {
        index += 1
        if take("]") { return 0 }
        var count: Int32 = 0
        repeat {
            try value(in: array, at: count, depth: depth + 1)
            count += 1
        } while take(",")
        guard take("]") else { throw unexpected("\",\" or \"]\"") }
        return count
    }

    /// A run of combining marks that no text has; see `StreamSafeText`.
    static let tooManyMarks = JSONError(
        line: 1, expected: "at most \(StreamSafeText.longestRun) combining marks in a row", found: "more")

    private mutating func string() throws(JSONError) -> (start: Int32, end: Int32, unescaped: Int32?) {
        index += 1
        let start = index
        var hasEscapes = false
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw unexpected("an escaped control character") }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        guard index < bytes.count else { throw unexpected("\"\\\"\"") }
        let end = index
        index += 1
        guard hasEscapes else { return (Int32(start), Int32(end), nil) }
        steps += end - start
        guard let text = JSONEscapes.unescaped(bytes[start..<end]) else { throw error("has an escape without a meaning") }
        guard StreamSafeText.holds(text) else { throw Self.tooManyMarks }
        unescaped.append(text)
        return (Int32(start), Int32(end), Int32(unescaped.count - 1))
    }

    private mutating func literal() throws(JSONError) -> JSONTree.Kind {
        let start = index
        while let byte = peek, !Self.isEnd(byte) { index += 1 }
        let text = bytes[start..<index]
        switch text.first {
        case UInt8(ascii: "t") where text.elementsEqual("true".utf8): return .true
        case UInt8(ascii: "f") where text.elementsEqual("false".utf8): return .false
        case UInt8(ascii: "n") where text.elementsEqual("null".utf8): return .null
        default:
            if Self.isNumber(text) { return .number }
            index = start
            throw unexpected("a value")
        }
    }

    /// `-` digits `.` digits `e` digits (RFC 8259 section 6), of which only the first digits are needed.
    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        // Almost all are whole.
        if text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return text.first != UInt8(ascii: "0") ? !text.isEmpty : text.count == 1
        }
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
        guard whole > 0, whole == 1 || !leadsWithZero else { return false }
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

    private static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""):
            true
        default: false
        }
    }

    // MARK: Errors

    private func unexpected(_ expected: String) -> JSONError {
        let found =
            switch peek {
            case nil: "the end"
            case .some(let byte) where (0x21...0x7E).contains(byte): "\"\(Character(Unicode.Scalar(byte)))\""
            case .some: "another character"
            }
        return JSONError(line: line(at: index), expected: expected, found: found)
    }

    private func duplicate(_ member: JSONTree.Node) -> JSONError {
        let name = String(decoding: name(member), as: UTF8.self)
        return JSONError(.line(line(at: Int(member.nameStart))), "has the member \"\(name)\" twice in one object")
    }

    private func error(_ problem: String) -> JSONError { JSONError(.line(line(at: index)), problem) }

    private func line(at index: Int) -> Int { 1 + bytes.prefix(index).count { $0 == UInt8(ascii: "\n") } }
}
