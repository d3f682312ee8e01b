import Foundation
import ThumbturnCore

/// Stems of words that blame, or say that something is broken. No person reads one.
enum BannedWords {
    static func stems(in language: MessageLanguage) -> [String] {
        switch language {
        case .english:
            [
                "fail", "error", "wrong", "invalid", "incorrect", "mistake", "denied", "reject", "illegal", "fault", "forbidden",
                "unauthori",
            ]
        case .german:
            [
                "fehl", "falsch", "ungültig", "gescheitert", "misslung", "missglück", "schuld", "verboten", "abgelehnt",
                "verweigert", "inkorrekt", "unzulässig",
            ]
        case .french:
            [
                "échec", "échou", "erreur", "erron", "invalide", "incorrect", "mauvais", "faux", "fausse", "faute", "refus",
                "interdit",
            ]
        case .spanish:
            [
                "fall", "fracas", "error", "erróne", "incorrect", "equivoc", "inválid", "no válid", "culpa", "rechaz", "deneg",
                "prohib",
            ]
        case .arabic: ["فشل", "خطأ", "خاطئ", "أخطا", "غير صالح", "غير صحيح", "مرفوض", "رفض", "ممنوع", "ذنب", "أخفق", "إخفاق"]
        }
    }

    /// The banned stems in a text. Neither vowel marks nor marks of direction hide a word.
    static func found(in text: String, _ language: MessageLanguage) -> [String] {
        let bare = String(String.UnicodeScalarView(text.lowercased().unicodeScalars.filter { !isMark($0) }))
        return stems(in: language).filter { bare.contains($0) }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [0x064B...0x0652, 0x200B...0x200F, 0x2066...0x2069, 0xAD...0xAD].contains { $0.contains(scalar.value) }
    }
}

/// The sentences in a Swift file: literals of two words or more. What is put into them at run time is left out, and so are
/// names without spaces, such as those of a bus.
struct Sentences {
    let all: [String]

    init(of file: URL) throws {
        var all: [String] = []
        var isInBlock = false
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if text.contains("\"\"\"") {
                isInBlock.toggle()
            } else if isInBlock {
                all.append(String(text))
            } else if !text.hasPrefix("//"), !text.contains("preconditionFailure(") {
                all += text.replacing(/\\\([^"]*?\)/, with: "").matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.1) }
            }
        }
        self.all = all.filter { $0.contains(/\w[^\w]* [^\w]*\w/) }
    }
}
