extension CBOR {
    /// One item of a document, and the way to the items inside it. What it asks for and does not find is nil.
    package struct Item: Sendable {
        let document: CBOR
        let index: Int

        private var node: Node { document.nodes[index] }

        /// What the item is.
        package var kind: Kind { node.kind }
        /// The bytes of the whole item, head and children included.
        package var encoded: ArraySlice<UInt8> { document.bytes[node.start..<node.end] }

        /// The whole number, if the item is one and 64 bits with a sign hold it.
        package var integer: Int64? {
            switch kind {
            case .unsigned: Int64(exactly: node.argument)
            case .negative: Int64(exactly: node.argument).map { -1 - $0 }
            case .bytes, .text, .array, .map, .tag, .simple, .float: nil
            }
        }

        /// The number before its sign: n of n, or n of -1 - n.
        package var magnitude: UInt64? { kind == .unsigned || kind == .negative ? node.argument : nil }

        /// The bytes, if the item is a byte string.
        package var bytes: ArraySlice<UInt8>? { kind == .bytes ? content : nil }

        /// The text, if the item is one.
        package var text: String? { kind == .text ? String(decoding: content, as: UTF8.self) : nil }

        /// The floating-point number, if the item is one.
        package var double: Double? {
            guard kind == .float else { return nil }
            switch node.end - node.content {
            case 2: return Self.half(UInt16(truncatingIfNeeded: node.argument))
            case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: node.argument)))
            default: return Double(bitPattern: node.argument)
            }
        }

        /// The number of the simple value: 20 for `false`, 21 for `true`, 22 for `null`, 23 for `undefined`.
        package var simple: UInt8? { kind == .simple ? UInt8(truncatingIfNeeded: node.argument) : nil }

        /// The number of the tag and the item that it describes.
        package var tagged: (tag: UInt64, item: Item)? {
            kind == .tag ? (node.argument, Item(document: document, index: index + 1)) : nil
        }

        /// The elements, if the item is an array.
        package var elements: [Item]? { kind == .array ? children : nil }

        /// The pairs in their order, if the item is a map.
        package var members: [(key: Item, value: Item)]? {
            guard kind == .map else { return nil }
            let children = children
            return stride(from: 0, to: children.count, by: 2).map { (children[$0], children[$0 + 1]) }
        }

        /// The value of a text key.
        package subscript(name name: String) -> Item? {
            members?.first { $0.key.kind == .text && $0.key.content.elementsEqual(name.utf8) }?.value
        }

        /// The value of a number key.
        package subscript(number number: Int64) -> Item? { members?.first { $0.key.integer == number }?.value }

        private var content: ArraySlice<UInt8> { document.bytes[node.content..<node.end] }

        private var children: [Item] {
            var (found, at) = ([Item](), index + 1)
            while at < node.next {
                found.append(Item(document: document, index: at))
                at = document.nodes[at].next
            }
            return found
        }

        /// A number of 16 bits (RFC 8949 appendix D). Swift's own type is not on every platform.
        private static func half(_ bits: UInt16) -> Double {
            let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
            let size: Double =
                switch exponent {
                case 0: Double(sign: .plus, exponent: -24, significand: fraction)
                case 31: fraction == 0 ? .infinity : .nan
                default: Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1024)
                }
            return bits >> 15 == 1 ? -size : size
        }
    }
}
