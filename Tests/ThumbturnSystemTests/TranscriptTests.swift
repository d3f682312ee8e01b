#if Tools
import Foundation
import TestSupport
import Testing

/// The shell transcripts of the documentation, run as a reader would run them.
@Suite struct TranscriptTests {
    static let tools = ["bash", "curl", "openssl", "perl", "sed", "cmp"]
    static let areHere = Requirement.curl.isMet(
        tools.allSatisfy { tool in
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
        }, needs: tools.joined(separator: ", "))

    @Test(.enabled(if: areHere)) func thePageOfApprovalsRuns() async throws {
        try await run(
            "approvals", with: ["accounts add", "/redeem"], among: ["sh", "text", "json", "swift"], then: Self.exitStatuses)
    }

    @Test(.enabled(if: areHere)) func thePageOfPlainClientsRuns() async throws {
        try await run("plain-clients", with: ["accounts add", "plain sign-in"], among: ["sh", "text"])
    }

    /// Runs a page's shell blocks and compares the output with its text block.
    ///
    /// - Parameters:
    ///   - lines: some lines that the shell blocks must contain.
    ///   - languages: the languages of all blocks on the page.
    private func run(
        _ name: String, with lines: [String], among languages: Set<String>, then moreLines: String = ""
    ) async throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
        let port = try await Built.freePort()
        let blocks = Self.blocks(of: page.replacing(":8080", with: ":\(port)"))
        let script = blocks.filter { $0.language == "sh" }.map(\.text).joined(separator: "\n")
        let expected = try #require(blocks.first { $0.language == "text" }).text
        #expect(lines.allSatisfy { script.contains($0) })
        #expect(Set(blocks.map(\.language)) == languages, "every block to type is run")

        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(Built.folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let ran = try await Built.run(
            "/usr/bin/env",
            ["bash", "-c", "cd \(folder)\nset -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n" + script + moreLines],
            environment: ["PATH": path])
        #expect(ran.status == 0, "\(ran.errors)")
        let (printed, wanted) = (Self.lines(ran.output), Self.lines(expected))
        #expect(printed.count == wanted.count, "\(ran.output)\(ran.errors)")
        for (line, pattern) in zip(printed, wanted) { #expect(Self.fits(line, pattern), "\(line)") }
    }

    /// Checks the exit statuses on the page of approvals with the files of the transcript.
    private static let exitStatuses = #"""

        status() { local status=0; "$@" >out.log 2>&1 || status=$?; echo "$status" >>statuses; }
        status thumbturn verify proof proof.json
        sed 's/"signatures":\[.*\],"txn"/"signatures":[],"txn"/' proof.json >changed.json
        status thumbturn verify proof changed.json --jwks jwks.json
        status thumbturn verify proof bank.pub --jwks jwks.json
        status thumbturn verify proof proof.json --jwks bank.pub
        status thumbturn verify proof missing.json
        status thumbturn verify proof proof.json --jwks jwks.json --json
        [ "$(tr '\n' ' ' <statuses)" = "2 1 1 66 66 0 " ] || { cat statuses >&2; exit 1; }
        """#

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// Whether a line matches a line of the page, in which `…` matches any text.
    private static func fits(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return line == pattern }
        guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = line[...]
        for part in parts where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    private static func blocks(of page: String) -> [(language: String, text: String)] {
        page.components(separatedBy: "\n```").enumerated().compactMap { index, part in
            guard index % 2 == 1, let end = part.firstIndex(of: "\n") else { return nil }
            return (String(part[..<end]), String(part[part.index(after: end)...]))
        }
    }
}
#endif
