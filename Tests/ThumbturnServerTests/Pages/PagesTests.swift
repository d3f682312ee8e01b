import Foundation
import TestSupport
import Testing
import ThumbturnCore

/// The form of the pages: length, width, and plain words.
@Suite struct PagesTests {
    @Test func theReadmeIsShort() throws {
        let lines = try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
        // The last line ends with a line break.
        #expect(lines.count - 1 < 120)
        for (number, line) in lines.enumerated() { #expect(line.count < 120, "README.md:\(number + 1)") }
    }

    /// The cells of a table cannot be wrapped.
    @Test func noLineIsWiderThanAScreen() throws {
        for page in try Self.pages {
            for (number, line) in try Self.text(page).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                #expect(line.count <= 120 || line.hasPrefix("|"), "\(page):\(number + 1)")
            }
        }
    }

    /// A link between the pages leads to a file, and to a heading in it.
    @Test func everyLinkLeadsSomewhere() throws {
        for page in try Self.pages {
            let folder = URL(fileURLWithPath: page, relativeTo: repository).deletingLastPathComponent()
            for match in try Self.text(page).matches(of: /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/) {
                let target =
                    match.1.isEmpty
                    ? URL(fileURLWithPath: page, relativeTo: repository) : folder.appendingPathComponent(String(match.1))
                let text = try? String(contentsOf: target, encoding: .utf8)
                #expect(text != nil || FileManager.default.fileExists(atPath: target.path), "\(page): \(match.0)")
                guard let anchor = match.2, let text else { continue }
                #expect(Self.anchors(of: text).contains(String(anchor)), "\(page): \(match.0)")
            }
        }
    }

    @Test func eachTermOfTheGlossaryIsThereOnce() throws {
        let rows = try Self.text("docs/glossary.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        let cells = rows.compactMap { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) }
        let terms = cells.filter { $0 != "term" }.flatMap { $0.split(separator: ", ").map(String.init) }
        #expect(terms.count > 50)
        for term in Set(terms) { #expect(terms.filter { $0 == term }.count == 1, "\(term)") }
    }

    /// An app replaces a text by its name, so each name is on a page, with the text.
    @Test func theTableOfTextsIsWhole() throws {
        let rows = try Self.text("docs/texts.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == MessageKey.allCases.count)
        for (row, key) in zip(rows, MessageKey.allCases) {
            #expect(row.hasPrefix("| `\(key.rawValue)` | "), "\(row)")
            if key.placeholder == nil { #expect(row == "| `\(key.rawValue)` | \(PersonMessage(key)) |") }
        }
    }

    @Test func plainEnglish() throws {
        let rules = try PlainEnglish()
        #expect(!rules.words.isEmpty && !rules.places.isEmpty)
        for path in rules.places.flatMap(Self.files) {
            for (number, line) in try Self.text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for (word, instead) in rules.words(in: String(line), of: path) {
                    Issue.record("\(path):\(number + 1) has “\(word)”; write: \(instead)")
                }
            }
        }
    }

    @Test func theLintFindsWhatItRefuses() throws {
        let rules = try PlainEnglish(text: "in docs\nno wish: request\nexcept docs/a.md: wish\n")
        #expect(rules.words(in: "The wishes of a Wish", of: "docs/b.md").map(\.word) == ["wish"])
        #expect(rules.words(in: "The wishes", of: "docs/a.md").isEmpty)
        #expect(rules.words(in: "`wish`, wishful, wishTo", of: "docs/b.md").isEmpty, "code and other words are left alone")
    }

    // MARK: - Reading

    private static var pages: [String] {
        get throws {
            ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"] + files("docs")
                + files("Sources/Thumbturn/Thumbturn.docc")
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    }

    /// The pages and sources below a path, which may be one itself.
    private static func files(_ path: String) -> [String] {
        guard !path.hasSuffix(".md"), !path.hasSuffix(".swift") else { return [path] }
        let names =
            FileManager.default.enumerator(atPath: repository.appendingPathComponent(path).path)?.compactMap { $0 as? String }
            ?? []
        return names.filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.sorted().map { "\(path)/\($0)" }
    }

    /// The anchors that a page's headings have on GitHub.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.replacing(" ", with: "-")
            })
    }
}

/// The rules of PlainEnglish.txt.
private struct PlainEnglish {
    var places: [String] = []
    var words: [(word: String, instead: String)] = []
    private var exceptions: Set<[String]> = []

    init(text: String? = nil) throws {
        let file = repository.appendingPathComponent("Tests/PlainEnglish.txt")
        for line in try (text ?? String(contentsOf: file, encoding: .utf8)).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            let halves = parts[1].split(separator: ": ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "in": places.append(parts[1])
            case "no": words.append((halves[0], try #require(halves.dropFirst().first)))
            case "except": exceptions.insert(halves)
            default: Issue.record("PlainEnglish.txt: \(line)")
            }
        }
    }

    /// The refused words of a line, each once. Code between backticks is left alone.
    func words(in line: String, of path: String) -> [(word: String, instead: String)] {
        let text = line.replacing(/`[^`]*`/, with: "").lowercased()
        let found = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        return words.filter { word, _ in
            !found.isDisjoint(with: [word, word + "s", word + "es"]) && !exceptions.contains([path, word])
        }
    }
}
