/// An alphabet with letters that look like another's, so that an attacker can spell one name to look like another.
///
/// A small part of Unicode's data (UTS #39 section 5): the alphabets that share letter shapes.
package enum Alphabet: Hashable, Sendable {
    case latin
    case greek
    case cyrillic
    case armenian
    case cherokee
    case coptic
    case lisu
    /// Letters of mathematics, in full width or in circles, which look like Latin letters.
    case disguised

    /// How a name looks to its reader.
    package enum Look: Hashable, Sendable {
        case plain
        /// Words of several of these alphabets, or a word that looks like a Latin one: it may be honest, and has to be
        /// read letter by letter.
        case flagged
        /// One word of several alphabets, which no honest name has.
        case refused
    }

    package static func look(of name: String) -> Look {
        let words = name.unicodeScalars.split { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark,
                .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .otherSymbol:
                false
            default: true
            }
        }
        var all: Set<Alphabet> = []
        var isDouble = false
        for word in words {
            let letters = word.filter { Alphabet($0) != nil }
            let alphabets = Set(letters.compactMap(Alphabet.init))
            guard alphabets.count <= 1, !alphabets.contains(.disguised) else { return .refused }
            all.formUnion(alphabets)
            if !alphabets.isDisjoint(with: [.cyrillic, .greek]), letters.allSatisfy(doubles.contains) { isDouble = true }
        }
        return all.count > 1 || isDouble ? .flagged : .plain
    }

    private init?(_ scalar: Unicode.Scalar) {
        guard let alphabet = Self.ranges.first(where: { $0.0.contains(scalar.value) })?.1 else { return nil }
        // Signs such as ™ are in these ranges, too.
        let isLetter = scalar.properties.isAlphabetic || alphabet == .disguised && scalar.value > 0x2460
        guard isLetter else { return nil }
        self = alphabet
    }

    private static let ranges: [(ClosedRange<UInt32>, Alphabet)] = [
        (0x41...0x5A, .latin), (0x61...0x7A, .latin), (0xAA...0xBA, .latin), (0xC0...0x2AF, .latin), (0x1D00...0x1DBF, .latin),
        (0x1E00...0x1EFF, .latin), (0x2C60...0x2C7F, .latin), (0xA720...0xA7FF, .latin), (0xAB30...0xAB6F, .latin),
        (0x370...0x3FF, .greek), (0x1F00...0x1FFF, .greek), (0x400...0x52F, .cyrillic), (0x1C80...0x1C8F, .cyrillic),
        (0x2DE0...0x2DFF, .cyrillic), (0xA640...0xA69F, .cyrillic), (0x530...0x58F, .armenian), (0x13A0...0x13FF, .cherokee),
        (0xAB70...0xABBF, .cherokee), (0x2C80...0x2CFF, .coptic), (0xA4D0...0xA4FF, .lisu), (0x2100...0x218F, .disguised),
        (0x24B6...0x24E9, .disguised), (0xFF21...0xFF3A, .disguised), (0xFF41...0xFF5A, .disguised),
        (0x1D400...0x1D7FF, .disguised), (0x1F130...0x1F189, .disguised),
    ]

    /// Cyrillic and Greek letters with the shape of a Latin one.
    private static let doubles = Set("АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ".unicodeScalars)
}
