import Foundation
import TestSupport
import Testing
@testable import ThumbturnVerifier

/// The tables of docs/evidence.md say what the tables of the sources do.
@Suite struct EvidenceTablesTests {
    /// The codes of reasons in the tables of a section.
    private static func reasons(in section: String) throws -> Set<String> {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/evidence.md"), encoding: .utf8)
        let text = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix(section + "\n") })
        var found: Set<String> = []
        var isTable = false
        for line in text.components(separatedBy: "\n") {
            if line.hasSuffix("| reason of a refusal |") { isTable = true }
            if !line.hasPrefix("|") { isTable = false }
            guard isTable, let cell = line.components(separatedBy: "|").dropLast().last else { continue }
            found.formUnion(cell.matches(of: /`([a-z_]+)`/).map { String($0.1) })
        }
        return found
    }

    private static func codes(_ reasons: [EvidenceRefusal.Reason]) -> Set<String> { Set(reasons.map(\.rawValue)) }

    @Test("each reason of the page is one of the verifier", arguments: ["App Attest", "Android", "TPM"])
    func known(_ section: String) throws {
        let named = try Self.reasons(in: section)
        #expect(named.count > 5 && named.isSubset(of: Self.codes(EvidenceRefusal.Reason.allCases)))
    }

    @Test func thePageNamesEachCheckOfAnAttestation() throws {
        let named = try Self.reasons(in: "App Attest")
        let checks = AttestationCheck.all.map(\.reason).filter { $0 != .malformed }
        #expect(Self.codes(checks).subtracting(named) == [])
        #expect(named.isSuperset(of: Self.codes([.untrustedRoot, .wrongSignature, .counterNotGreater])))
    }

    @Test func thePageNamesEachConditionOnAnAndroidKey() throws {
        let named = try Self.reasons(in: "Android")
        #expect(Self.codes(AndroidCondition.all.map(\.reason)).subtracting(named) == [])
        #expect(named.isSuperset(of: Self.codes([.revoked, .suspended, .statusUnknown])))
    }

    /// The TPM's rules are code, so their reasons are looked for in it.
    @Test func thePageNamesEachReasonOfTheTPMsRules() throws {
        let folder = repository.appendingPathComponent("Sources/ThumbturnVerifier/Evidence/TPM")
        let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let names = Set(sources.matches(of: /\.(\w+)/).map { String($0.1) })
        let form: [EvidenceRefusal.Reason] = [.malformed, .tooLarge, .unsupported, .weakKey, .missing]
        let used = EvidenceRefusal.Reason.allCases.filter { names.contains("\($0)") && !form.contains($0) }
        #expect(used.count > 8)
        #expect(Self.codes(used).subtracting(try Self.reasons(in: "TPM")) == [])
    }
}
