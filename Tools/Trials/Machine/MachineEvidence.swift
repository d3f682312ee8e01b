#if Tools && os(Linux)
import Foundation
import Thumbturn
import ThumbturnCommands

/// The evidence policy of the server that a machine's story runs against: it is written once the machine's TPM and matcher are
/// there, and the server reads it again on SIGHUP.
struct MachineEvidence {
    /// The file of `thumbturn-server serve --evidence`.
    let file: String
    /// The server's process.
    let process: Int32
    let server: URL

    /// What the policy says that the lab's TPM is.
    enum Kind: String {
        case chips
        case testHardware = "test-hardware"

        /// The best level of such a policy, which the server's metadata lists.
        fileprivate var best: Assurance {
            Assurance(protection: self == .chips ? .software : .attestedHardware, verification: .biometric)
        }
    }

    /// Has the server trust an issuer of endorsement certificates, and a matcher. Returns when the server judges by it.
    ///
    /// - Parameters:
    ///   - issuer: a file in PEM.
    ///   - matcher: the thumbprint of its key.
    func trust(_ issuer: String, as kind: Kind, matcher: String) async throws {
        let pem = try String(contentsOfFile: issuer, encoding: .utf8)
        let place = URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: "endorsement.pem")
        let minimum: KeyProtection = kind == .chips ? .software : .attestedHardware
        let policy = """
            {
              "format": "thumbturn-evidence/1",
              "without_evidence": "lower",
              "tpm": {
                "roots": [{"file": "endorsement.pem", "kind": "\(kind.rawValue)"}],
                "matchers": ["\(matcher)"],
                "minimum": "\(minimum.rawValue)"
              }
            }

            """
        for (text, target) in [(pem, place), (policy, URL(fileURLWithPath: file))] {
            try Data(text.utf8).write(to: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
        }
        guard kill(process, SIGHUP) == 0 else { throw UnexpectedOutcome("there is no process \(process)") }
        for _ in 0..<100 {
            if try await listed().contains(kind.best.acr) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw UnexpectedOutcome("the server did not read its evidence policy within 10 s; see its log")
    }

    private func listed() async throws -> [String] {
        struct Metadata: Decodable {
            let levels: [String]
            enum CodingKeys: String, CodingKey { case levels = "acr_values_supported" }
        }
        let url = server.appending(path: ".well-known/oauth-authorization-server")
        let transport = BoundedTransport(NIOTransport(), clock: SystemClock())
        let answer = try await transport.send(TransportRequest(method: "GET", url: url.absoluteString))
        return try JSONDecoder().decode(Metadata.self, from: Data(answer.body)).levels
    }
}
#endif
