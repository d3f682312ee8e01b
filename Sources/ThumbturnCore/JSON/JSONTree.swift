/// The values of a JSON text and their places in it: read once, from front to back, without a copy of the text.
package final class JSONTree: Sendable {
    package let bytes: [UInt8]
    /// In the order of the text; the members or elements of a value follow it.
    package let nodes: [Node]
    /// The strings and names that have escapes, without them.
    private let unescaped: [String]
    /// How many bytes and names reading looked at, more than once where it did so: a measure of its work for tests.
    package let steps: Int

    /// One value.
    package struct Node: Sendable {
        package var kind: Kind
        /// The value in the text; of a string the part between the quotes.
        package var start: Int32
        package var end: Int32
        /// Of a string with escapes: its place among the texts without them.
        var unescaped: Int32?
        /// Of a member: its name, between the quotes.
        var nameStart: Int32 = 0
        var nameEnd: Int32 = 0
        /// Of a member whose name has escapes: the place of the name among the texts without them.
        var unescapedName: Int32?
        /// How many members or elements it has.
        package var count: Int32 = 0
        /// The index behind the last of its members or elements: the index of its next sibling.
        package var next: Int32 = 0
        /// The index of the object or array that it is in; -1 for the whole value.
        var parent: Int32
        /// Its position among the members or elements there.
        var position: Int32
    }

    package enum Kind: Sendable {
        case object, array, string, number, `true`, `false`, null

        /// As a person would call it.
        package var name: String {
            switch self {
            case .object: "an object"
            case .array: "an array"
            case .string: "a string"
            case .number: "a number"
            case .true: "true"
            case .false: "false"
            case .null: "null"
            }
        }
    }

    /// Reads a text by the rules of `StrictJSON`.
    ///
    /// - Parameter members: the most members of one object, where a format of others needs more than our own messages.
    package init(_ bytes: [UInt8], members: Int = StrictJSON.maximumMembers) throws(JSONError) {
        guard bytes.count <= StrictJSON.maximumLength else {
            throw JSONError(.path(""), "is longer than \(StrictJSON.maximumLength) bytes")
        }
        if !ASCII.holds(bytes) {
            guard bytes.first != 0xEF, String(validating: bytes, as: UTF8.self) != nil else {
                throw JSONError(line: 1, expected: "UTF-8 without a byte order mark", found: "other bytes")
            }
            guard StreamSafeText.holds(bytes) else { throw JSONTreeReader.tooManyMarks }
        }
        var reader = JSONTreeReader(bytes: bytes, maximumMembers: members)
        try reader.read()
        self.bytes = bytes
        nodes = reader.nodes
        unescaped = reader.unescaped
        steps = reader.steps
    }

    /// The string of a node, without its escapes.
    package func string(_ node: Node) -> String {
        node.unescaped.map { unescaped[Int($0)] } ?? text(node.start, node.end)
    }

    /// The name of a member, without its escapes.
    package func name(_ node: Node) -> String {
        node.unescapedName.map { unescaped[Int($0)] } ?? text(node.nameStart, node.nameEnd)
    }

    /// The text of a number.
    package func number(_ node: Node) -> String { text(node.start, node.end) }

    /// A whole number that is written without fraction and exponent; nil for any other, and for one that does not fit.
    package func whole(_ node: Node) -> Int64? {
        let digits = bytes[Int(node.start)..<Int(node.end)]
        // Up to 18 digits fit.
        guard digits.count <= 18, digits.first != UInt8(ascii: "-") else { return Int64(number(node)) }
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// The indices of an object's members, or of an array's elements.
    package func children(of index: Int) -> [Int] {
        var (found, at) = ([Int](), index + 1)
        for _ in 0..<nodes[index].count {
            found.append(at)
            at = Int(nodes[at].next)
        }
        return found
    }

    /// The index of an object's member, nil where there is none.
    package func member(_ name: String, of index: Int) -> Int? {
        var at = index + 1
        for _ in 0..<nodes[index].count {
            if isName(nodes[at], name) { return at }
            at = Int(nodes[at].next)
        }
        return nil
    }

    /// The indices of an object's members by the bytes of their names. Nil where there are few members, among which
    /// `member` finds one as fast.
    ///
    /// Without it, decoding each member of a wide object by its name would take time quadratic in their number.
    func membersByName(of index: Int) -> [ArraySlice<UInt8>: Int]? {
        guard nodes[index].kind == .object, nodes[index].count > JSONTreeReader.fewMembers else { return nil }
        var found: [ArraySlice<UInt8>: Int] = [:]
        found.reserveCapacity(Int(nodes[index].count))
        for child in children(of: index) {
            let node = nodes[child]
            let name = node.unescapedName.map { ArraySlice(unescaped[Int($0)].utf8) }
            found[name ?? bytes[Int(node.nameStart)..<Int(node.nameEnd)]] = child
        }
        return found
    }

    private func isName(_ node: Node, _ name: String) -> Bool {
        if let unescapedName = node.unescapedName { return unescaped[Int(unescapedName)].utf8.elementsEqual(name.utf8) }
        guard Int(node.nameEnd - node.nameStart) == name.utf8.count else { return false }
        var at = Int(node.nameStart)
        for byte in name.utf8 {
            if bytes[at] != byte { return false }
            at += 1
        }
        return true
    }

    private func text(_ start: Int32, _ end: Int32) -> String { String(decoding: bytes[Int(start)..<Int(end)], as: UTF8.self) }

    /// An error whose place is the path to a node.
    package func error(at index: Int, _ problem: String) -> JSONError {
        JSONError(DecodingError.dataCorrupted(.init(codingPath: path(to: index), debugDescription: problem)))
    }

    /// The way from the whole value to a node, for errors.
    func path(to index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = nodes[index]
        while node.parent >= 0 {
            let parent = nodes[Int(node.parent)]
            path.append(parent.kind == .object ? JSONPathKey(name(node)) : JSONPathKey(Int(node.position)))
            node = parent
        }
        return path.reversed()
    }
}

/// One step of a path: a member's name, or an element's position.
struct JSONPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ position: Int) {
        stringValue = "\(position)"
        intValue = position
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}
