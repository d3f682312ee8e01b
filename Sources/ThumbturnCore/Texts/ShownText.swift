/// A form of text that can be shown to a person without misleading them.
///
/// A text that reverses, hides or repeats the text beside it is refused, because what is shown is what is signed. Where
/// nothing is signed and a refusal would hide more, such as a device from the list, `line(from:)` leaves out what cannot be
/// shown.
package struct ShownText: Sendable {
    /// Whether a text has this form.
    package let holds: @Sendable (String) -> Bool

    /// A short line: at most 140 characters.
    package static let line = ShownText { isShownAsItIs($0, upTo: longestLine) }
    /// A name: at most 70 characters, as in a SEPA payment, and no letters of one alphabet disguised as another's.
    package static let name = ShownText { isShownAsItIs($0, upTo: 70) && Alphabet.look(of: $0) != .refused }
    /// An account number or another reference: visible ASCII without spaces, at most 64 characters.
    package static let identifier = ShownText {
        (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
    /// A host name in ASCII, as it is registered.
    package static let domain = ShownText {
        (1...253).contains($0.utf8.count) && $0.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == dash || $0 == dot }
    }
    /// A decimal number of at most 15 digits before and 4 after the point, in its only spelling: no sign, no
    /// superfluous leading zero.
    package static let amount = ShownText { text in
        let parts = text.utf8.split(separator: dot, omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return false }
        return parts[0].count <= 15 && (parts[0].count == 1 || parts[0].first != zero)
            && (parts.count == 1 || parts[1].count <= 4)
    }
    /// Three letters (ISO 4217).
    package static let currency = ShownText { $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
    /// A day: `2026-11-21` (RFC 3339 section 5.6).
    package static let date = ShownText { isDate(Array($0.utf8)) }
    /// A day and a time of it: `2026-11-21T10:20:30Z` (RFC 3339 section 5.6).
    package static let dateTime = ShownText { text in
        let bytes = Array(text.utf8)
        guard (20...35).contains(bytes.count), isDate(Array(bytes[..<10])), bytes[10] == UInt8(ascii: "T") else { return false }
        return bytes[11...].allSatisfy { isDigit($0) || "Z:+-.".utf8.contains($0) }
    }

    /// Whether the text contains nothing that can hide, reverse or move other text: no control, format, private or
    /// invisible characters, only single plain spaces, and at most three marks on a letter.
    package static func isShownAsItIs(_ text: String, upTo limit: Int = .max) -> Bool {
        guard (1...limit).contains(text.unicodeScalars.count), !text.hasPrefix(" "), !text.hasSuffix(" ") else { return false }
        var reading = Reading()
        return text.unicodeScalars.allSatisfy { reading.takes($0) }
    }

    /// A text as a `line`: every white space becomes a single plain space, whatever else cannot be shown as it is is left
    /// out, and the rest ends after 140 characters. A text of which nothing is left becomes the replacement character.
    package static func line(from text: String) -> String {
        var reading = Reading()
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where shown.count < longestLine {
            let scalar = scalar.properties.isWhitespace ? " " : scalar
            if reading.takes(scalar) { shown.append(scalar) }
        }
        if shown.last == " " { shown.removeLast() }
        return shown.isEmpty ? "\u{FFFD}" : String(shown)
    }

    private static let longestLine = 140

    /// A text that is read character by character.
    private struct Reading {
        private var before = Unicode.Scalar(" ")
        private var marks = 0

        /// Whether the text may go on with a character. One that it may not go on with changes nothing.
        mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
            var marks = 0
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
            case .spaceSeparator where scalar != " " || before == " ": return false
            case .nonspacingMark, .enclosingMark: marks = self.marks + 1
            default: break
            }
            // A letter has two marks in Vietnamese, three in some Hebrew and Arabic.
            guard marks <= 3, !scalar.properties.isDefaultIgnorableCodePoint, scalar != "\u{2800}" else { return false }
            (before, self.marks) = (scalar, marks)
            return true
        }
    }

    private static let dot = UInt8(ascii: ".")
    private static let dash = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isDate(_ bytes: [UInt8]) -> Bool {
        bytes.count == 10 && bytes.enumerated().allSatisfy { $0 == 4 || $0 == 7 ? $1 == dash : isDigit($1) }
    }
}
