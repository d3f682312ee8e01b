import Foundation
import TestSupport
import Testing

/// Each threat of SECURITY.md names tests, and they exist.
@Suite struct SecurityPageTests {
    @Test func eachThreatNamesTestsThatExist() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("SECURITY.md"), encoding: .utf8)
        let start = try #require(page.range(of: "## Threats\n")).upperBound
        let end = try #require(page.range(of: "\n## ", range: start..<page.endIndex)).lowerBound
        let rows = page[start..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 20)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3, "\(row)")
            let names = cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!names.isEmpty, "\(cells[0])")
            for name in names { #expect(NamedTests.exist(name), "\(cells[0]): \(name)") }
        }
    }
}
