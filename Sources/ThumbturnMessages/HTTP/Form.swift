import ThumbturnCore

/// The fields of an `application/x-www-form-urlencoded` body. Unknown fields are ignored; a repeated field makes the
/// whole form invalid (RFC 6749 section 3.2).
package struct Form: Sendable {
    /// The most fields that a form may have. The requests of the token endpoint have at most nine (RFC 8693 section
    /// 2.1). Each field costs an entry of a table, whatever its length.
    package static let maximumFields = 32

    private var fields: [String: String] = [:]

    /// Reads a form in time proportional to its bytes. The caller caps their number.
    ///
    /// - Returns: nil if the bytes are not such a form, or if it has more than `maximumFields` fields.
    package init?(_ bytes: [UInt8]) {
        // The last part holds everything beyond the maximum.
        let pairs = bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumFields)
        guard pairs.count <= Self.maximumFields else { return nil }
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decoded(parts[0]), let value = Self.decoded(parts[1]),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    package subscript(name: String) -> String? { fields[name] }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return string(Array(text)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < text.endIndex, let high = hexDigit(text[index + 1]), let low = hexDigit(text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return string(bytes)
    }

    private static func string(_ bytes: [UInt8]) -> String? {
        StreamSafeText.holds(bytes) ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
