import Foundation
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnAndroid

/// The tables of the page about Android, printed from the tables that the adapter uses.
@Suite struct DocumentationTests {
    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        ([heads, heads.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func next(_ recovery: Recovery) -> String { "\(recovery)" }

    static let tables: [String] = [
        table(
            ["result", "name", "state of the sensor"],
            AuthenticatorStates.rows.map { ["\($0.number)", "`\($0.name)`", "\($0.state)"] }),
        table(
            ["error", "name", "failure", "next step"],
            PromptErrors.rows.map { ["\($0.number)", "`\($0.name)`", "`\($0.code.name)`", next($0.recovery)] }),
        table(
            ["sensor", "code", "name", "reading"],
            HelpCodes.rows.map { ["\($0.sensor)", "\($0.number)", "`\($0.name)`", $0.reading.map { "`\($0)`" } ?? "none"] }),
        table(
            ["exception", "number", "failure", "next step", "remark"],
            AndroidThrown.rows.map {
                ["`\($0.name)`", $0.number.map(String.init) ?? "any", "`\($0.code.name)`", next($0.recovery), $0.why]
            }),
        table(
            ["level", "place", "in hardware"],
            KeyPlace.allCases.map { ["\($0.rawValue)", "`\($0)`", $0.isInHardware ? "yes" : "no"] }),
    ]

    @Test("the page has every table as the adapter has it")
    func page() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/android.md"), encoding: .utf8)
        for table in Self.tables {
            #expect(page.contains("\n\(table)\n"), "the page needs this table:\n\(table)")
        }
    }
}
