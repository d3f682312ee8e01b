import Foundation
import TestSupport
import Testing

/// Each row of the tables of SECURITY.md and docs/articles.md names tests, and they exist.
@Suite struct SecurityPageTests {
    /// A row may say that what it is about is not there yet. How many do is part of what the page claims.
    @Test(
        "each row names tests that exist",
        arguments: [("SECURITY.md", "threat", 3, 0), ("docs/articles.md", "demand", 4, 0)])
    func eachRowNamesTestsThatExist(_ path: String, _ header: String, _ columns: Int, _ missing: Int) throws {
        let rows = try Self.rows(of: path, under: header)
        #expect(rows.count > 40)
        for row in rows {
            try #require(row.count == columns, "\(row)")
            let names = Self.code(in: row[2])
            #expect(!names.isEmpty || row[2] == "Not yet", "\(row[0])")
            for name in names { #expect(NamedTests.exist(name), "\(row[0]): \(name)") }
        }
        #expect(rows.count { Self.code(in: $0[2]).isEmpty } == missing)
    }

    /// A place is a type with a file of its own, and may have a name that occurs there: `UnlockPolicy.hintAfter`.
    @Test func eachPlaceOfTheArticlesExists() throws {
        for row in try Self.rows(of: "docs/articles.md", under: "demand") {
            let places = Self.code(in: row[1])
            #expect(!places.isEmpty || row[1] == "nowhere yet", "\(row[0])")
            for place in places {
                let parts = place.split(separator: ".").map(String.init)
                let texts = Self.sources[parts[0]] ?? []
                #expect(texts.contains { parts.count == 1 || $0.contains(parts[1]) }, "\(row[0]): \(place)")
            }
        }
    }

    // MARK: - Reading

    /// The texts of the sources by their types: `UnlockPolicy+Presets.swift` is one of `UnlockPolicy`.
    private static let sources: [String: [String]] = {
        let swift = ["Sources", "Tools"].flatMap { top in
            FileManager.default.enumerator(at: repository.appendingPathComponent(top), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL } ?? []
        }.filter { $0.pathExtension == "swift" }
        return Dictionary(grouping: swift) { file in String(file.lastPathComponent.prefix { $0 != "+" && $0 != "." }) }
            .mapValues { files in files.compactMap { try? String(contentsOf: $0, encoding: .utf8) } }
    }()

    /// The cells of each row of the page's tables whose first column has this header.
    private static func rows(of path: String, under header: String) throws -> [[String]] {
        let page = try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
        var rows: [[String]] = []
        var isInTable = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| \(header) |") {
                isInTable = true
            } else if isInTable, line.hasPrefix("| ") {
                rows.append(line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
            } else {
                isInTable = isInTable && line.hasPrefix("|")
            }
        }
        return rows
    }

    /// What is between backticks.
    private static func code(in cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
}
