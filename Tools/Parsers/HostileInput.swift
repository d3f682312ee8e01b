import ThumbturnMessages
import ThumbturnTestKit

/// An input that costs a parser much for its length, or did so in an earlier version.
package struct HostileInput: Sendable, CustomStringConvertible {
    /// The kind of input, for example `escaped names`.
    package let name: String
    /// At most as many bytes as were asked for, and nearly as many.
    package let bytes: [UInt8]

    package var description: String { "\(name), \(bytes.count) bytes" }

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

// MARK: JSON

extension HostileInput {
    /// JSON texts: deep and wide ones, names that are escaped, long or alike, long numbers, and runs of combining marks.
    /// Most of them are valid JSON.
    package static func json(_ size: Int) -> [HostileInput] {
        let alike = String(repeating: "x", count: 180)
        let deep = 16
        return [
            HostileInput("wide objects", list(of: object(256, size) { hex($0) }, size)),
            HostileInput("escaped names", list(of: object(256, size) { #"\u0061\u"# + hex($0 + 0x100) }, size)),
            HostileInput("few escaped names", list(of: object(16, size) { #"\u0061\u"# + hex($0 + 0x100) }, size)),
            HostileInput("long names alike", list(of: object(256, size) { alike + hex($0) }, size)),
            HostileInput("few long names alike", list(of: object(16, size) { alike + hex($0) }, size)),
            HostileInput(
                "a long escaped name twice", twice(String(repeating: #"\u0061"#, count: max(0, size / 2 - 16) / 6))),
            HostileInput("one object too wide", object(.max, size) { hex($0) }),
            HostileInput(
                "as deep as allowed",
                list(of: String(repeating: "[", count: deep - 1) + String(repeating: "]", count: deep - 1), size)),
            HostileInput("too deep", String(repeating: "[", count: size)),
            HostileInput("objects too deep", repeated(#"{"a":"#, size)),
            HostileInput("empty objects", list(of: "{}", size)),
            HostileInput("empty strings", list(of: #""""#, size)),
            HostileInput("short strings", list(of: #""abcdefghijklmnop""#, size)),
            HostileInput("short numbers", list(of: "1", size)),
            HostileInput("numbers with exponents", list(of: "-1.5e-307", size)),
            HostileInput("a long number", String(repeating: "7", count: size)),
            HostileInput("a long fraction", "0." + String(repeating: "3", count: max(1, size - 2))),
            HostileInput("a long exponent", "1e" + String(repeating: "9", count: max(1, size - 2))),
            HostileInput("a long string", quoted("x", size)),
            HostileInput("a long escaped string", quoted(#"\u00e9"#, size)),
            HostileInput("pairs of surrogates", quoted(#"\ud83d\ude00"#, size)),
            HostileInput("letters with marks", quoted("a" + String(repeating: "\u{301}\u{323}", count: 15), size)),
            HostileInput("a run of marks", quoted("\u{301}\u{323}", size)),
            HostileInput("a run of escaped marks", quoted(#"\u0301\u0323"#, size)),
            HostileInput("white space", String(repeating: " \n", count: max(0, size - 2) / 2) + "{}"),
            HostileInput("no end", "\"" + String(repeating: "x", count: size - 1)),
        ]
    }

    /// JSON texts, each by itself and as the value of one member in an otherwise valid text.
    ///
    /// - Parameter texts: valid texts with `…` in the place of the value.
    static func json(in texts: [String], _ size: Int) -> [HostileInput] {
        json(size)
            + texts.flatMap { text in
                let parts = text.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false).map { Array($0.utf8) }
                return json(max(64, size - text.utf8.count)).map { inner in
                    HostileInput("\(inner.name) in a message", parts[0] + inner.bytes + parts[1])
                }
            }
    }

    /// An object with as many members as fit into `size` bytes with a list around it, and at most `members`.
    private static func object(_ members: Int, _ size: Int, _ name: (Int) -> String) -> String {
        // The quotes, the colon, the value and the comma.
        let fitting = max(1, (size - 4) / (name(0).utf8.count + 5))
        return "{" + (0..<min(members, fitting)).map { #""\#(name($0))":0"# }.joined(separator: ",") + "}"
    }

    private static func twice(_ name: String) -> String { #"{"\#(name)":0,"\#(name)":0}"# }

    private static func list(of element: String, _ size: Int) -> String {
        "[" + Array(repeating: element, count: max(1, (size - 1) / (element.utf8.count + 1))).joined(separator: ",") + "]"
    }

    private static func quoted(_ part: String, _ size: Int) -> String { "\"" + repeated(part, size - 2) + "\"" }

    private static func repeated(_ part: String, _ size: Int) -> String {
        String(repeating: part, count: max(0, size) / part.utf8.count)
    }

    /// Four digits, so that all names have one length.
    private static func hex(_ number: Int) -> String { String(String(0x10000 + number, radix: 16).dropFirst()) }
}

// MARK: JOSE, forms and other texts

extension HostileInput {
    /// Compact JWS with hostile headers and with hostile payloads.
    ///
    /// - Parameters:
    ///   - header: a valid header, for the hostile payloads.
    ///   - claims: valid claims with `…` in the place of one value.
    static func jws(header: String, claims: [String], _ size: Int) -> [HostileInput] {
        // Three characters of base64url hold four bytes, and the signature takes its part.
        let room = max(64, size * 3 / 4 - header.utf8.count - 128)
        let signature = [UInt8](repeating: 7, count: 64)
        func jws(_ name: String, _ header: [UInt8], _ payload: [UInt8]) -> HostileInput {
            let input = CompactJWS.signingInput(header: header, payload: payload)
            return HostileInput(name, CompactJWS.compact(signingInput: input, signature: signature))
        }
        return json(room).map { jws("a header with \($0.name)", $0.bytes, Array("{}".utf8)) }
            + json(in: claims, room).map { jws("claims with \($0.name)", Array(header.utf8), $0.bytes) } + dots(size)
    }

    /// Texts with the marks of a compact JWS and no sense.
    private static func dots(_ size: Int) -> [HostileInput] {
        [
            HostileInput("dots", String(repeating: ".", count: size)),
            HostileInput("one long part", String(repeating: "A", count: size)),
            HostileInput("short parts", repeated("A.", size)),
        ]
    }

    /// Forms with many fields, long names and many escapes.
    static func form(_ size: Int) -> [HostileInput] {
        func fields(_ field: (Int) -> String) -> String {
            var text = ""
            var number = 0
            while true {
                let next = field(number) + "&"
                guard text.utf8.count + next.utf8.count <= size else { return text }
                text += next
                number += 1
            }
        }
        return [
            HostileInput("many fields", fields { "\(String($0, radix: 36))=" }),
            HostileInput("many escaped fields", fields { "%61\(String($0, radix: 36))=%61" }),
            HostileInput("one field without end", "proof=" + String(repeating: "x", count: size - 6)),
            HostileInput("one escaped field", "proof=" + repeated("%61", size - 6)),
            HostileInput("ampersands", String(repeating: "&", count: size)),
            HostileInput("equals signs", String(repeating: "=", count: size)),
            HostileInput("plus signs", "a=" + String(repeating: "+", count: size - 2)),
            HostileInput("a run of marks", "a=" + repeated("\u{301}\u{323}", size - 2)),
            HostileInput("a run of escaped marks", "a=" + repeated("%CC%81%CC%A3", size - 2)),
        ]
    }

    /// Parameters of an authentication scheme (RFC 9110 section 11.6.1).
    static func parameters(_ size: Int) -> [HostileInput] {
        let head = "DPoP error=\"insufficient_user_authentication\""
        return [
            HostileInput("many parameters", String((head + repeated(", a=b", size)).prefix(size))),
            HostileInput("an open quote", head + ", a=\"" + String(repeating: "x", count: max(0, size - head.utf8.count - 5))),
            HostileInput("escapes", head + ", a=\"" + repeated("\\a", size - head.utf8.count - 6) + "\""),
            HostileInput("commas", "DPoP " + String(repeating: ",", count: size - 5)),
            HostileInput("blanks", "DPoP " + String(repeating: " ", count: size - 5)),
        ]
    }

    /// Texts of public keys: lines, base64, and DER whose lengths lie.
    static func keys(_ size: Int) -> [HostileInput] {
        let (begin, end) = ("-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n")
        let room = max(8, size - begin.utf8.count - end.utf8.count)
        return [
            HostileInput("empty lines", String(repeating: "\n", count: size)),
            HostileInput("short lines", begin + repeated("A\n", room) + end),
            HostileInput("one long line", begin + String(repeating: "A", count: room / 4 * 4) + "\n" + end),
            HostileInput("sequences in sequences", begin + repeated("MIAw", room) + "\n" + end),
            HostileInput("padding", String(repeating: "=", count: size)),
        ]
    }

    /// Bytes in the form of DER: nested, long and indefinite.
    static func der(_ size: Int) -> [HostileInput] {
        let length = max(0, size - 4)
        return [
            HostileInput("sequences in sequences", (0..<(size / 2)).flatMap { _ -> [UInt8] in [0x30, 0x80] }),
            HostileInput(
                "long integers",
                [0x30, 0x82, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
                    + [UInt8](repeating: 0x02, count: length)),
            HostileInput("one long length", [0x30, 0x84, 0x7F, 0xFF] + [UInt8](repeating: 0xFF, count: length)),
        ]
    }
}

// MARK: CBOR

extension HostileInput {
    /// CBOR items: deep and wide ones, keys that are long, alike or twice there, and lengths that lie. Most of them are
    /// well-formed.
    package static func cbor(_ size: Int) -> [HostileInput] {
        /// A map with text keys of `length` bytes, which differ at their ends.
        func map(_ count: Int, _ length: Int) -> MintedCBOR {
            let start = String(repeating: "x", count: length - 4)
            return .object((0..<count).map { (start + hex($0), .unsigned(0)) })
        }
        func list(of item: MintedCBOR) -> [UInt8] {
            let encoded = item.encoded
            return MintedCBOR.array(Array(repeating: .raw(encoded), count: max(1, (size - 5) / encoded.count))).encoded
        }
        let numbers = max(1, (size - 16) / 6)
        return [
            HostileInput("maps with short keys", list(of: map(64, 4))),
            HostileInput("maps with long keys alike", list(of: map(16, 200))),
            HostileInput("one map too wide", map(max(1, (size - 8) / 6), 4).encoded),
            HostileInput("one map with long keys alike", map(max(1, (size - 8) / 254), 250).encoded),
            HostileInput(
                "a map with numbers as keys",
                MintedCBOR.map((0..<numbers).map { (key: .unsigned(UInt64($0) + 65_536), value: .unsigned(0)) }).encoded),
            HostileInput("a long key twice", twice(Array(repeating: 0x61, count: max(1, size / 2 - 16)))),
            HostileInput("empty lists", list(of: .array([]))),
            HostileInput("empty maps", list(of: .map([]))),
            HostileInput("short texts", list(of: .text("abcdefghijklmnop"))),
            HostileInput("numbers", list(of: .unsigned(1))),
            HostileInput("floats", list(of: .raw([0xFB, 1, 2, 3, 4, 5, 6, 7, 8]))),
            HostileInput("one long byte string", MintedCBOR.bytes([UInt8](repeating: 7, count: max(1, size - 5))).encoded),
            HostileInput("one long text", MintedCBOR.text(String(repeating: "x", count: max(1, size - 5))).encoded),
            HostileInput("a run of marks", MintedCBOR.text(repeated("\u{301}\u{323}", size - 5)).encoded),
            HostileInput("too deep", [UInt8](repeating: 0x81, count: size)),
            HostileInput("maps too deep", (0..<max(1, size / 2)).flatMap { _ -> [UInt8] in [0xA1, 0x01] }),
            HostileInput("tags", [UInt8](repeating: 0xC1, count: size)),
            HostileInput("endless lists", [UInt8](repeating: 0x9F, count: size)),
            HostileInput("a count that lies", [0x9B, 0x7F, 0xFF] + [UInt8](repeating: 0xFF, count: max(1, size - 3))),
            HostileInput("a length that lies", [0x5B, 0x7F, 0xFF] + [UInt8](repeating: 0xFF, count: max(1, size - 3))),
        ]
    }

    /// CBOR items, each by itself and as the value of one member of an object.
    ///
    /// - Parameter objects: objects by the place of the value in them.
    static func cbor(in objects: [(MintedCBOR) -> MintedCBOR], _ size: Int) -> [HostileInput] {
        cbor(size)
            + objects.flatMap { object in
                let room = max(64, size - object(.raw([])).encoded.count)
                return cbor(room).flatMap { inner in
                    [
                        HostileInput("\(inner.name) in an object", object(.raw(inner.bytes)).encoded),
                        HostileInput("\(inner.name) in a byte string", object(.bytes(inner.bytes)).encoded),
                    ]
                }
            }
    }

    private static func twice(_ key: [UInt8]) -> [UInt8] {
        MintedCBOR.map([(.bytes(key), .unsigned(0)), (.bytes(key), .unsigned(0))]).encoded
    }
}
