#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages

/// The commands as processes.
@Suite struct CommandTests {
    private func thumbturn(
        _ arguments: [String], password: String? = nil, pins: [String: String] = [:]
    ) async throws -> Finished {
        var environment = pins
        environment["THUMBTURN_PASSWORD"] = password
        return try await Built.run(Built.path("thumbturn"), arguments, environment: environment)
    }

    @Test func everyCommandHasHelp() async throws {
        for command in [
            ["--help"], ["device", "--help"], ["device", "enrol", "--help"], ["lab", "story", "--help"],
            ["flow", "run", "--help"], ["verify", "wycheproof", "--help"],
        ] {
            let help = try await thumbturn(command)
            #expect(help.status == 0 && help.output.contains("USAGE"))
        }
        for command in [
            ["--help"], ["bench", "sign-in", "--help"], ["walk", "server", "--help"], ["walk", "flow", "--help"],
            ["hostile-story", "--help"], ["telemetry-story", "--help"], ["failover", "--help"],
        ] {
            let help = try await Built.run(Built.path("thumbturn-trials"), command)
            #expect(help.status == 0 && help.output.contains("USAGE"))
        }
        for command in [
            ["--help"], ["serve", "--help"], ["accounts", "add", "--help"], ["clients", "add", "--help"],
            ["keys", "rotate", "--help"], ["keys", "revoke", "--help"], ["backup", "--help"], ["restore", "--help"],
            ["new-epoch", "--help"], ["master-key", "change", "--help"], ["time", "--help"], ["time", "set", "--help"],
        ] {
            let help = try await Built.run(Built.path("thumbturn-server"), command)
            #expect(help.status == 0 && help.output.contains("USAGE"))
        }
    }

    @Test func aDeviceGoesFromEnrolmentToRevocation() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServerProcess.addAccount(in: folder + "/data")
        let port = try await Built.freePort()
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"], port: port)
        defer { server.stop() }
        let device = ["--server", "http://127.0.0.1:\(port)", "--home", folder + "/home"]

        let before = try await thumbturn(["device", "status"] + device)
        #expect(before.status == 0 && before.output.hasPrefix("Not enrolled."))
        let unready = try await thumbturn(["device", "sign-in"] + device)
        #expect(unready.status == 77 && unready.errors.contains("thumbturn device enrol"))
        let wrong = try await thumbturn(["device", "enrol", "--account", "ada"] + device, password: "not the password")
        #expect(wrong.status == 77)
        let enrolled = try await thumbturn(["device", "enrol", "--account", "ada"] + device, password: ServerProcess.password)
        #expect(enrolled.status == 0 && enrolled.output.contains("software keys, for development"), "\(enrolled.errors)")
        let twice = try await thumbturn(["device", "enrol", "--account", "ada"] + device, password: ServerProcess.password)
        #expect(twice.status == 1 && twice.errors.contains("--replace"))

        let signedIn = try await thumbturn(["device", "sign-in", "--answers", "no-match,match"] + device)
        #expect(signedIn.status == 0 && signedIn.output.contains("biometric"), "\(signedIn.errors)")
        let cancelled = try await thumbturn(["device", "sign-in", "--answers", "cancel"] + device)
        #expect(cancelled.status == 75)
        let locked = try await thumbturn(["device", "sign-in", "--answers", "lockout"] + device)
        #expect(locked.status == 77 && locked.errors.contains("locked"))
        let me = try await thumbturn(["device", "me", "--json"] + device)
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(me.output.utf8)) as? [String: Any])
        #expect(parsed["name"] as? String == "ada" && parsed["acr"] as? String == "urn:thumbturn:acr:software:none")
        let refreshed = try await thumbturn(["device", "refresh"] + device)
        #expect(refreshed.status == 0)
        let status = try await thumbturn(["device", "status", "--json"] + device)
        #expect(status.output == #"{"enrolled":true,"next_rung":"biometric"}"# + "\n")

        let reset = ["device", "pin", "reset", "--account", "ada"] + device
        let none = try await thumbturn(["device", "pin", "change"] + device, pins: ["THUMBTURN_NEW_PIN": "824193"])
        #expect(none.status == 64 && none.errors.contains("thumbturn device pin reset"))
        let foreign = try await thumbturn(reset, password: "not the password", pins: ["THUMBTURN_NEW_PIN": "824193"])
        #expect(foreign.status == 77)
        let first = try await thumbturn(reset, password: ServerProcess.password, pins: ["THUMBTURN_NEW_PIN": "824193"])
        #expect(first.status == 0, "\(first.errors)")
        let changed = try await thumbturn(["device", "pin", "change"] + device, pins: ["THUMBTURN_NEW_PIN": "739162"])
        #expect(changed.status == 0, "\(changed.errors)")
        for (pin, status) in [("824193", Int32(77)), ("739162", 0)] {
            let byPIN = ["device", "sign-in", "--answers", "lockout"] + device
            let signedIn = try await thumbturn(byPIN, pins: ["THUMBTURN_PIN": pin])
            #expect(signedIn.status == status, "\(signedIn.errors)")
            #expect(signedIn.output.contains("appPIN") == (status == 0))
        }
        let revoked = try await thumbturn(["device", "revoke"] + device)
        #expect(revoked.status == 0)
        #expect(try await thumbturn(["device", "sign-in"] + device).status == 77)
    }

    @Test func errorsNameTheNextStep() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let port = try await Built.freePort()
        let away = try await thumbturn(
            ["device", "enrol", "--account", "ada", "--server", "http://127.0.0.1:\(port)", "--home", folder], password: "x")
        #expect(away.status == 69)
        let insecure = try await thumbturn(["device", "status", "--server", "http://bank.example", "--home", folder])
        #expect(insecure.status == 64 && insecure.errors.contains("https"))
        let nonsense = try await thumbturn([
            "device", "sign-in", "--server", "http://127.0.0.1:\(port)", "--home", folder, "--answers", "maybe",
        ])
        #expect(nonsense.status == 64 && nonsense.errors.contains("no-match"))
        #expect(try await thumbturn(["device", "dance"]).status == 64)

        func serve(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Finished {
            try await Built.run(
                Built.path("thumbturn-server"), ["serve", "--data", folder + "/data"] + arguments, environment: environment)
        }
        let address = try await serve(["--listen", "here"])
        #expect(address.status == 64 && address.errors.contains("127.0.0.1:8080"))
        let open = try await serve(["--listen", "0.0.0.0:\(port)"])
        #expect(open.status == 1 && open.errors.contains("https"))
        let key = try await serve(["--listen", "127.0.0.1:0"], ["THUMBTURN_MASTER_KEY": "short"])
        #expect(key.status == 1 && key.errors.contains("43 characters"))
        let short = try await Built.run(
            Built.path("thumbturn-server"), ["accounts", "add", "ada", "--data", folder + "/data"], input: "short\n"
        )
        #expect(short.status == 1 && short.errors.contains("15"))

        try await ServerProcess.addAccount(in: folder + "/data")
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"], port: port)
        defer { server.stop() }
        let taken = try await serve(["--listen", "127.0.0.1:\(port)"])
        #expect(taken.status == 1 && taken.errors.contains("--listen"), "\(taken.errors)")
    }

    @Test func oneTimeCodesAndRecoveryCodesAuthoriseEnrolments() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func accounts(_ arguments: String...) async throws -> Finished {
            try await Built.run(
                Built.path("thumbturn-server"), ["accounts", arguments[0], "--data", folder + "/data"] + arguments.dropFirst())
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        let unknown = try await accounts("totp", "nobody")
        #expect(unknown.status == 1 && unknown.errors.contains("nobody"))
        let codes = try await accounts("recovery-codes", "ada").output.split(separator: "\n").map(String.init)
        #expect(codes.count == 10 && Set(codes).count == 10)
        let address = try await accounts("totp", "ada").output
        let secret = try #require(address.split(separator: "secret=").last?.split(separator: "&").first)

        let port = try await Built.freePort()
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"], port: port)
        defer { server.stop() }
        func enrol(_ home: String, _ password: String, _ arguments: String...) async throws -> Finished {
            let place = ["--server", "http://127.0.0.1:\(port)", "--home", folder + "/" + home, "--account", "ada"]
            return try await thumbturn(["device", "enrol"] + place + arguments, password: password)
        }
        #expect(try await enrol("one", ServerProcess.password).status == 77, "a code is required")
        let code = Self.oneTimeCode(String(secret), at: Date())
        let enrolled = try await enrol("one", ServerProcess.password, "--one-time-code", code)
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        #expect(try await enrol("two", ServerProcess.password, "--one-time-code", code).status == 77, "a code works once")
        #expect(try await enrol("two", codes[0], "--recover").status == 77, "with one-time codes the password is needed as well")
        #expect(try await accounts("totp", "ada", "--remove").status == 0)
        let recovered = try await enrol("two", codes[0].lowercased(), "--recover")
        #expect(recovered.status == 0, "\(recovered.errors)")
        #expect(try await enrol("three", codes[0], "--recover").status == 77, "a code works once")
        #expect(try await accounts("unlock", "ada").status == 0)
        let devices = try await accounts("devices", "ada").output.split(separator: "\n")
        #expect(devices.count == 2 && devices.allSatisfy { $0.contains("biometric") })
        #expect(try await accounts("revoke", "ada", String(devices[1].prefix { $0 != " " })).status == 0)
        #expect(try await accounts("devices", "ada").output.split(separator: "\n").count == 1)
    }

    @Test func theOperatorHandlesAnIncident() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func accounts(_ arguments: String..., input: String = "") async throws -> Finished {
            try await Built.run(
                Built.path("thumbturn-server"), ["accounts", arguments[0], "--data", folder + "/data"] + arguments.dropFirst(),
                input: input)
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        #expect(try await accounts("list").output == "ada\ton\n")

        let unasked = try await accounts("password", "ada", input: "a new horse battery staple\n")
        #expect(unasked.status == 1 && unasked.errors.contains("--yes"), "\(unasked.errors)")
        let short = try await accounts("password", "ada", "--yes", input: "short\n")
        #expect(short.status == 1 && short.errors.contains("15"))
        let set = try await accounts("password", "ada", input: "a new horse battery staple\nyes\n")
        #expect(set.status == 0 && set.output.contains("accounts end ada"), "\(set.errors)")

        let kept = try await accounts("disable", "ada", input: "no\n")
        #expect(kept.status == 1 && kept.output.contains("This switches ada off") && kept.errors.contains("Nothing was changed"))
        let off = try await accounts("disable", "ada", input: "yes\n")
        #expect(off.status == 0 && off.output.contains("accounts enable ada"), "\(off.errors)")
        #expect(try await accounts("list").output == "ada\toff\n")
        #expect(try await accounts("show", "ada").output.contains("state: off since "))
        let twice = try await accounts("disable", "ada", "--yes")
        #expect(twice.status == 1 && twice.errors.contains("accounts enable ada"))
        #expect(try await accounts("enable", "ada", "--yes").status == 0)
        let shown = try await accounts("show", "ada")
        #expect(shown.output.contains("state: on\n") && shown.output.contains("recovery codes: 0 unused\n"), "\(shown.errors)")
        let ended = try await accounts("end", "ada", "--yes")
        #expect(ended.status == 0 && ended.output.contains("Revoked devices: 0"), "\(ended.errors)")
        for command in ["password", "disable", "enable", "end", "show"] {
            let unknown = try await accounts(command, "eve", input: "a new horse battery staple\nyes\n")
            #expect(unknown.status == 1 && unknown.errors.contains("accounts add eve"), "\(command)")
        }
    }

    /// The current code of an authenticator app (RFC 6238).
    private static func oneTimeCode(_ secret: String, at time: Date) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = secret.compactMap(alphabet.firstIndex(of:)).flatMap { value in (0..<5).map { value >> (4 - $0) & 1 } }
        let key = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
        }
        let step = UInt64(time.timeIntervalSince1970) / 30
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - text.count) + text
    }

    @Test func backEndsAreRegisteredListedAndRemoved() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/bank.jwk"
        let jwk = JWK(x963: Array(P256.Signing.PrivateKey().publicKey.x963Representation))
        try JSONEncoder().encode(jwk).write(to: URL(fileURLWithPath: file))
        func clients(_ arguments: String...) async throws -> Finished {
            try await Built.run(Built.path("thumbturn-server"), ["clients"] + arguments + ["--data", folder + "/data"])
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        let added = try await clients("add", "bank", "--scope", "introspect", "--scope", "approvals", "--key", file)
        #expect(added.status == 0 && added.output.contains("client_id is bank"), "\(added.errors)")
        let twice = try await clients("add", "bank", "--scope", "introspect", "--key", file)
        #expect(twice.status == 1 && twice.errors.contains("exists already"))
        #expect(try await clients("add", "shop", "--scope", "everything", "--key", file).status == 64)
        #expect(try await clients("add", "shop", "--key", file).status == 64, "a scope is required")
        #expect(try await clients("add", "A shop", "--scope", "introspect", "--key", file).errors.contains("1 to 64"))
        #expect(try await clients("list").output.hasPrefix("bank\tintrospect,approvals\t"))
        let limits = folder + "/limits.json"
        try Data(#"{"amounts":{"EUR":"1000.00"},"requests_per_minute":600}"#.utf8).write(to: URL(fileURLWithPath: limits))
        #expect(try await clients("list").output.hasSuffix("\tdpop\t{}\n"))
        let changed = try await clients("change", "bank", "--limits", limits, "--allow-bearer")
        #expect(changed.status == 0 && changed.output.contains("bank is changed"), "\(changed.errors)")
        let shown = #"{"amounts":{"EUR":"1000.00"},"requests_per_minute":600}"#
        #expect(try await clients("list").output.hasSuffix("\tdpop,bearer\t\(shown)\n"))
        #expect(try await clients("change", "bank", "--no-allow-bearer").status == 0)
        #expect(try await clients("list").output.hasSuffix("\tdpop\t\(shown)\n"), "the limits stay")
        #expect(try await clients("change", "bank", "--no-limits").status == 0)
        #expect(try await clients("list").output.hasSuffix("\tdpop\t{}\n"))
        #expect(try await clients("change", "bank").status == 64)
        #expect(try await clients("change", "bank", "--no-limits", "--limits", limits).status == 64)
        #expect(try await clients("change", "shop", "--no-limits").errors.contains("clients list"))
        #expect(try await clients("change", "bank", "--limits", file).errors.contains("does not describe limits"))
        #expect(try await clients("remove", "bank").status == 0)
        #expect(try await clients("remove", "bank").errors.contains("clients list"))
        #expect(try await clients("list").output == "")
    }

    @Test func keysAreRotatedAndABackupIsRestored() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func run(_ arguments: String...) async throws -> Finished {
            try await Built.run(Built.path("thumbturn-server"), arguments + ["--data", folder + "/data"])
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        func states() async throws -> [String] {
            try await run("keys", "list").output.split(separator: "\n").map { String($0.split(separator: "\t")[1]) }
        }
        #expect(try await states() == ["signing"])
        #expect(try await run("keys", "rotate").status == 0)
        #expect(try await states() == ["waiting", "signing"], "a new key waits until every server has fetched it")
        let exported = try await run("keys", "export").output
        struct KeySet: Decodable { var keys: [JWK] }
        let keys = try JSONDecoder().decode(KeySet.self, from: Data(exported.utf8)).keys
        #expect(keys.count == 2 && !exported.contains(#""d""#), "only public keys")

        let backup = folder + "/backup"
        let made = try await run("backup", backup)
        #expect(made.status == 0, "\(made.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let twice = try await run("backup", backup)
        #expect(twice.status == 1 && twice.errors.contains("exists already"))
        let later = try await Built.run(
            Built.path("thumbturn-server"), ["accounts", "add", "eve", "--data", folder + "/data"],
            input: ServerProcess.password + "\n")
        #expect(later.status == 0)
        let asked = try await run("restore", backup)
        #expect(asked.status == 1 && asked.output.contains("is replaced by") && asked.errors.contains("--yes"))
        #expect(try await run("accounts", "devices", "eve").status == 0, "nothing was changed")
        let restored = try await run("restore", "--yes", backup)
        #expect(restored.status == 0 && restored.output.contains("all users must sign in again"), "\(restored.errors)")
        #expect(try await run("accounts", "devices", "eve").status == 1, "the account was added after the backup")
        #expect(try await run("accounts", "devices", ServerProcess.account).status == 0)
        #expect(try await states() == ["signing", "staying", "staying"], "the new epoch has a new key")
        #expect(try await run("new-epoch", "--yes").output.contains("A new epoch has begun"))
        #expect(try await run("restore", "--yes", folder + "/nothing").errors.contains("thumbturn-server backup"))
    }

    @Test func noCommandMakesAFolderByMistake() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for command in [
            ["backup", folder + ".backup"], ["restore", "--yes", folder + ".backup"], ["new-epoch", "--yes"], ["keys", "list"],
            ["keys", "rotate"], ["keys", "export"], ["keys", "revoke", "--yes", "k"], ["master-key", "change", "--yes"],
            ["clients", "list"], ["accounts", "devices", "ada"], ["accounts", "unlock", "ada"], ["time"],
            ["time", "set", "--yes"],
        ] {
            // An empty line in a file of variables names no database.
            let finished = try await Built.run(
                Built.path("thumbturn-server"), command + ["--data", folder], environment: ["THUMBTURN_DATABASE": ""])
            #expect(finished.status == 1 && finished.errors.contains("--data"), "\(command): \(finished.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder), "\(command)")
            #expect(!FileManager.default.fileExists(atPath: folder + ".backup"), "\(command)")
        }
    }

    @Test func aKeyIsRevokedTheMasterKeyChangedAndTheTimeSet() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func run(_ arguments: [String], input: String = "", _ environment: [String: String] = [:]) async throws -> Finished {
            try await Built.run(
                Built.path("thumbturn-server"), arguments + ["--data", folder + "/data"], input: input,
                environment: environment)
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        func keys() async throws -> [[String]] {
            try await run(["keys", "list"]).output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        }
        let kid = try await keys()[0][0]
        let unknown = try await run(["keys", "revoke", "made-up", "--yes"])
        #expect(unknown.status == 1 && unknown.errors.contains("keys list"))
        let asked = try await run(["keys", "revoke", kid], input: "no\n")
        #expect(asked.status == 1 && asked.output.contains(kid) && asked.errors.contains("Nothing was changed"))
        let revoked = try await run(["keys", "revoke", kid], input: "yes\n")
        #expect(revoked.status == 0, "\(revoked.errors)")
        let listed = try await keys()
        #expect(listed.map(\.last) == ["signing", "revoked"] && listed[1][0] == kid)
        #expect(try await !run(["keys", "export"]).output.contains(kid))
        #expect(try await run(["keys", "export", "--with-revoked"]).output.contains(kid))

        let file = folder + "/data/master.key"
        let before = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try await run(["master-key", "change"]).status == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
        let changed = try await run(["master-key", "change", "--yes"])
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) != before)
        #expect(try await keys()[0][1] == "signing")
        let next = String(repeating: "A", count: 43)
        let moved = try await run(["master-key", "change", "--yes"], ["THUMBTURN_NEXT_MASTER_KEY": next])
        #expect(moved.status == 0 && moved.output.contains("THUMBTURN_MASTER_KEY"), "\(moved.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let lost = try await run(["keys", "list"])
        #expect(lost.status == 1 && lost.errors.contains("THUMBTURN_MASTER_KEY"))
        let own = ["THUMBTURN_MASTER_KEY": next]
        #expect(try await run(["keys", "list"], own).status == 0)
        let none = try await run(["master-key", "change", "--yes"], own)
        #expect(none.status == 1 && none.errors.contains("THUMBTURN_NEXT_MASTER_KEY"))

        let shown = try await run(["time"], own)
        #expect(shown.status == 0 && shown.output.contains("difference  "), "\(shown.errors)")
        #expect(try await run(["time", "set"], own).status == 1)
        let set = try await run(["time", "set", "--yes"], own)
        #expect(set.status == 0 && set.output.contains("all users must sign in again"), "\(set.errors)")
        #expect(try await run(["keys", "list"], own).output.contains("retired"), "the keys of the former time ended")
    }

    @Test func anAddressBehindAProxyThatIsNotNamedIsAWarning() async throws {
        for (url, proxies, warns) in [("https://bank.example", "0", true), ("https://bank.example", "1", false)] {
            let log = try await ServerProcess.log(
                of: ["--public-url", url, "--trusted-proxies", proxies], port: try await Built.freePort())
            #expect(log.contains("--trusted-proxies 1") == warns, "\(log)")
        }
    }

    @Test func aLineOfTheLogHasTheIDOfItsRequest() async throws {
        let port = try await Built.freePort()
        let arguments = ["--public-url", "http://127.0.0.1:\(port)", "--log-level", "debug"]
        let log = try await ServerProcess.log(of: arguments, port: port) { server in
            let connection = try await server.connect()
            _ = try await connection.send("GET", "/nothing")
            try await connection.close()
        }
        let refused = log.split(separator: "\n").filter { $0.contains("refused") }
        #expect(refused.count == 1 && refused.allSatisfy { $0.contains("hb.request.id=") && $0.contains("status=404") })
    }

    @Test func aScenarioIsDrawnAndADifferenceHasAnExitStatus() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Scenarios")
        let file = folder.appendingPathComponent("nobody-answers.json")
        let drawn = try await thumbturn(["flow", "run", "--without-each", file.path])
        #expect(drawn.status == 0 && drawn.output.hasPrefix("as expected: Nobody answers\n"))
        #expect(drawn.output.contains("8.000 s │ woke\n") && drawn.output.contains("→ showHint devicePasscode\n"))
        let json = try await thumbturn(["flow", "run", "--json", file.path])
        #expect(json.status == 0 && json.output.contains("\"as_told\":true"))

        let original = try String(contentsOf: file, encoding: .utf8)
        let copy = Built.temporaryFolder() + ".json"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        func run(_ text: String) async throws -> Finished {
            try text.write(toFile: copy, atomically: true, encoding: .utf8)
            return try await thumbturn(["flow", "run", copy])
        }
        let differing = try await run(
            original.replacing("{\"showHint\": \"devicePasscode\"}", with: "{\"showHint\": \"appPIN\"}"))
        #expect(differing.status == 1 && differing.output.hasPrefix("DIFFERS: "))
        #expect(differing.output.contains("- showHint appPIN\n") && differing.output.contains("+ showHint devicePasscode\n"))
        let mistaken = try await run(original.replacing("\"woke\"", with: "\"awoke\""))
        #expect(mistaken.status == 64 && mistaken.errors.contains("events[0].event: awoke has no meaning here"))
        #expect(try await thumbturn(["flow", "run", "/nowhere.json"]).status == 64)
        #expect(try await thumbturn(["flow", "run"]).status == 64)
    }
}
#endif
