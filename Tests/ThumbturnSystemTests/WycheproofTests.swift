#if Tools
import Foundation
import TestSupport
import Testing

/// Project Wycheproof's cases, run through the verifier's checks by the command.
@Suite(.enabled(if: Vectors.areHere)) struct WycheproofTests {
    struct NotAFile: Error {}

    /// The output of the command with `--json`.
    struct Report: Decodable {
        struct Row: Decodable {
            var says: String
            var accepted: Int
            var refused: Int
        }
        struct Difference: Decodable {
            var id: Int
            var says: String
            var verdict: String
        }
        struct NotJudged: Decodable { var cases: Int }
        var cases: Int
        var judged: Int
        var as_the_file_says: Int
        var rows: [Row]
        var differences: [Difference]
        var not_judged: [NotJudged]

        func row(_ says: String) -> [Int] { rows.filter { $0.says == says }.flatMap { [$0.accepted, $0.refused] } }
    }

    static let folder = Vectors.folder.appendingPathComponent("wycheproof/testvectors_v1")

    private func verify(_ path: String) async throws -> (status: Int32, report: Report) {
        let run = try await Built.run(Built.path("thumbturn"), ["verify", "wycheproof", path, "--json"])
        return (run.status, try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)))
    }

    /// The number of cases in a file, and for each expected result the numbers of accepted and refused cases.
    struct Expected: Sendable {
        var file: String
        var cases: Int
        var valid = [0, 0]
        var invalid = [0, 0]
        var acceptable = [0, 0]
        var judged: Int { (valid + invalid + acceptable).reduce(0, +) }
    }

    static let expected = [
        Expected(file: "ecdsa_secp256r1_sha256_test.json", cases: 484, valid: [174, 0], invalid: [0, 310]),
        Expected(file: "ecdsa_secp256r1_sha256_p1363_test.json", cases: 262, valid: [173, 0], invalid: [0, 89]),
        Expected(file: "json_web_signature_test.json", cases: 401, valid: [2, 0], invalid: [0, 39]),
        Expected(file: "json_web_key_test.json", cases: 26, invalid: [0, 7]),
        Expected(file: "json_web_crypto_test.json", cases: 83, valid: [1, 0], invalid: [0, 15]),
        // The acceptable cases are alternative encodings, explicit parameters and compressed points, which a strict import
        // refuses.
        Expected(
            file: "ecdh_secp256r1_test.json", cases: 612, valid: [330, 0], invalid: [0, 52], acceptable: [0, 230]),
        Expected(
            file: "ecdh_secp256r1_pem_test.json", cases: 612, valid: [330, 0], invalid: [0, 52], acceptable: [0, 230]),
        Expected(file: "hmac_sha256_test.json", cases: 174),
    ]

    @Test func noFileIsLeftOut() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".json") }
        #expect(Set(files) == Set(Self.expected.map(\.file)))
    }

    @Test("the results match the file", arguments: expected) func aFile(_ expected: Expected) async throws {
        let (status, report) = try await verify(Self.folder.appendingPathComponent(expected.file).path)
        #expect(status == (expected.judged == 0 ? 2 : 0))
        #expect(report.cases == expected.cases && report.judged == expected.judged)
        #expect(report.as_the_file_says == report.judged && report.differences.isEmpty, "\(report.differences)")
        #expect(report.row("valid") == expected.valid)
        #expect(report.row("invalid") == expected.invalid)
        #expect(report.row("acceptable") == expected.acceptable)
        let others = report.not_judged.map(\.cases).reduce(0, +)
        #expect(others == expected.cases - expected.judged, "cases that were not judged are counted apart")
    }

    @Test func aTamperedFileIsFoundOut() async throws {
        let copy = Built.temporaryFolder() + ".json"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        typealias Groups = [[String: Any]]
        func changed(_ file: String, _ change: (inout Groups) -> Void) async throws -> (status: Int32, report: Report) {
            let data = try Data(contentsOf: Self.folder.appendingPathComponent(file))
            guard var whole = try JSONSerialization.jsonObject(with: data) as? [String: Any],
                var groups = whole["testGroups"] as? Groups
            else { throw NotAFile() }
            change(&groups)
            whole["testGroups"] = groups
            try JSONSerialization.data(withJSONObject: whole).write(to: URL(fileURLWithPath: copy))
            return try await verify(copy)
        }
        func first(_ groups: inout Groups, _ change: (inout [String: Any]) -> Void) {
            guard var cases = groups[0]["tests"] as? Groups, !cases.isEmpty else { return }
            change(&cases[0])
            groups[0]["tests"] = cases
        }

        // The first case of each file is valid.
        for file in ["ecdsa_secp256r1_sha256_test.json", "ecdsa_secp256r1_sha256_p1363_test.json"] {
            let relabelled = try await changed(file) { first(&$0) { $0["result"] = "invalid" } }
            #expect(relabelled.status == 1 && relabelled.report.differences.map(\.id) == [1])
            #expect(relabelled.report.differences.first?.verdict == "accepted")
            let message = try await changed(file) { first(&$0) { $0["msg"] = "00" } }
            #expect(message.status == 1 && message.report.differences.first?.verdict == "refused (wrongSignature)")
            let unreadable = try await changed(file) { first(&$0) { $0["sig"] = "3" } }
            #expect(unreadable.status == 1 && unreadable.report.differences.map(\.id) == [1])
            let key = try await changed(file) { groups in
                groups[0]["publicKeyDer"] = groups[1]["publicKeyDer"]
            }
            #expect(key.status == 1 && key.report.differences.map(\.verdict).contains("the group's key was refused"))
            let shorter = try await changed(file) { $0.removeLast() }
            #expect(shorter.status == 1 && shorter.report.differences.isEmpty, "an incomplete file has no differences")
        }
        // An ES256 signature in a group with an HMAC key must be refused, and a group with another hash must not be judged.
        let foreign = try await changed("json_web_signature_test.json") { groups in
            let es256 = groups.first { $0["comment"] as? String == "es256" }?["tests"] as? Groups ?? []
            first(&groups) { $0["jws"] = es256.first?["jws"] }
        }
        #expect(foreign.status == 0, "an ES256 signature is refused under a key for another algorithm")
        let other = try await changed("ecdsa_secp256r1_sha256_test.json") { groups in
            for index in groups.indices { groups[index]["sha"] = "SHA-512" }
        }
        #expect(other.status == 2 && other.report.judged == 0 && other.report.not_judged.map(\.cases) == [484])
    }

    @Test func casesThatWereNotJudgedAreListedWithTheReason() async throws {
        func run(_ path: String) async throws -> Finished {
            try await Built.run(Built.path("thumbturn"), ["verify", "wycheproof", path])
        }
        let signatures = try await run(Self.folder.appendingPathComponent("json_web_signature_test.json").path)
        #expect(signatures.output.contains("41 of 41 judged cases match the file."))
        #expect(signatures.output.contains("360 of 401 cases were not judged:"))
        #expect(signatures.output.contains("keys for RS256: this verifier supports only ES256"))
        let crypto = try await run(Self.folder.appendingPathComponent("json_web_crypto_test.json").path)
        #expect(crypto.output.contains("JWE: this verifier does not decrypt"))
        #expect(try await run(Self.folder.path).status == 66)
        #expect(try await run(repository.appendingPathComponent("Package.swift").path).status == 66)
    }
}
#endif
