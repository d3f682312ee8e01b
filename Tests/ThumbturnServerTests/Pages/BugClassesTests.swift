import Foundation
import TestSupport
import Testing

/// The table of docs/bug-classes.md has each class once, and the tests that it names exist.
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

    @Test func eachNumberIsThereOnce() {
        #expect(Self.rows.map(\.number) == Array(1...25))
    }

    @Test func eachNamesTests() {
        #expect(Self.rows.filter(\.names.isEmpty).map(\.number) == [])
    }

    @Test func eachNamedTestExists() {
        for row in Self.rows {
            for name in row.names { #expect(NamedTests.exist(name), "\(row.number): \(name)") }
        }
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
