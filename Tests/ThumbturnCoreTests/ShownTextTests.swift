import Testing
import ThumbturnCore

/// Texts that mislead a person are refused, because what is shown is what is signed.
@Suite struct ShownTextTests {
    @Test(
        "what turns, hides or doubles what stands beside it is not shown",
        arguments: [
            "", " ", "a ", " a", "a  b", "12\u{202E}34", "a\u{2066}b", "zero\u{200B}width", "a\u{200D}b", "a\u{FEFF}b",
            "a\u{AD}b",
            "line\nbreak", "a\u{2028}b", "a\u{0}b", "a\u{A0}b", "a\u{3000}b", "a\u{115F}b", "a\u{3164}b", "a\u{2800}b",
            "a\u{34F}b",
            "a\u{FE0F}b", "a\u{E0041}b", "a\u{E000}b", "a\u{301}\u{301}\u{301}\u{301}b", "\u{FFFF}",
        ])
    func hidden(_ text: String) {
        #expect(!ShownText.isShownAsItIs(text))
        #expect(!ShownText.line.holds(text) && !ShownText.name.holds(text))
    }

    @Test(
        "a line leaves out what is not shown, and keeps the rest",
        arguments: [
            ("", "\u{FFFD}"), (" \n\u{202E}", "\u{FFFD}"), ("Ada’s phone", "Ada’s phone"), ("12\u{202E}34\u{202C}", "1234"),
            ("\u{1B}[2Jphone", "[2Jphone"), (" a \r\n\t b\u{A0}\u{3000}\u{2028}c ", "a b c"), ("a \u{200B} b", "a b"),
            ("e\u{301}\u{301}\u{301}\u{301}\u{301}g", "e\u{301}\u{301}\u{301}g"), ("דוד כהן", "דוד כהן"),
            (String(repeating: "ab ", count: 1000), String(String(repeating: "ab ", count: 47).dropLast())),
        ])
    func line(_ text: String, _ line: String) {
        #expect(ShownText.line(from: text) == line)
        #expect(ShownText.line.holds(ShownText.line(from: text)))
    }

    @Test(
        "and honest names of all kinds are",
        arguments: [
            "Super Store", "Müller & Söhne", "Łukasz Żółć", "Nguyễn Thị Minh", "O’Brien-Smith", "Иван Петров", "Γιώργος Παπάς",
            "株式会社トヨタ Toyota", "דוד כהן", "محمد علي", "Ş.C. Ünal", "IBM", "7-Eleven", "H₂O Bar", "Café™", "№ 5",
            "AC/DC", "Ａ not here".replacing("Ａ", with: "A"),
        ])
    func honest(_ name: String) {
        #expect(ShownText.name.holds(name))
        #expect(Alphabet.look(of: name) == .plain)
    }

    @Test(
        "a word of several alphabets passes for another's name",
        arguments: [
            "Аpple", "PаyPal", "Gооgle", "Αmazon", "Ѕuper", "𝐒uper", "Ｓuper", "Ⓢuper", "Ꭺpple", "Fаcebook Ltd", "paypаl-service",
        ])
    func lookAlikes(_ name: String) {
        #expect(Alphabet.look(of: name) == .refused && !ShownText.name.holds(name))
    }

    @Test(
        "words of different alphabets, or all of double letters, are flagged",
        arguments: ["ООО IBM", "СОСО", "Рора", "ΑΒΕ Store"])
    func flagged(_ name: String) {
        #expect(Alphabet.look(of: name) == .flagged && ShownText.name.holds(name))
    }

    @Test(
        "an amount names one number in one way",
        arguments: [
            ("0", true), ("0.5", true), ("12.50", true), ("123456789012345", true), ("1.2345", true), ("", false), ("-1", false),
            ("+1", false), ("01", false), ("1.", false), (".5", false), ("1.23456", false), ("1234567890123456", false),
            ("1e3", false),
            ("1,50", false), ("1 000", false), ("٣", false), ("1.2.3", false),
        ])
    func amounts(_ text: String, _ holds: Bool) {
        #expect(ShownText.amount.holds(text) == holds)
    }

    @Test(
        "identifiers, domains, currencies and dates",
        arguments: [
            (ShownText.identifier, "DE75512108001245126199", true), (.identifier, "DE75 5121", false), (.identifier, "é", false),
            (.identifier, "", false), (.identifier, String(repeating: "a", count: 64), true),
            (.identifier, String(repeating: "a", count: 65), false), (.domain, "shop.example", true),
            (.domain, "Shop.example", false),
            (.domain, "shор.example", false), (.domain, "shop.example/x", false), (.currency, "EUR", true),
            (.currency, "eur", false),
            (.currency, "EURO", false), (.date, "2026-11-21", true), (.date, "21.11.2026", false), (.date, "2026-11-2", false),
            (.dateTime, "2026-11-21T10:20:30Z", true), (.dateTime, "2026-11-21T10:20:30.123+01:00", true),
            (.dateTime, "2026-11-21 10:20:30Z", false), (.dateTime, "2026-11-21T10:20:30 Z", false),
            (.dateTime, "2026-11-21", false),
            (.name, String(repeating: "n", count: 70), true), (.name, String(repeating: "n", count: 71), false),
        ])
    func others(_ kind: ShownText, _ text: String, _ holds: Bool) {
        #expect(kind.holds(text) == holds, "\(text)")
    }
}
