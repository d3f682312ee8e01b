#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnTestKit

/// `thumbturn verify` of evidence with `--json`, run on a file, and its lines.
struct JudgedEvidence: Sendable {
    /// The line of a case.
    struct Line: Decodable, Sendable {
        var name: String
        var verdict: String
        var reason: String?
        var level: String
        var refusals: [Refusal]
        var securityLevel: String?
        var userVerification: String?

        struct Refusal: Decodable, Sendable {
            var reason: String
            var explanation: String
        }

        /// `accept`, or the reason of the refusal.
        var result: String { reason ?? verdict }
    }

    /// The last line.
    struct Summary: Decodable, Sendable {
        var cases: Int
        var accepted: Int
        var refused: Int
        var reasons: [String: Int]
    }

    var lines: [Line]
    var summary: Summary
    var run: Finished

    /// The result of each case by its name.
    var results: [String: String] { Dictionary(lines.map { ($0.name, $0.result) }) { $1 } }

    /// Judges a file, and checks that the lines agree with each other.
    static func judge(_ format: String, _ path: String, _ options: [String] = []) async throws -> JudgedEvidence {
        let run = try await Built.run(Built.path("thumbturn"), ["verify", format, path, "--json"] + options)
        #expect(run.status == 0, "\(run.errors)")
        let texts = run.output.split(separator: "\n").map { Data($0.utf8) }
        let summary = try JSONDecoder().decode(Summary.self, from: try #require(texts.last))
        let lines = try texts.dropLast().map { try JSONDecoder().decode(Line.self, from: $0) }
        for line in lines {
            let isAccepted = line.verdict == "accept"
            #expect(isAccepted || line.verdict == "refuse")
            #expect((line.reason == nil) == isAccepted && line.refusals.isEmpty == isAccepted)
            #expect(line.refusals.first?.reason == line.reason)
            #expect(isAccepted || line.level == "software", "refused evidence proves nothing")
        }
        #expect(summary.cases == lines.count && summary.accepted + summary.refused == lines.count)
        #expect(summary.accepted == lines.count { $0.verdict == "accept" })
        #expect(summary.reasons.values.reduce(0, +) == summary.refused)
        return JudgedEvidence(lines: lines, summary: summary, run: run)
    }

    /// Judges cases that the test made, with its own roots if there are any.
    static func judge(
        _ format: String, cases: [[String: Any]], roots: [TestAuthority] = [], status: String? = nil, _ options: [String] = []
    ) async throws -> JudgedEvidence {
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = try folder.write("cases.json", try JSONSerialization.data(withJSONObject: cases))
        var options = options
        if !roots.isEmpty {
            options += ["--roots", try folder.write("roots.pem", Data(roots.map(\.pem).joined().utf8))]
        }
        if let status { options += ["--status", try folder.write("status.json", Data(status.utf8))] }
        return try await judge(format, file, options)
    }
}

/// A folder for the files of one test.
struct TestFolder {
    let path = Built.temporaryFolder()

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func write(_ name: String, _ data: Data) throws -> String {
        let file = path + "/" + name
        try data.write(to: URL(fileURLWithPath: file))
        return file
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension [UInt8] {
    var base64: String { Data(self).base64EncodedString() }
}

/// Minted evidence in the formats of the command's files.
enum EvidenceSample {
    static let appID = "TEAM123456.com.example.bank"
    static let digest = [UInt8](repeating: 1, count: 32)
    static let app = MintedApplication(package: "com.example.bank", signingDigest: digest)
    static let challenge = [UInt8](repeating: 9, count: 32)
    static let hash = [UInt8](repeating: 3, count: 32)
    static let time = "2027-01-15T08:00:00Z"
    static let seconds = 1_800_000_000

    /// A case of `verify app-attest`.
    static func appAttest(
        _ name: String, _ mint: AppAttestMint, attestation: [UInt8]? = nil, assertions: [AppAttestMint.Assertion] = []
    ) -> [String: Any] {
        [
            "name": name, "appId": appID, "environment": "production", "keyId": mint.keyID.base64,
            "attestation": (attestation ?? mint.attestation).base64, "attestationClientDataHash": hash.base64,
            "suggestedVerificationTime": time,
            "assertions": assertions.map { ["assertion": $0.encoded.base64, "clientDataHash": hash.base64] },
        ]
    }

    /// A case of `verify android-chains`.
    static func android(_ name: String, _ chain: [[UInt8]]) -> [String: Any] {
        ["name": name, "chainDerB64": chain.map(\.base64)]
    }

    /// A mint with keys on P-256, whose signatures cost little.
    static func mint(
        _ root: TestAuthority, form: AndroidMint.Form = .factory, edit: (inout AndroidMint) -> Void = { _ in }
    ) -> AndroidMint {
        var mint = AndroidMint(
            root: root, form: form, key: .p256(), description: MintedKeyDescription(challenge: challenge, app: app))
        (mint.intermediateKey, mint.serverKey) = (.p256(), .p256())
        edit(&mint)
        return mint
    }
}
#endif
