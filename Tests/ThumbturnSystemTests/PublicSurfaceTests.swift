#if Tools && os(Linux)
import Foundation
import Testing
import TestSupport

/// What an app sees of the product `Thumbturn`: programs outside the package, compiled against the modules that the build left.
@Suite struct PublicSurfaceTests {
    /// A public enum that may grow, and its cases today, as api/Thumbturn.txt lists them.
    struct GrowingEnum: Sendable, CustomTestStringConvertible {
        let name: String
        let cases: [String]

        var testDescription: String { name }

        func program(unknownDefault: Bool) -> String {
            """
            import Thumbturn
            func number(of value: \(name)) -> Int {
                switch value {
            \(cases.map { "    case .\($0): 1" }.joined(separator: "\n"))
            \(unknownDefault ? "    @unknown default: 2" : "")
                }
            }
            """
        }
    }

    /// Those enums of api/Thumbturn.txt. A line is `Type.Nested: case name(…)`, or without the part before the colon at the top level.
    static let growingEnums: [GrowingEnum] = {
        let page = repository.appendingPathComponent("api/Thumbturn.txt")
        let lines = ((try? String(contentsOf: page, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.compactMap { line in
            guard let range = line.firstRange(of: "@nonexhaustive enum ") else { return nil }
            let own = line[range.upperBound...].prefix { $0.isLetter }
            let outer = line[..<range.lowerBound].split(separator: ":").first.map { "\($0)." } ?? ""
            let name = outer + own
            let mark = "\(name): case "
            let cases = lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count).prefix { $0.isLetter }) }
            return GrowingEnum(name: name, cases: cases)
        }
    }()

    @Test("the enums that must grow are listed")
    func listed() {
        let names = Set(Self.growingEnums.map(\.name))
        #expect(names.isSuperset(of: ["Recovery", "Telemetry", "BiometryState", "UnlockNews", "KeyState", "KeyLoss", "Trigger"]))
        #expect(!names.contains("Rung"), "the ladder is closed")
    }

    @Test("a switch with @unknown default compiles, and one without it does not", arguments: growingEnums)
    func switchNeedsADefault(_ growing: GrowingEnum) async throws {
        let open = try await Self.compile(growing.program(unknownDefault: true))
        #expect(open.status == 0 && !open.errors.contains("warning:"), "\(open.errors)")
        let closed = try await Self.compile(growing.program(unknownDefault: false))
        #expect(closed.status != 0 && closed.errors.contains("may have additional unknown values"), "\(closed.errors)")
    }

    @Test(
        "the wire, the server's step-up policy, the flow's machine and the ledgers are not seen",
        arguments: [
            "ChallengeClaims.self", "DPoPHeader.self", "JWK.self", "JSONTree.self", "MessageKey.self", "BiometricLedger.self",
            "PINLedger.self", "StepUpTable.standard", "ActionRule.self", "FurtherProof.self", "UnlockFlow(policy: .unlock)",
            "AppLock(rules: .init())",
        ])
    func unseen(_ expression: String) async throws {
        let seen = try await Self.compile("import Thumbturn\nlet value = \(expression)\n")
        #expect(seen.status != 0, "an app can write \(expression)")
        #expect(seen.errors.contains("cannot find") || seen.errors.contains("inaccessible"), "\(seen.errors)")
    }

    /// The beginning of a program that has a model's parts.
    private static let parts = """
        import Foundation
        import Thumbturn
        @MainActor func show(_ auth: Authenticator, _ platform: DevicePlatform, _ signIn: PasswordSignIn, _ shown: ApprovalDetails) {

        """

    /// Models with a closure in the place of `CLOSURE`.
    static let models = [
        "_ = AppLockModel(platform: platform) { CLOSURE }",
        "_ = UnlockScreen(reason: \"Unlock\", news: UnlockNewsRelay(), platform: platform) { _ in CLOSURE }",
        "_ = ApprovalSheetModel(shown, platform: platform) { _ in CLOSURE } decline: {}",
    ]

    @Test("a closure that swallows a failure, or gives anything but a success, does not compile", arguments: models)
    func aClosureThatSwallowsAFailureDoesNotCompile(_ model: String) async throws {
        func compile(_ closure: String) async throws -> Finished {
            try await Self.compile(Self.parts + model.replacing("CLOSURE", with: closure) + "\n}\n")
        }
        let natural = try await compile("try await auth.authenticate(\"Unlock\")")
        #expect(natural.status == 0 && !natural.errors.contains("warning:"), "\(natural.errors)")
        let unnatural = [
            "_ = try? await auth.authenticate(\"Unlock\")", "try? await auth.authenticate(\"Unlock\")", "",
            "_ = try await auth.authenticate(\"Unlock\")", "try await auth.enrol(with: signIn)",
            "try await auth.authenticate(\"Unlock\").rung",
        ]
        for closure in unnatural {
            let finished = try await compile(closure)
            // The compiler names what is missing, or that a grant which may be none is not one.
            let isNamed = ["UnlockSuccess", "'Grant?'"].contains { finished.errors.contains($0) }
            #expect(finished.status != 0 && isNamed, "\(closure): \(finished.errors)")
        }
    }

    @Test("an app can neither make a success nor say that it is unlocked without one")
    func successesAreOnlyTheLibrarys() async throws {
        let programs = [
            "func unlock(_ lock: AppLockModel) { lock.unlocked() }",
            "let made = AnsweredAsk(rung: .biometric)",
            "func made(_ session: DeviceSession) -> Grant { Grant(session: session) }",
            "func changed(_ old: AnsweredAsk) -> AnsweredAsk { var new = old; new.rung = .biometric; return new }",
        ]
        for program in programs {
            #expect(try await Self.compile("import Thumbturn\n@MainActor \(program)\n").status != 0, "\(program)")
        }
        let handedOn = """
            import Thumbturn
            struct SignedIn: UnlockSuccess { let name: String; let answered: AnsweredAsk }
            @MainActor func open(_ lock: AppLockModel, _ auth: Authenticator) async throws {
                lock.unlocked(by: SignedIn(name: "ada", answered: try await auth.authenticate("Unlock").answered))
            }
            """
        let finished = try await Self.compile(handedOn)
        #expect(finished.status == 0, "\(finished.errors)")
    }

    @Test("an app can write an adapter of its own")
    func adapter() async throws {
        let program = """
            import Thumbturn

            struct AlwaysReady: Sensor {
                func biometry() async -> BiometryState { .ready }
                func isPasscodeSet() async -> Bool { true }
                func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
                    hearing(.readPoorly(.tooShort))
                    return request.cancelButton == .cancel ? .matched(Presence(context: 1)) : .notMatched
                }
            }

            struct Recorded: Transport {
                func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
                    guard request.method == "GET" else { throw Failure(.unreachable) }
                    return TransportResponse(status: 200, headers: [:], body: request.body)
                }
            }

            struct Dictionaries: SecretStore {
                func read(_ name: String) async throws(Failure) -> [UInt8]? { nil }
                func write(_ secret: [UInt8], as name: String) async throws(Failure) {}
                func delete(_ name: String) async throws(Failure) {}
                func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool { old == nil }
            }

            struct Stopped: DeviceClock {
                var now: Instant { Instant(sinceOrigin: .zero) }
                var boot: String { "1" }
                var civilTime: UnixTime { UnixTime(seconds: 0) }
                func sleep(until instant: Instant) async throws {}
            }
            """
        let adapters = try await Self.compile(program)
        #expect(adapters.status == 0, "\(adapters.errors)")
    }

    /// Type-checks a program as a package of its own, which sees only what is public.
    private static func compile(_ program: String) async throws -> Finished {
        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/App.swift"
        try program.write(toFile: file, atomically: true, encoding: .utf8)
        let sources = repository.appendingPathComponent("Sources").path
        let maps = try moduleMaps()
        return try await Built.run(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", "App",
                "-I", Built.folder.appendingPathComponent("Modules").path, "-I", sources + "/CTss", "-I", sources + "/CSystemd",
            ] + maps + [file]
        )
    }

    /// What leads the compiler to the C modules below swift-nio, which the modules of a debug build ask for.
    private static func moduleMaps() throws -> [String] {
        let files = FileManager.default
        let packages = repository.appendingPathComponent(".build/checkouts")
        let own = try files.contentsOfDirectory(at: packages, includingPropertiesForKeys: nil).flatMap { package in
            let folder = package.appendingPathComponent("Sources")
            let sources = try? files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (sources ?? []).map { $0.appendingPathComponent("include") }
        }
        let made = try files.contentsOfDirectory(at: Built.folder, includingPropertiesForKeys: nil)
        func hasMap(_ folder: URL) -> Bool { files.fileExists(atPath: folder.appendingPathComponent("module.modulemap").path) }
        return own.filter(hasMap).flatMap { ["-I", $0.path] }
            + made.filter { $0.pathExtension == "build" && hasMap($0) }.flatMap {
                ["-Xcc", "-fmodule-map-file=" + $0.appendingPathComponent("module.modulemap").path]
            }
    }
}
#endif
