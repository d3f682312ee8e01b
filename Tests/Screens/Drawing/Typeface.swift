/// A font: its size in points, its weight, and the height of a line.
struct Typeface: Hashable, Sendable {
    /// The text styles of iOS 18 and macOS 15.
    enum Style: String, CaseIterable, Sendable {
        case largeTitle, title, title2, title3, headline, body, callout, subheadline, footnote, caption, caption2
    }

    var size: Double
    var lineHeight: Double
    /// The weight as CSS counts it, from 100 to 900.
    var weight = 400
    var isMonospacedDigit = false
    var isMonospaced = false

    /// Whether WCAG 2.2 takes it for large text: 18 points, or 14 points in bold.
    var isLarge: Bool { size >= 18 || (size >= 14 && weight >= 700) }

    /// The font of a text style. macOS has sizes of its own and does not enlarge them.
    static func style(_ style: Style, _ screen: ScreenDrawing.Style) -> Typeface {
        let index = Style.allCases.firstIndex(of: style) ?? 0
        let sizes: [Double]
        let lines: [Double]
        if screen.device == .mac {
            sizes = [26, 22, 17, 15, 13, 13, 12, 11, 10, 10, 10]
            lines = [32, 26, 22, 20, 16, 16, 15, 14, 13, 13, 13]
        } else if screen.textSize == .standard {
            sizes = [34, 28, 22, 20, 17, 17, 16, 15, 13, 12, 11]
            lines = [41, 34, 28, 25, 22, 22, 21, 20, 18, 16, 13]
        } else {
            sizes = [48, 43, 39, 37, 33, 33, 32, 30, 27, 26, 24]
            lines = [57, 51, 47, 44, 40, 40, 39, 37, 33, 32, 29]
        }
        let weight = style == .headline ? (screen.device == .mac ? 700 : 600) : 400
        return Typeface(size: sizes[index], lineHeight: lines[index], weight: weight)
    }

    /// The font of a size that no text style has.
    static func size(_ size: Double) -> Typeface { Typeface(size: size, lineHeight: (size * 1.2).rounded()) }

    /// The font that a fact's value says: `title2`, `title2 bold`, `system 44 light`; nil where it says none.
    static func named(_ text: String, _ screen: ScreenDrawing.Style) -> Typeface? {
        let words = Words(text)
        var font: Typeface?
        if let style = words.names.lazy.compactMap({ Style(rawValue: $0) }).first {
            font = .style(style, screen)
        } else if let size = words.numbers.first {
            font = .size(size)
        }
        for name in words.names {
            if let weight = weights[name] { font?.weight = weight }
            if name == "monospacedDigit" { font?.isMonospacedDigit = true }
            if name == "monospaced" { font?.isMonospaced = true }
        }
        return font
    }

    /// The names of SwiftUI's weights as CSS counts them.
    static let weights = [
        "ultraLight": 100, "thin": 200, "light": 300, "regular": 400, "medium": 500, "semibold": 600, "bold": 700, "heavy": 800,
        "black": 900,
    ]

    /// The font with its size changed.
    func scaled(_ factor: Double) -> Typeface {
        var scaled = self
        scaled.size *= factor
        scaled.lineHeight *= factor
        return scaled
    }

    /// The width of a text on one line.
    func width(_ text: some StringProtocol) -> Double {
        var width = 0
        for scalar in text.unicodeScalars { width += isMonospaced ? 600 : Self.advance(of: scalar) }
        // A heavier face of Helvetica is about a fifteenth wider.
        return Double(width) / 1000 * size * (weight >= 600 ? 1.07 : 1)
    }

    /// The advance width of a character in thousandths of the font's size: Helvetica's for Latin, estimates for other scripts.
    static func advance(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value >= 0x20, value < 0x7F { return ascii[Int(value) - 0x20] }
        if scalar.properties.generalCategory == .nonspacingMark || scalar.properties.generalCategory == .format { return 0 }
        switch scalar {
        case "’", "‘": return 222
        case "“", "”": return 333
        case "…", "—", "∞": return 1000
        case "–": return 556
        case "•": return 350
        case "·", "\u{A0}": return 278
        case "€", "£": return 556
        case "\n": return 0
        case "ا", "أ", "إ", "آ", "ل", "ر", "ز", "د", "ذ", "و", "ؤ", "،", "؛": return value == 0x644 ? 320 : 370
        case "س", "ش", "ص", "ض": return 780
        default: break
        }
        switch value {
        case 0xA1..<0xC0: return 400
        case 0xC0..<0xDF: return scalar.properties.isUppercase ? 700 : 584
        case 0xDF..<0x250: return scalar.properties.isUppercase ? 680 : 540
        case 0x370..<0x530: return scalar.properties.isUppercase ? 690 : 570
        case 0x590..<0x600: return 560
        case 0x600..<0x780, 0x8A0..<0x900: return 530
        case 0x900..<0xE00: return 620
        case 0xE00..<0xE80: return 600
        case 0x1100..<0x1200, 0x2E80..<0xE000, 0xF900..<0xFB00, 0xFF00..<0xFF61: return 1000
        case 0x1F000..<0x20000: return 1250
        case 0x20000...: return 1000
        default: return 600
        }
    }

    /// Helvetica's advance widths from the space to the tilde.
    private static let ascii = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
        556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
        1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
        667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
        333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ]

    /// The lines of a text, broken at spaces, and within a word alone where one is wider than a line.
    ///
    /// - Returns: The lines, and whether a word had to be broken.
    func lines(of text: String, width: Double) -> (lines: [String], broken: Bool) {
        var lines: [String] = []
        var broken = false
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
                let longer = line.isEmpty ? String(word) : line + " " + word
                if self.width(longer) <= width + 0.01 {
                    line = longer
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                line = String(word)
                guard self.width(line) > width + 0.01 else { continue }
                broken = true
                var piece = ""
                for character in line {
                    if !piece.isEmpty, self.width(piece + String(character)) > width {
                        lines.append(piece)
                        piece = ""
                    }
                    piece.append(character)
                }
                line = piece
            }
            lines.append(line)
        }
        return (lines, broken)
    }

    /// The beginning of a line with an ellipsis, as much as fits.
    func truncated(_ line: String, width: Double) -> String {
        var kept = line
        while !kept.isEmpty, self.width(kept + "…") > width { kept.removeLast() }
        while kept.last == " " { kept.removeLast() }
        return kept + "…"
    }
}
