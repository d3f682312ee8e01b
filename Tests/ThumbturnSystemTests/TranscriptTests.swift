#if Tools
import Foundation
import TestSupport
import Testing

/// Runs the commands that the pages show, and compares what they print.
@Suite struct TranscriptTests {
    static let tools = ["bash", "curl", "openssl", "perl", "sed", "cmp"]
    static let areHere = Requirement.curl.isMet(
        tools.allSatisfy { tool in
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
        }, needs: tools.joined(separator: ", "))

    @Test(.enabled(if: areHere)) func fromAnAccountToAnApprovedPayment() async throws {
        try await run(
            "docs/approvals.md", with: ["accounts add", "/redeem"], among: ["sh", "text", "json", "swift"], then: Self.more)
    }

    @Test(.enabled(if: areHere)) func aPlainClientSignsIn() async throws {
        try await run("docs/plain-clients.md", with: ["accounts add", "plain sign-in"], among: ["sh", "text"])
    }

    @Test(.enabled(if: areHere && JudgeTests.isHere)) func aBackEndGetsATokenThatPyJWTAccepts() async throws {
        let languages: Set = ["sh", "text", "swift", "kotlin", "java"]
        try await run("README.md", with: ["accounts add", "jwt.decode"], among: languages)
    }

    /// - Parameters:
    ///   - path: the page.
    ///   - lines: parts of what is typed.
    ///   - languages: all languages of the page's blocks.
    private func run(
        _ path: String, with lines: [String], among languages: Set<String>, then more: String = ""
    ) async throws {
        let page = try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
        let port = try await Built.freePort()
        let blocks = Self.blocks(of: page.replacing(":8080", with: ":\(port)"))
        let script = blocks.filter { $0.language == "sh" }.map(\.text).joined(separator: "\n")
        let expected = try #require(blocks.first { $0.language == "text" }).text
        #expect(lines.allSatisfy { script.contains($0) })
        #expect(Set(blocks.map(\.language)) == languages, "every line to type is run")

        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The README's commands are run in a clone of the repository.
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/docs", withDestinationPath: repository.appendingPathComponent("docs").path)
        // `python3` is the one with PyJWT.
        let commands = [
            Built.folder.path, URL(fileURLWithPath: JudgeTests.python).deletingLastPathComponent().path,
            ProcessInfo.processInfo.environment["PATH"] ?? "",
        ]
        let ran = try await Built.run(
            "/usr/bin/env",
            ["bash", "-c", "cd \(folder)\nset -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n" + script + more],
            environment: ["PATH": commands.joined(separator: ":")])
        #expect(ran.status == 0, "\(ran.errors)")
        let (printed, wanted) = (Self.lines(ran.output), Self.lines(expected))
        #expect(printed.count == wanted.count, "\(ran.output)\(ran.errors)")
        for (line, pattern) in zip(printed, wanted) { #expect(Self.fits(line, pattern), "\(line)") }
    }

    /// The exit statuses that the page of approvals lists, with the files that its commands made.
    private static let more = #"""

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

    /// Whether a line is the one of the page, where `…` is any text.
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
