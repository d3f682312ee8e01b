/// The escapes in a JSON string (RFC 8259 section 7).
enum JSONEscapes {
    /// The text between two quotes, without its escapes. Nil for an unknown escape, half a pair of surrogates, and
    /// U+0000.
    static func unescaped(_ raw: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest), scalar != "\0" else { return nil }
                bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            default: return nil
            }
        }
        // The text as a whole is UTF-8, and an escape begins and ends between two of its characters.
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The scalar of `\uXXXX`, or of two of them that are a pair of surrogates.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let unit = unit(&rest) else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let trail = self.unit(&rest),
            UTF16.isTrailSurrogate(trail)
        else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst() else { return nil }
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
