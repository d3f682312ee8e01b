/// Texts of the form `application/x-www-form-urlencoded`.
package enum FormText {
    /// Encodes fields: every character that is not unreserved is escaped.
    package static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
    }

    /// Decodes fields. Nil where one is not encoded properly, or is there twice (RFC 6749 section 3.1).
    package static func decode(_ text: String) -> [String: String]? {
        var fields: [String: String] = [:]
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0]), let value = parts.count == 2 ? decode(parts[1]) : "",
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static func encode(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map(UInt8.init)
    }
}
