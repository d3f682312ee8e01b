/// One data item of CBOR (RFC 8949) with all items inside it, read in one pass.
///
/// It is as strict as CTAP2's canonical form (CTAP 2.1 section 8): definite lengths, heads of the shortest form, keys in
/// order, no tags. A map never has a key twice, in whatever form its two spellings are written. Each `Leniency` takes
/// one of the other demands back.
package struct CBOR: Sendable {
    /// The bytes of the item, from its head to its end.
    package let bytes: ArraySlice<UInt8>
    /// How often a byte or an item was looked at, which the tests compare with the length of the input.
    package let steps: Int
    /// The items in the order of their heads. An item's children follow it; `next` leads past them.
    let nodes: [Node]

    /// Reads the one item that the bytes are. Throws `malformed`, `tooLarge` or `unsupported`.
    package init(
        _ bytes: ArraySlice<UInt8>, _ leniency: Leniency = [], within limits: Limits
    ) throws(EvidenceRefusal) {
        let (item, rest) = try Self.read(bytes, leniency, within: limits)
        guard rest.isEmpty else {
            throw EvidenceRefusal(.malformed, "expected the end after one CBOR item, found \(rest.count) more bytes")
        }
        self = item
    }

    /// Reads the item at the beginning of the bytes, and gives what follows it. Throws as the initializer does.
    package static func read(
        _ bytes: ArraySlice<UInt8>, _ leniency: Leniency = [], within limits: Limits
    ) throws(EvidenceRefusal) -> (item: CBOR, rest: ArraySlice<UInt8>) {
        guard bytes.count <= limits.bytes else {
            throw EvidenceRefusal(.tooLarge, "expected at most \(limits.bytes) bytes of CBOR, found \(bytes.count)")
        }
        var reader = CBORReader(bytes, leniency, limits)
        try reader.read()
        let item = CBOR(bytes: bytes[bytes.startIndex..<reader.index], steps: reader.steps, nodes: reader.nodes)
        return (item, bytes[reader.index...])
    }

    private init(bytes: ArraySlice<UInt8>, steps: Int, nodes: [Node]) {
        self.bytes = bytes
        self.steps = steps
        self.nodes = nodes
    }

    /// The outermost item.
    package var root: Item { Item(document: self, index: 0) }

    /// What an item is.
    package enum Kind: UInt8, Hashable, Sendable {
        /// A whole number from 0 to 2^64 - 1.
        case unsigned
        /// A whole number from -2^64 to -1.
        case negative
        /// Bytes.
        case bytes
        /// Text in UTF-8.
        case text
        /// A list of items.
        case array
        /// Pairs of a key and a value.
        case map
        /// A tag and the one item that it describes.
        case tag
        /// `false`, `true`, `null`, `undefined` or another simple value.
        case simple
        /// A floating-point number.
        case float
    }

    struct Node: Sendable {
        let kind: Kind
        /// The number, the length, the count of elements or pairs, the tag's number, the simple value, or the bits of
        /// the float.
        let argument: UInt64
        /// Where the head begins, where the content begins, and where the item with its children ends.
        let start: Int
        let content: Int
        var end: Int
        /// The index of the node after all children.
        var next: Int
    }

    /// How much is read at most. None of it has a default: each use knows what its objects need.
    package struct Limits: Hashable, Sendable {
        /// The bytes of the input.
        package let bytes: Int
        /// All items together, each key and each value counted.
        package let items: Int
        /// The elements of one array, or the pairs of one map.
        package let members: Int
        /// The levels of arrays, maps and tags inside each other.
        package let depth: Int

        /// Limits of one use.
        package init(bytes: Int, items: Int, members: Int, depth: Int) {
            self.bytes = bytes
            self.items = items
            self.members = members
            self.depth = depth
        }
    }

    /// A demand of the canonical form that is not made. None takes back that lengths are definite, that no key comes
    /// twice, or that nothing follows.
    package struct Leniency: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The keys of a map may come in any order. For the extensions of App Attest, whose order Apple does not
        /// document: captured names are sorted by alphabet in one place and by length in another.
        package static let anyOrder = Leniency(rawValue: 1)
        /// Numbers and lengths may have more bytes than they need. For generic CBOR; no evidence that was measured
        /// needs it.
        package static let longHeads = Leniency(rawValue: 2)
        /// Tags are read. For generic CBOR; no evidence that was measured needs it.
        package static let tags = Leniency(rawValue: 4)
    }
}
