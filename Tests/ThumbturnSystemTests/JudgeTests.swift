#if Tools
import Foundation
import Testing
import TestSupport
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnURLSession

/// Independent libraries (PyJWT with cryptography, and joserfc) verify messages of our device and server.
@Suite struct JudgeTests {
    static let python = ProcessInfo.processInfo.environment["THUMBTURN_PYTHON"] ?? repository.path + "/.build/judges/bin/python"
    static let isHere = Requirement.python.isMet(FileManager.default.isExecutableFile(atPath: python))

    private struct Case: Codable {
        var jwks: JWKSet
        var issuer: String
        var token: String
        var challenge: String
        var key: JWK
        var proof: String
        var dpop: String
        var method: String
        var address: String
    }

    private struct JWKSet: Codable { var keys: [JWK] }

    @Test(.enabled(if: isHere)) func pythonAgrees() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServerProcess.addAccount(in: folder)
        let port = try await Built.freePort()
        let url = "http://127.0.0.1:\(port)"
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)"], port: port)
        defer { server.stop() }

        let wire = RecordingTransport()
        let auth = try Authenticator(server: URL(string: url)!, platform: SimulatedPhone().platform(transport: wire))
        try await auth.enrol(with: PasswordSignIn(account: ServerProcess.account, password: ServerProcess.password))
        let grant = try await auth.authenticate("Unlock", policy: .patient)
        _ = try await auth.me()

        let redeemed = try #require(wire.exchanges.last { $0.request.url.hasSuffix("/v1/token") }).request
        let proof = try #require(String(decoding: redeemed.body, as: UTF8.self).split(separator: "proof=").last).description
        let call = try #require(wire.exchanges.last { $0.request.url.hasSuffix("/v1/me") && $0.response.status == 200 }).request
        let challenge = try #require(CompactJWS(proof)).payload
        let published = try await URLSessionTransport().send(TransportRequest(method: "GET", url: url + "/.well-known/jwks.json"))
        let good = Case(
            jwks: try JSONDecoder().decode(JWKSet.self, from: Data(published.body)), issuer: url,
            token: grant.session.accessToken, challenge: String(decoding: challenge, as: UTF8.self),
            key: JWK(
                try await auth.platform.keys.publicKey(
                    of: auth.name(of: .biometric, in: try #require(try await auth.liveEnrolment())))), proof: proof,
            dpop: call.headers["DPoP"] ?? "", method: "GET", address: url + "/v1/me"
        )
        expect(try await Self.judge(good), is: "accepted\naccepted\n")

        // The judges refuse every changed message.
        for change: (inout Case) -> Void in [
            { $0.proof = String($0.proof.dropLast(4)) + "AAAA" }, { $0.token = String($0.token.dropLast(4)) + "AAAA" },
            { $0.dpop = String($0.dpop.dropLast(4)) + "AAAA" }, { $0.address = "http://elsewhere" },
            { $0.issuer = "http://elsewhere" },
        ] {
            var bad = good
            change(&bad)
            let verdicts = try await Self.judge(bad).split(separator: "\n")
            #expect(verdicts.count == 2 && verdicts.allSatisfy { $0.hasPrefix("refused") }, "\(verdicts)")
        }
    }

    private static func judge(_ given: Case) async throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Judges")
        let text = String(decoding: try JSONEncoder().encode(given), as: UTF8.self)
        var verdicts = ""
        for script in ["judge.py", "judge_joserfc.py"] {
            let finished = try await Built.run(python, [folder.appendingPathComponent(script).path], input: text)
            verdicts += finished.output + finished.errors
        }
        return verdicts
    }
}
#endif
