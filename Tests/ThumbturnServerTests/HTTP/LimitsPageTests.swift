#if Tools
import Foundation
import GRDB
import TestSupport
import Testing
@testable import ThumbturnServer

/// docs/limits.md has every bound of the code with its figure, and every table of the database.
@Suite struct LimitsPageTests {
    /// The cells of the tables below a heading of the page, without the head of each table.
    private func rows(below heading: String? = nil) throws -> [[String]] {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/limits.md"), encoding: .utf8)
        let start = try heading.map { try #require(page.range(of: "\n\($0)\n")).upperBound } ?? page.startIndex
        let end = page.range(of: "\n## ", range: start..<page.endIndex)?.lowerBound ?? page.endIndex
        let section = heading == nil ? page[...] : page[start..<end]
        let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { index in
            // The head of a table has the line of dashes below it.
            lines[index].hasPrefix("| ") && !(index + 1 < lines.endIndex && lines[index + 1].hasPrefix("|---"))
        }.map { index in
            lines[index].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static let sections = [
        "## Requests and connections", "## Queues and caches", "## Accounts", "## Approvals", "## Telemetry",
    ]

    @Test func thePageHasEveryBoundWithItsFigureAndNoOther() throws {
        let page = try Self.sections.flatMap { try rows(below: $0) }.map { "\($0[0]): \($0[1])" }
        let code = Limits.table.map { "\($0.name): \($0.figure)" }
        #expect(code.count > 40)
        for line in code { #expect(page.contains(line), "docs/limits.md lacks \(line)") }
        for line in page { #expect(code.contains(line), "the code lacks \(line)") }
        #expect(page.count == code.count)
    }

    @Test func eachRowSaysWhatHappensAndWhoPays() throws {
        for row in try rows() { #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)") }
        let all = try rows().count
        #expect(all == Limits.table.count + (try rows(below: "## Tables").count), "each row is in a section that is compared")
    }

    @Test func everyFigureOfTheCodeIsInTheTable() throws {
        let folder = repository.appendingPathComponent("Sources/ThumbturnServer/Limits")
        let figures = try String(contentsOf: folder.appendingPathComponent("Limits.swift"), encoding: .utf8)
        let table = try String(
            contentsOf: repository.appendingPathComponent("Sources/ThumbturnServer/Setup/LimitsTable.swift"), encoding: .utf8)
        let names = figures.matches(of: /static let (\w+) =/).map { String($0.1) }
        #expect(names.count > 30)
        for name in names { #expect(table.contains(try Regex("\\b\(name)\\b").wordBoundaryKind(.simple)), "\(name)") }
    }

    @Test func everyTableOfTheDatabaseIsThere() throws {
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue)
        let tables = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                    AND name != 'grdb_migrations' ORDER BY name
                    """)
        }
        let page = try rows(below: "## Tables").map { $0[0].replacing("`", with: "") }
        #expect(tables.count > 10)
        #expect(page.sorted() == tables)
    }
}
#endif
