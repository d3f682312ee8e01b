#if Tools
import Foundation
import TestSupport
import Testing

/// The folder of the programs in other languages.
private let judges = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Judges")

/// A person signs in at a real OpenID provider (Authlib, which demands PKCE), and our server judges its ID token. The
/// browser is a program that follows the provider's pages as a person's would.
@Suite(.timeLimit(.minutes(10))) struct ProviderTests {
    static let isHere = Requirement.python.isMet(FileManager.default.isExecutableFile(atPath: JudgeTests.python))

    /// A provider and our server, which takes its ID tokens, both as processes on this machine.
    private struct ProviderWorld: Sendable {
        let folder: String
        let issuer: String
        let server: ServerProcess

        /// - Parameter weakness: what the provider does not do; an argument of its program.
        static func run(
            _ algorithm: String, weakness: String? = nil, _ body: (ProviderWorld) async throws -> Void
        ) async throws {
            let folder = Built.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let (provider, output) = (Process(), folder + "/issuer")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            provider.executableURL = URL(fileURLWithPath: JudgeTests.python)
            provider.arguments =
                [judges.appendingPathComponent("provider.py").path, folder, algorithm] + (weakness.map { [$0] } ?? [])
            provider.standardOutput = FileHandle(forWritingAtPath: output)
            provider.standardError = FileHandle.nullDevice
            try provider.run()
            defer {
                // A program that Foundation starts may have inherited that SIGTERM is blocked.
                Foundation.kill(provider.processIdentifier, SIGKILL)
                provider.waitUntilExit()
            }
            // It says its address once it listens.
            var issuer = ""
            while issuer.isEmpty {
                try #require(provider.isRunning)
                try await Task.sleep(for: .milliseconds(20))
                let lines = try String(contentsOfFile: output, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                if lines.count > 1 { issuer = String(lines[0]) }
            }
            try await ServerProcess.addAccount(in: folder + "/data")
            let port = try await Built.freePort()
            let server = try await ServerProcess.start(
                "thumbturn-server",
                [
                    "serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)", "--providers",
                    folder + "/providers.json",
                ], port: port)
            defer { server.stop() }
            try await body(ProviderWorld(folder: folder, issuer: issuer, server: server))
        }

        var url: String { "http://127.0.0.1:\(server.port)" }
        var visits: [Substring] {
            ((try? String(contentsOfFile: folder + "/visits", encoding: .utf8)) ?? "").split(separator: "\n")
        }

        /// Runs a command of the device, with our browser in the place of the desktop's.
        func device(
            _ command: String..., arguments: [String] = [], consent: String = "allow", newPIN: String? = nil
        ) async throws -> Finished {
            var environment = [
                "PATH": "\(judges.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
                "THUMBTURN_TEST_CONSENT": consent, "THUMBTURN_TEST_VISITS": folder + "/visits",
            ]
            environment["THUMBTURN_NEW_PIN"] = newPIN
            return try await Built.run(
                Built.path("thumbturn"),
                ["device"] + command + ["--server", url, "--home", folder + "/home"] + arguments, environment: environment)
        }

        private var signIn: [String] {
            ["--issuer", issuer, "--client-id", "our-app", "--redirect-path", "/signed-in", "--scope", "profile"]
        }

        func enrol(consent: String = "allow") async throws -> Finished {
            try await device("enrol", arguments: signIn, consent: consent)
        }

        func resetPIN() async throws -> Finished {
            try await device("pin", "reset", arguments: signIn, newPIN: "824193")
        }

        /// How often the provider has asked for the password.
        var passwords: Int { visits.count { $0 == "types the password" } }
    }

    @Test("a person of a provider enrols and signs in", .enabled(if: isHere), arguments: ["ES256", "RS256"])
    func enrols(_ algorithm: String) async throws {
        try await ProviderWorld.run(algorithm) { world in
            let enrolled = try await world.enrol()
            #expect(enrolled.status == 0 && enrolled.output.contains("This device is enrolled"), "\(enrolled.errors)")
            #expect(enrolled.errors.contains("Sign in on this page: \(world.issuer)/authorize?"))
            // The page of ours that the browser ends on.
            #expect(world.visits.contains { $0.contains("Go back to the app") }, "\(world.visits)")
            #expect(world.visits.contains { $0.hasPrefix("http://127.0.0.1:") && $0.contains("/signed-in?code=") })
            let signedIn = try await world.device("sign-in", arguments: ["--answers", "match"])
            #expect(signedIn.status == 0, "\(signedIn.errors)")
            let me = try await world.device("me")
            #expect(me.output.contains("ada at \(world.issuer)"), "\(me.output)\(me.errors)")
        }
    }

    @Test(.enabled(if: isHere)) func whoRefusesAtTheProviderIsToldSoAndMayTryAgain() async throws {
        try await ProviderWorld.run("ES256") { world in
            let refused = try await world.enrol(consent: "deny")
            #expect(refused.status == 77 && refused.errors.contains("The provider did not sign you in"), "\(refused.errors)")
            #expect(refused.errors.contains("OAuth access_denied"))
            #expect(try await world.enrol().status == 0)
        }
    }

    @Test(.enabled(if: isHere)) func aNewPINNeedsANewSignInAlthoughTheBrowserHasACookie() async throws {
        try await ProviderWorld.run("ES256") { world in
            #expect(try await world.enrol().status == 0)
            #expect(world.passwords == 1)
            let reset = try await world.resetPIN()
            #expect(reset.status == 0 && reset.output.contains("The new PIN is set"), "\(reset.errors)")
            #expect(world.passwords == 2)
            #expect(world.visits.contains { $0.contains("/authorize?") && $0.contains("prompt=login&max_age=0") })
        }
    }

    @Test(
        "a provider that answers by its cookie, or does not say when it asked, sets no new PIN",
        .enabled(if: isHere),
        arguments: [("by-cookie", 1, "The provider did not sign you in"), ("without-auth-time", 2, "")])
    func weakProvider(_ weakness: String, _ passwords: Int, _ message: String) async throws {
        try await ProviderWorld.run("ES256", weakness: weakness) { world in
            #expect(try await world.enrol().status == 0)
            let refused = try await world.resetPIN()
            #expect(refused.status != 0 && refused.errors.contains("OAuth auth_time"), "\(refused.output)\(refused.errors)")
            #expect(refused.errors.contains(message) || message.isEmpty)
            #expect(world.passwords == passwords)
        }
    }

    @Test(.enabled(if: isHere)) func aNameOfTheProviderThatIsNotExactIsRefused() async throws {
        try await ProviderWorld.run("ES256") { world in
            let other = world.issuer.replacing("127.0.0.1", with: "localhost")
            let refused = try await world.device("enrol", arguments: ["--issuer", other, "--client-id", "our-app"])
            #expect(refused.status != 0 && refused.errors.contains("OAuth issuer"), "\(refused.errors)")
            #expect(world.visits.isEmpty)
        }
    }

    @Test func passwordsAndProvidersAreNotMixed() async throws {
        let device = ["device", "enrol", "--server", "http://127.0.0.1:1", "--home", "/nowhere"]
        for more in [
            [], ["--issuer", "https://id.example"], ["--client-id", "a"],
            ["--account", "ada", "--issuer", "https://id.example", "--client-id", "a"],
            ["--issuer", "https://id.example", "--client-id", "a", "--recover"],
        ] {
            let refused = try await Built.run(Built.path("thumbturn"), device + more)
            #expect(refused.status == 64, "\(more): \(refused.errors)")
        }
    }
}
#endif
