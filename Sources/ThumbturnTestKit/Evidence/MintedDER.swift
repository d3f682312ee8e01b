import SwiftASN1
package import ThumbturnCore

/// Writes DER (X.690), value by value. It writes what it is given, so that a test can also write what is not DER.
package enum MintedDER {
    /// A value with a universal tag below 31, as its one byte with the bit of constructed values.
    package static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    /// A value with a context-specific tag of any number.
    package static func context(_ number: UInt, _ content: [UInt8], isConstructed: Bool = true) -> [UInt8] {
        let first: UInt8 = isConstructed ? 0xA0 : 0x80
        guard number >= 31 else { return value(first | UInt8(number), content) }
        var digits = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return [first | 0x1F] + digits + length(content.count) + content
    }

    /// A SEQUENCE.
    package static func sequence(_ members: [[UInt8]]) -> [UInt8] { value(0x30, Array(members.joined())) }
    /// A SET, with its members in the order given.
    package static func set(_ members: [[UInt8]]) -> [UInt8] { value(0x31, Array(members.joined())) }
    /// An INTEGER.
    package static func integer(_ number: Int) -> [UInt8] { value(0x02, digits(number)) }
    /// An INTEGER with any content.
    package static func integer(content: [UInt8]) -> [UInt8] { value(0x02, content) }
    /// An INTEGER that is not negative, from its bytes.
    package static func integer(magnitude: [UInt8]) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        return value(0x02, (digits.first ?? 0x80) & 0x80 == 0 ? digits : [0] + digits)
    }
    /// An ENUMERATED.
    package static func enumerated(_ number: Int) -> [UInt8] { value(0x0A, digits(number)) }
    /// A BOOLEAN.
    package static func boolean(_ isTrue: Bool) -> [UInt8] { value(0x01, [isTrue ? 0xFF : 0x00]) }
    /// A BOOLEAN that is true, as some devices write it.
    package static let booleanOne = value(0x01, [0x01])
    /// NULL.
    package static let null: [UInt8] = [0x05, 0x00]
    /// An OCTET STRING.
    package static func octets(_ content: [UInt8]) -> [UInt8] { value(0x04, content) }
    /// A BIT STRING.
    package static func bits(_ content: [UInt8], unused: UInt8 = 0) -> [UInt8] { value(0x03, [unused] + content) }
    /// A UTF8String.
    package static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

    /// An OBJECT IDENTIFIER, from its dotted form.
    package static func oid(_ dotted: String) -> [UInt8] {
        var writer = DER.Serializer()
        guard (try? writer.serialize(ASN1ObjectIdentifier(dotRepresentation: dotted))) != nil else {
            preconditionFailure("\(dotted) is no object identifier")
        }
        return writer.serializedBytes
    }

    /// A Name (RFC 5280 section 4.1.2.4) of attributes, each in a set of its own.
    package static func name(_ attributes: KeyValuePairs<String, String>) -> [UInt8] {
        sequence(attributes.map { set([sequence([oid($0.key), utf8($0.value)])]) })
    }

    /// A Name that has a common name only.
    package static func name(_ commonName: String) -> [UInt8] { name(["2.5.4.3": commonName]) }

    /// A time as certificates write it: UTCTime until 2049, then GeneralizedTime (RFC 5280 section 4.1.2.5).
    package static func time(_ time: UnixTime) -> [UInt8] {
        let days = Int((Double(time.seconds) / 86_400).rounded(.down))
        let second = Int(time.seconds) - days * 86_400
        // The calendar of which the year begins in March; 719 468 days lie between 0000-03-01 and 1970-01-01.
        let since = days + 719_468
        let era = Int((Double(since) / 146_097).rounded(.down))
        let dayOfEra = since - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = era * 400 + yearOfEra + (civilMonth <= 2 ? 1 : 0)
        let rest = [civilMonth, dayOfYear - (153 * month + 2) / 5 + 1, second / 3600, second / 60 % 60, second % 60]
        let text = rest.map { padded($0, 2) }.joined() + "Z"
        return (1950..<2050).contains(year)
            ? value(0x17, Array((padded(year % 100, 2) + text).utf8)) : value(0x18, Array((padded(year, 4) + text).utf8))
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count > 127 else { return [UInt8(count)] }
        let bytes = withoutLeadingZeros(count)
        return [0x80 | UInt8(bytes.count)] + bytes
    }

    /// Two's complement in as few bytes as possible.
    private static func digits(_ number: Int) -> [UInt8] {
        var bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        while bytes.count > 1, (bytes[0] == 0 && bytes[1] < 0x80) || (bytes[0] == 0xFF && bytes[1] >= 0x80) {
            bytes.removeFirst()
        }
        return bytes
    }

    private static func withoutLeadingZeros(_ number: Int) -> [UInt8] {
        Array((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }.drop { $0 == 0 })
    }
}
