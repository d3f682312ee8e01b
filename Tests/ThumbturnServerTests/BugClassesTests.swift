import Foundation
import TestSupport
import Testing

/// The table of bug classes names what there is.
@Suite struct BugClassesTests {
    struct Row {
        var number: Int
        var shownBy: String
        var names: [String]
    }

    static let rows: [Row] = {
        let file = repository.appendingPathComponent("docs/bug-classes.md")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.matches(of: /(?m)^\| (\d+) \| .* \| .* \| (.*) \|$/).map { row in
            Row(
                number: Int(row.1) ?? 0, shownBy: String(row.2),
                names: row.2.matches(of: /`([^`]+)`/).map { String($0.1) }
            )
        }
    }()

    static let sources: [String] = {
        let files = FileManager.default.enumerator(
            at: repository.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }()

    @Test func eachNumberIsThereOnce() {
        #expect(Self.rows.map(\.number) == Array(1...25))
    }

    /// Those of evidence alone are not shown at all.
    @Test func eachIsShownOrSaysThatItIsToCome() {
        let missing = Self.rows.filter(\.names.isEmpty)
        #expect(missing.allSatisfy { $0.shownBy == "(to come)" })
        #expect(missing.map(\.number) == [15, 16, 17, 19, 23])
    }

    @Test func eachNamedTestExists() {
        for row in Self.rows {
            for name in row.names {
                let parts = name.split(separator: ".")
                #expect(
                    parts.count == 2
                        && Self.sources.contains {
                            $0.contains("struct \(parts[0]) {") && Self.isATest("func \(parts[1])(", in: $0)
                        },
                    "\(row.number): \(name)")
            }
        }
    }

    /// Nothing else is declared between the attribute and the function.
    private static func isATest(_ function: String, in source: String) -> Bool {
        guard let found = source.range(of: function),
            let attribute = source.range(of: "@Test", options: .backwards, range: source.startIndex..<found.lowerBound)
        else { return false }
        return !source[attribute.upperBound..<found.lowerBound].contains("func ")
    }

    @Test func dependenciesAreNewEnough() throws {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable { var version: String? }
                var identity: String
                var state: State
            }
            var pins: [Pin]
        }
        let file = repository.appendingPathComponent("Package.resolved")
        let pins = try JSONDecoder().decode(Resolved.self, from: Data(contentsOf: file)).pins
        // CVE-2026-43823.
        for (identity, least) in ["swift-crypto": [4, 5, 1]] {
            let version = try #require(pins.first { $0.identity == identity }?.state.version)
            let numbers = version.split(separator: ".").compactMap { Int($0) }
            #expect(numbers.count == 3 && !numbers.lexicographicallyPrecedes(least), "\(identity) \(version)")
        }
    }
}
