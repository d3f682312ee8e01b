/// Reads the nodes of a `CBOR` item without recursion: what is open is in a list of its own.
struct CBORReader {
    private let bytes: ArraySlice<UInt8>
    private let leniency: CBOR.Leniency
    private let limits: CBOR.Limits
    private(set) var index: Int
    private(set) var nodes: [CBOR.Node] = []
    private(set) var steps = 0
    /// The arrays, maps and tags around the next item, with the number of items that they still lack.
    private var open: [(node: Int, missing: Int)] = []

    init(_ bytes: ArraySlice<UInt8>, _ leniency: CBOR.Leniency, _ limits: CBOR.Limits) {
        self.bytes = bytes
        self.leniency = leniency
        self.limits = limits
        index = bytes.startIndex
    }

    /// Reads one item and everything inside it.
    mutating func read() throws(EvidenceRefusal) {
        repeat {
            let children = try item()
            if children > 0 {
                open.append((nodes.count - 1, children))
            } else {
                try close()
            }
        } while !open.isEmpty
    }

    /// Counts an item that is complete, and each item that it completes.
    private mutating func close() throws(EvidenceRefusal) {
        finish(nodes.count - 1)
        while let (node, missing) = open.last {
            guard missing == 1 else {
                open[open.count - 1].missing = missing - 1
                return
            }
            open.removeLast()
            finish(node)
            if nodes[node].kind == .map { try checkKeys(of: node) }
        }
    }

    private mutating func finish(_ node: Int) {
        nodes[node].end = index
        nodes[node].next = nodes.count
    }

    // MARK: One item

    /// Reads a head and the content of a string. Returns the number of items that belong to it.
    private mutating func item() throws(EvidenceRefusal) -> Int {
        guard nodes.count < limits.items else { throw refusal(.tooLarge, "at most \(limits.items) items", "more") }
        steps += 1
        let start = index
        let first = try byte()
        let (major, info) = (first >> 5, first & 31)
        let (argument, width) = try argument(info)
        if major != 7, width > 0, !leniency.contains(.longHeads), argument <= Self.largest(below: width) {
            throw refusal(.malformed, "a head of the shortest form", "a number that needs fewer than \(width) bytes")
        }
        switch major {
        case 0: append(.unsigned, argument, start, content: index)
        case 1: append(.negative, argument, start, content: index)
        case 2, 3:
            let content = index
            guard argument <= bytes.endIndex - index else {
                throw refusal(.malformed, "\(argument) bytes of a string", "the end")
            }
            index += Int(argument)
            append(major == 2 ? .bytes : .text, argument, start, content: content)
            if major == 3 { try checkText(bytes[content..<index]) }
        case 4:
            try checkDepth()
            append(.array, argument, start, content: index)
            return try count(argument, itemsEach: 1)
        case 5:
            try checkDepth()
            append(.map, argument, start, content: index)
            return try count(argument, itemsEach: 2)
        case 6:
            guard leniency.contains(.tags) else { throw refusal(.unsupported, "an item without a tag", "tag \(argument)") }
            try checkDepth()
            append(.tag, argument, start, content: index)
            return 1
        default:
            if width >= 2 {
                append(.float, argument, start, content: index - width)
            } else {
                guard width == 0 || argument >= 32 else {
                    throw refusal(.malformed, "a simple value below 32 in one byte", "two bytes")
                }
                append(.simple, argument, start, content: index)
            }
        }
        return 0
    }

    private mutating func append(_ kind: CBOR.Kind, _ argument: UInt64, _ start: Int, content: Int) {
        nodes.append(CBOR.Node(kind: kind, argument: argument, start: start, content: content, end: index, next: 0))
    }

    /// The number in a head, and the count of bytes that it has after the first one.
    private mutating func argument(_ info: UInt8) throws(EvidenceRefusal) -> (UInt64, width: Int) {
        switch info {
        case 0..<24: return (UInt64(info), 0)
        case 24..<28:
            let width = 1 << Int(info - 24)
            var argument: UInt64 = 0
            for _ in 0..<width { argument = argument << 8 | UInt64(try byte()) }
            return (argument, width)
        case 31: throw refusal(.malformed, "a definite length", "an indefinite one")
        default: throw refusal(.malformed, "a head that RFC 8949 defines", "additional information \(info)")
        }
    }

    /// The largest number that a head of fewer bytes holds.
    private static func largest(below width: Int) -> UInt64 {
        switch width {
        case 1: 23
        case 2: UInt64(UInt8.max)
        case 4: UInt64(UInt16.max)
        default: UInt64(UInt32.max)
        }
    }

    private mutating func byte() throws(EvidenceRefusal) -> UInt8 {
        guard index < bytes.endIndex else { throw refusal(.malformed, "another byte", "the end") }
        defer { index += 1 }
        steps += 1
        return bytes[index]
    }

    /// Each item has at least one byte, so a count that cannot be true ends the reading at once.
    private func count(_ count: UInt64, itemsEach: Int) throws(EvidenceRefusal) -> Int {
        guard count <= limits.members else {
            throw refusal(.tooLarge, "at most \(limits.members) members", "\(count)")
        }
        guard Int(count) * itemsEach <= bytes.endIndex - index else { throw refusal(.malformed, "\(count) members", "the end") }
        return Int(count) * itemsEach
    }

    private func checkDepth() throws(EvidenceRefusal) {
        guard open.count < limits.depth else { throw refusal(.tooLarge, "at most \(limits.depth) levels of nesting", "more") }
    }

    private mutating func checkText(_ text: ArraySlice<UInt8>) throws(EvidenceRefusal) {
        steps += text.count
        guard String(validating: text, as: UTF8.self) != nil else { throw refusal(.malformed, "text in UTF-8", "other bytes") }
    }

    // MARK: Keys

    /// Two keys are the same if their kind and their value are, however long their heads are. In the canonical order
    /// each key is compared with the one before it; in any order each goes into a set once. So the work is in
    /// proportion to the bytes of the keys.
    private mutating func checkKeys(of map: Int) throws(EvidenceRefusal) {
        var seen: Set<Key> = []
        var last: Int?
        var at = map + 1
        while at < nodes[map].next {
            let node = nodes[at]
            switch node.kind {
            case .unsigned, .negative: steps += 1
            case .bytes, .text: steps += 1 + node.end - node.content
            case .array, .map, .tag, .simple, .float:
                throw refusal(.unsupported, "a number, bytes or text as a key", "\(node.kind)", at: node.start)
            }
            if leniency.contains(.anyOrder) {
                guard seen.insert(key(node)).inserted else { throw duplicate(node) }
            } else if let before = last {
                guard !isSame(nodes[before], node) else { throw duplicate(node) }
                guard precedes(nodes[before], node) else {
                    throw refusal(.malformed, "keys in the canonical order", "another order", at: node.start)
                }
            }
            last = at
            // Past the key, which has no children, and past its value.
            at = nodes[at + 1].next
        }
    }

    private struct Key: Hashable {
        let kind: CBOR.Kind
        let argument: UInt64
        let content: ArraySlice<UInt8>
    }

    /// The content of a number is empty.
    private func key(_ node: CBOR.Node) -> Key {
        let content = node.kind == .bytes || node.kind == .text ? bytes[node.content..<node.end] : []
        return Key(kind: node.kind, argument: node.argument, content: content)
    }

    private func isSame(_ one: CBOR.Node, _ other: CBOR.Node) -> Bool { key(one) == key(other) }

    /// The order of CTAP2: by kind, then by length or number, then by bytes.
    private func precedes(_ one: CBOR.Node, _ other: CBOR.Node) -> Bool {
        if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
        if one.argument != other.argument { return one.argument < other.argument }
        return key(one).content.lexicographicallyPrecedes(key(other).content)
    }

    // MARK: Refusals

    private func duplicate(_ node: CBOR.Node) -> EvidenceRefusal {
        refusal(.malformed, "each key of a map once", "one twice", at: node.start)
    }

    private func refusal(
        _ reason: EvidenceRefusal.Reason, _ expected: String, _ found: String, at position: Int? = nil
    ) -> EvidenceRefusal {
        let byte = (position ?? index) - bytes.startIndex
        return EvidenceRefusal(reason, "expected \(expected) in CBOR at byte \(byte), found \(found)")
    }
}
