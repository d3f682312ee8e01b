#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// The problem types, the OAuth codes and the log reasons are short lists, and docs/http.md has all of them.
@Suite struct ReasonTests {
    /// The tables below a heading, each by the words of its first column.
    private func tables(below heading: String) throws -> [[String]] {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/http.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: Substring(heading)))
        var tables: [[String]] = []
        for line in lines[(start + 1)...].prefix(while: { !$0.hasPrefix("#") }) {
            if line.hasPrefix("|---") { tables.append([]) }
            guard !tables.isEmpty, line.hasPrefix("| `"), let word = line.split(separator: "`").dropFirst().first else {
                continue
            }
            tables[tables.count - 1].append(String(word))
        }
        return tables
    }

    @Test func thePageHasEveryReasonOfTheLogAndNoOther() throws {
        let tables = try tables(below: "### What the operator reads")
        #expect(tables.count == 2)
        #expect(tables[0].sorted() == LogReason.Subject.allCases.map(\.rawValue).sorted())
        #expect(tables[1].sorted() == LogReason.causes.sorted())
        #expect(Set(LogReason.causes).count == LogReason.causes.count, "no word has two meanings")
    }

    @Test func thePageHasEveryProblemTypeAndNoOther() throws {
        let tables = try tables(below: "## Refusals")
        #expect(tables.count == 1)
        #expect(tables[0].sorted() == Problem.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test func thePageHasEveryOAuthCode() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/http.md"), encoding: .utf8)
        let codes =
            OAuthError.allCases.map(\.rawValue) + ApprovalConflict.all.map(\.code)
            + [AccountQuota.Full.devices.rawValue]
        #expect(codes.contains("invalid_grant") && codes.contains("too_many_open"))
        for code in codes { #expect(page.contains("`\(code)`"), "\(code)") }
    }

    @Test func aReasonIsTwoWords() {
        #expect(LogReason(.proof, .wrongSignature).code == "proof wrongSignature")
        #expect(LogReason(.account, .wrongCredentials).code == "account wrongCredentials")
        #expect(LogReason(.stepUp, StepUpTable.Unasked.unknownAction).code == "step-up unknownAction")
    }
}
#endif
