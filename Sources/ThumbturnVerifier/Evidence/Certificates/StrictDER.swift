package import SwiftASN1

/// DER (X.690 section 10) from outside: read by swift-asn1, behind caps of depth and of the number of values.
///
/// swift-asn1 walks what is below a value each time that the value is opened, so its cost is in proportion to the number of
/// values times their depth. The caps make that a small constant for each byte.
package enum StrictDER {
    /// How many values may be inside each other. The names and extensions of a certificate are six deep.
    package static let deepest = 16
    /// The most values of one structure. The certificates of Google's samples have fewer than 100.
    package static let mostValues = 1024

    /// The one value that the bytes hold. Throws `tooLarge` above a cap, and `malformed` where the bytes are not DER or
    /// anything follows the value.
    ///
    /// - Parameter name: what the bytes are, for the explanation.
    package static func parse(_ bytes: [UInt8], _ name: String) throws(EvidenceRefusal) -> ASN1Node {
        try checkCaps(bytes, name)
        do {
            return try DER.parse(bytes)
        } catch {
            throw EvidenceRefusal(.malformed, "\(name) is not DER")
        }
    }

    /// Walks over the headers alone. Where one cannot be read, the walk ends, and parsing says why.
    private static func checkCaps(_ bytes: [UInt8], _ name: String) throws(EvidenceRefusal) {
        // Where each value ends that is open at this position.
        var ends: [Int] = []
        var (position, values) = (0, 0)
        while let header = Header(bytes, at: position) {
            while let end = ends.last, position >= end { ends.removeLast() }
            values += 1
            guard values <= mostValues else {
                throw EvidenceRefusal(.tooLarge, "\(name) has more than \(mostValues) values")
            }
            guard header.isConstructed else {
                position = header.end
                continue
            }
            guard ends.count < deepest else {
                throw EvidenceRefusal(.tooLarge, "\(name) has more than \(deepest) values inside each other")
            }
            ends.append(header.end)
            position = header.start
        }
    }

    /// The tag and the length of a value, as far as the caps need them.
    private struct Header {
        let isConstructed: Bool
        /// Where the content starts.
        let start: Int
        let end: Int

        init?(_ bytes: [UInt8], at position: Int) {
            guard position < bytes.count else { return nil }
            isConstructed = bytes[position] & 0x20 != 0
            var next = position + 1
            if bytes[position] & 0x1F == 0x1F {
                while next < bytes.count, bytes[next] & 0x80 != 0 { next += 1 }
                next += 1
            }
            guard next < bytes.count else { return nil }
            var length = Int(bytes[next])
            next += 1
            if length & 0x80 != 0 {
                let digits = length & 0x7F
                guard (1...4).contains(digits), next + digits <= bytes.count else { return nil }
                length = bytes[next..<next + digits].reduce(0) { $0 << 8 | Int($1) }
                next += digits
            }
            guard length <= bytes.count - next else { return nil }
            (start, end) = (next, next + length)
        }
    }
}

/// The members of a constructed value, taken in their order.
package struct DERMembers {
    private let name: String
    private var rest: ASN1NodeCollection.Iterator

    fileprivate init(_ name: String, _ members: ASN1NodeCollection) {
        self.name = name
        rest = members.makeIterator()
    }

    /// The next member of any kind; nil at the end.
    package mutating func next() -> ASN1Node? { rest.next() }

    /// The next member. Throws `malformed` where there is none.
    package mutating func take() throws(EvidenceRefusal) -> ASN1Node {
        guard let node = rest.next() else { throw EvidenceRefusal(.malformed, "\(name) ends too early") }
        return node
    }

    /// The next member if it has this tag; otherwise it stays the next one.
    package mutating func takeIf(_ identifier: ASN1Identifier) -> ASN1Node? {
        var ahead = rest
        guard let node = ahead.next(), node.identifier == identifier else { return nil }
        rest = ahead
        return node
    }

    /// Throws `malformed` where a member is left.
    package mutating func end() throws(EvidenceRefusal) {
        guard let node = rest.next() else { return }
        throw EvidenceRefusal(.malformed, "\(name) has a further member with the tag \(node.identifier.name)")
    }
}

extension ASN1Identifier {
    /// A context-specific tag.
    package static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    /// For explanations: `[3]` of a context-specific tag, otherwise its class and number.
    var name: String { tagClass == .contextSpecific ? "[\(tagNumber)]" : "\(tagClass) \(tagNumber)" }
}

// MARK: Values

extension ASN1Node {
    /// The members of a constructed value with this tag.
    package func members(_ identifier: ASN1Identifier = .sequence, of name: String) throws(EvidenceRefusal) -> DERMembers {
        guard self.identifier == identifier, case .constructed(let members) = content else {
            throw EvidenceRefusal(.malformed, "\(name) is \(found), not a constructed value with the tag \(identifier.name)")
        }
        return DERMembers(name, members)
    }

    /// The only member of a value with an explicit tag.
    package func tagged(_ identifier: ASN1Identifier, _ name: String) throws(EvidenceRefusal) -> ASN1Node {
        var members = try members(identifier, of: name)
        let node = try members.take()
        try members.end()
        return node
    }

    /// The content of a primitive value with this tag.
    package func bytes(_ identifier: ASN1Identifier, _ name: String) throws(EvidenceRefusal) -> ArraySlice<UInt8> {
        guard self.identifier == identifier, case .primitive(let bytes) = content else {
            throw EvidenceRefusal(.malformed, "\(name) is \(found), not a primitive value with the tag \(identifier.name)")
        }
        return bytes
    }

    /// The content of an INTEGER or ENUMERATED: two's complement in as few bytes as possible (X.690 section 8.3.2).
    package func integerBytes(
        _ name: String, _ identifier: ASN1Identifier = .integer
    ) throws(EvidenceRefusal) -> ArraySlice<UInt8> {
        let bytes = try bytes(identifier, name)
        guard let first = bytes.first else { throw EvidenceRefusal(.malformed, "\(name) is an integer without a digit") }
        if bytes.count > 1 {
            let sign = bytes[bytes.startIndex + 1] & 0x80
            guard !(first == 0 && sign == 0), !(first == 0xFF && sign != 0) else {
                throw EvidenceRefusal(.malformed, "\(name) is an integer with a needless byte")
            }
        }
        return bytes
    }

    /// An INTEGER or ENUMERATED that fits in 64 bits.
    package func integer(_ name: String, _ identifier: ASN1Identifier = .integer) throws(EvidenceRefusal) -> Int64 {
        let bytes = try integerBytes(name, identifier)
        guard bytes.count <= 8 else { throw EvidenceRefusal(.malformed, "\(name) is an integer of \(bytes.count) bytes") }
        let start: Int64 = bytes[bytes.startIndex] & 0x80 == 0 ? 0 : -1
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }

    /// A BOOLEAN: 00 or FF (X.690 section 11.1), and 01 with `booleanOne`.
    package func boolean(_ name: String, _ leniency: DERLeniency = .none) throws(EvidenceRefusal) -> Bool {
        let bytes = try bytes(.boolean, name)
        switch (bytes.count, bytes.first) {
        case (1, 0x00): return false
        case (1, 0xFF): return true
        case (1, 0x01) where leniency.contains(.booleanOne): return true
        default: throw EvidenceRefusal(.malformed, "\(name) is not a BOOLEAN of one byte, 00 or FF")
        }
    }

    /// An OBJECT IDENTIFIER.
    package func oid(_ name: String) throws(EvidenceRefusal) -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: self)
        } catch {
            throw EvidenceRefusal(.malformed, "\(name) is \(found), not a valid OBJECT IDENTIFIER")
        }
    }

    /// A BIT STRING of whole bytes.
    package func wholeBytes(_ name: String) throws(EvidenceRefusal) -> ArraySlice<UInt8> {
        let bits = try bits(name)
        guard bits.paddingBits == 0 else { throw EvidenceRefusal(.malformed, "\(name) is not of whole bytes") }
        return bits.bytes
    }

    /// A BIT STRING, whose unused bits are zero.
    package func bits(_ name: String) throws(EvidenceRefusal) -> ASN1BitString {
        do {
            return try ASN1BitString(derEncoded: self)
        } catch {
            throw EvidenceRefusal(.malformed, "\(name) is \(found), not a valid BIT STRING")
        }
    }

    /// For explanations.
    private var found: String {
        switch content {
        case .constructed: "a constructed value with the tag \(identifier.name)"
        case .primitive: "a primitive value with the tag \(identifier.name)"
        }
    }
}
