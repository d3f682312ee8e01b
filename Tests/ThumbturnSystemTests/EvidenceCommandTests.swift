#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnTestKit

/// The operator's commands for evidence, beside a running server.
@Suite struct EvidenceCommandTests {
    /// A folder with a server's data, an evidence policy and the account.
    private struct Place {
        let folder = Built.temporaryFolder()
        var policy: String { folder + "/evidence.json" }
        var data: String { folder + "/data" }

        init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }

        func write(_ members: String, to file: String = "evidence.json") throws {
            let text = #"{"format":"thumbturn-evidence/1",\#(members)}"#
            try text.write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
        }

        /// Checks the policy. The command has no data.
        func check() async throws -> Finished {
            try await Built.run(Built.path("thumbturn-server"), ["config", "check", policy])
        }

        func run(_ arguments: String...) async throws -> Finished {
            try await Built.run(Built.path("thumbturn-server"), arguments + ["--data", data])
        }

        func serve(_ story: (ServerProcess) async throws -> Void) async throws {
            try await ServerProcess.addAccount(in: data)
            let port = try await Built.freePort()
            let server = try await ServerProcess.start(
                "thumbturn-server", ["serve", "--data", data, "--listen", "127.0.0.1:\(port)", "--evidence", policy], port: port)
            defer { server.stop() }
            try await story(server)
        }
    }

    static let app = "TEAM123456.com.example.bank"
    static let apple = #""apple":{"app_ids":["TEAM123456.com.example.bank"],"environment":"production","device":"mobile"}"#
    static let digest = String(repeating: "0a", count: 32)
    static let android = """
        "android":{"apps":[{"package":"com.example.bank","signing_digests":["\(digest)"]}],"minimum_patch_level":"2026-01",\
        "status":{"longest_days":7,"when_unknown":"refuse"}}
        """
    static let staff = #""groups":{"staff":{"protection":"attestedHardware","verification":"biometric"}}"#

    @Test func anAccountIsPutIntoAGroupThatTheRunningServerHas() async throws {
        let place = try Place()
        defer { place.remove() }
        try place.write(#""without_evidence":"lower",\#(Self.staff),\#(Self.apple),\#(Self.android)"#)
        try await place.serve { _ in
            let added = try await place.run("accounts", "group", "ada", "staff")
            #expect(added.status == 0 && added.output == "The account ada is in the group staff.\n", "\(added.errors)")
            #expect(try await place.run("accounts", "show", "ada").output.contains("\ngroup: staff\n"))
            let unknown = try await place.run("accounts", "group", "ada", "stuff")
            #expect(unknown.status == 1 && unknown.errors.contains("There is no group stuff."))
            let out = try await place.run("accounts", "group", "ada", "")
            #expect(out.output == "The account ada is in no group.\n")
            #expect(try await !place.run("accounts", "show", "ada").output.contains("group:"))
            let shown = try await place.run("evidence", "show", "ada")
            #expect(shown.output == "The devices of ada have shown nothing, so their keys count as software.\n")
            let judged = try await place.run("evidence", "judge", "--evidence", place.policy, "--yes")
            #expect(judged.output.hasSuffix("Judged 0 pieces of evidence; 0 prove less than before.\n"), "\(judged.errors)")
        }
    }

    @Test func whatADeviceShowedIsPrintedWithItsFormatAndTheKindOfEachKey() async throws {
        let place = try Place()
        defer { place.remove() }
        let appAttest = SimulatedAppAttest(appID: "TEAM123456.com.example.bank")
        try appAttest.root.pem.write(toFile: place.folder + "/apple.pem", atomically: true, encoding: .utf8)
        try place.write(
            #""without_evidence":"lower","apple":{"app_ids":["TEAM123456.com.example.bank"],"environment":"production","#
                + #""device":"mobile","roots":["apple.pem"]}"#)
        try await place.serve { server in
            var platform = SimulatedPhone().platform()
            platform.evidence = appAttest
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
            let auth = try Authenticator(server: url, platform: platform)
            try await auth.enrol(with: PasswordSignIn(account: ServerProcess.account, password: ServerProcess.password))
            let shown = try await place.run("evidence", "show", "ada")
            #expect(shown.output.contains("\n  format App Attest\n"), "\(shown.output) \(shown.errors)")
            let keys = shown.output.split(separator: "\n").filter { $0.hasPrefix("  key ") }
            #expect(!keys.isEmpty && keys.allSatisfy { $0.contains(" (") }, "\(shown.output)")
            #expect(shown.output.contains(" (biometric): ") && shown.output.contains(" (session): "), "\(shown.output)")
        }
    }

    @Test func aCommandBesideTheServerLeavesItsGroupsAlone() async throws {
        let place = try Place()
        defer { place.remove() }
        try place.write(#""without_evidence":"lower",\#(Self.staff)"#)
        try await place.serve { (_) async throws in
            #expect(try await place.run("evidence", "status").status == 0)
            #expect(try await place.run("accounts", "list").status == 0)
            #expect(try await place.run("accounts", "group", "ada", "staff").status == 0, "the group is still there")
        }
    }

    @Test func aSignalReadsThePolicyAgainAndAMistakeChangesNothing() async throws {
        let place = try Place()
        defer { place.remove() }
        try place.write(#""without_evidence":"lower""#)
        try await place.serve { server in
            /// Whether the server has a group. It handles the signal between requests, within few of them. Each asking has a
            /// connection of its own: the commands in between may take longer than the server keeps one that is idle.
            func has(_ group: String, after requests: Int) async throws -> Bool {
                let connection = try await server.connect()
                for _ in 1...requests { #expect(try await connection.send("GET", "/health").status == 200) }
                return try await place.run("accounts", "group", "ada", group).status == 0
            }
            #expect(try await !has("staff", after: 1))
            try place.write(#""without_evidence":"lower",\#(Self.staff)"#)
            server.hangUp()
            #expect(try await has("staff", after: 200))
            try place.write(#""without_evidence":"perhaps""#)
            server.hangUp()
            #expect(try await has("staff", after: 200), "the policy before stays in use")
            try place.write(#""without_evidence":"lower""#)
            server.hangUp()
            #expect(try await !has("staff", after: 200))
            let log = try await place.run("audit", "export")
            #expect(log.output.components(separatedBy: "evidence-policy").count == 4, "\(log.output) \(log.errors)")
        }
    }

    @Test func aStatusListIsTakenOnceAndIsAsOldAsItsFile() async throws {
        let place = try Place()
        defer { place.remove() }
        try await ServerProcess.addAccount(in: place.data)
        #expect(try await place.run("evidence", "status").output.hasPrefix("There is no list."))
        let list = place.folder + "/status.json"
        try #"{"entries":{"123":{"status":"REVOKED"},"abc":{"status":"SUSPENDED"}}}"#
            .write(toFile: list, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: list)
        let first = try await place.run("evidence", "status", "update", "--file", list)
        #expect(
            first.output == "The list names 2 certificates. Running servers judge by it within a minute.\n", "\(first.errors)")
        #expect(try await place.run("evidence", "status").output == "2 certificates, fetched 2023-11-14T22:13:20Z\n")
        let again = try await place.run("evidence", "status", "update", "--file", list)
        #expect(again.status == 0 && again.output.contains("Nothing was changed."))
        try "[]".write(toFile: list, atomically: true, encoding: .utf8)
        let damaged = try await place.run("evidence", "status", "update", "--file", list)
        #expect(
            damaged.status == 1 && damaged.errors.contains("\(list): the status list has no object"), "\(damaged.errors)")
        let unreachable = try await place.run("evidence", "status", "update", "--url", "http://192.0.2.1/status")
        #expect(unreachable.status == 1 && unreachable.errors.contains("neither https nor http to this machine itself"))
        #expect(try await place.run("evidence", "status").output.hasPrefix("2 certificates"), "the list stays")
    }

    @Test func aListThatShrinksIsRefusedUnlessItsOperatorMeansIt() async throws {
        let place = try Place()
        defer { place.remove() }
        try await ServerProcess.addAccount(in: place.data)
        let list = place.folder + "/status.json"
        func update(_ serials: [String], at time: String, _ flag: String...) async throws -> Finished {
            let entries = serials.map { #""\#($0)":{"status":"REVOKED"}"# }.joined(separator: ",")
            try #"{"entries":{\#(entries)}}"#.write(toFile: list, atomically: true, encoding: .utf8)
            let options = ["--file", list, "--fetched-at", time, "--data", place.data]
            return try await Built.run(
                Built.path("thumbturn-server"), ["evidence", "status", "update"] + options + flag)
        }
        let first = try await update(["1", "2", "3", "4"], at: "2024-01-01T00:00:00Z")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try await place.run("evidence", "status").output == "4 certificates, fetched 2024-01-01T00:00:00Z\n")
        #expect(try await update(["1", "2"], at: "2024-01-02T00:00:00Z").status == 0, "half as long is long enough")
        let empty = try await update([], at: "2024-01-03T00:00:00Z")
        #expect(empty.status == 1 && empty.errors.contains("names 0 certificates, and the one before 2"), "\(empty.errors)")
        #expect(empty.errors.contains("--allow-shorter"))
        #expect(try await place.run("evidence", "status").output.hasPrefix("2 certificates"), "the list stays")
        let meant = try await update([], at: "2024-01-03T00:00:00Z", "--allow-shorter")
        #expect(meant.status == 0 && meant.output.contains("names 0 certificates"), "\(meant.errors)")
        // A date in the future counts as now, so that it keeps no later list out.
        #expect(try await update(["1"], at: "2999-01-01T00:00:00Z").status == 0)
        #expect(try await !place.run("evidence", "status").output.contains("2999"))
        let log = try await place.run("audit", "export")
        #expect(log.output.components(separatedBy: #""event":"evidence-status""#).count == 5, "\(log.output)")
        let misplaced = try await place.run("evidence", "status", "update", "--fetched-at", "2024-01-01T00:00:00Z")
        #expect(misplaced.status == 64 && misplaced.errors.contains("--fetched-at is for --file alone"))
    }

    @Test func aRootIsAcceptedByItsKeyAndNotBecauseAListHasIt() async throws {
        let place = try Place()
        defer { place.remove() }
        try await ServerProcess.addAccount(in: place.data)
        let built = try await place.run("evidence", "roots")
        #expect(built.output.contains("feb2ea7551ee316ed4bb443c8293b884dbfdea40b603ee3e4f4a897e4580fbae\tGoogle, built in\n"))
        #expect(built.output.contains("3ee44512a1af2beb39c889490c60ea3f82e43f5d5a5532f5ab9419f676cd07ec\tGoogle, built in\n"))
        let (wanted, other) = (TestAuthority.root(named: "Wanted"), TestAuthority.root(named: "Other"))
        let list = place.folder + "/roots.json"
        try String(decoding: try JSONEncoder().encode([other.pem, wanted.pem]), as: UTF8.self)
            .write(toFile: list, atomically: true, encoding: .utf8)
        let pin = Self.spkiSHA256(wanted)
        let accepted = try await place.run("evidence", "roots", "update", "--file", list, "--accept", pin)
        #expect(accepted.output == "accepted\t\(pin)\n", "\(accepted.errors)")
        let now = try await place.run("evidence", "roots").output
        #expect(now.contains("\(pin)\tGoogle, accepted\n") && !now.contains(Self.spkiSHA256(other)))
        let missing = try await place.run(
            "evidence", "roots", "update", "--file", list, "--accept", String(repeating: "00", count: 32))
        #expect(missing.status == 1 && missing.errors.contains("No root of the list"))

        // The roots are the operator's decision, so an older file replaces them too.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: list)
        let otherPin = Self.spkiSHA256(other)
        let both = try await place.run(
            "evidence", "roots", "update", "--file", list, "--accept", pin, "--accept", otherPin)
        #expect(both.status == 0, "\(both.errors)")
        let two = try await place.run("evidence", "roots").output
        #expect(two.contains("\(pin)\tGoogle, accepted\n") && two.contains("\(otherPin)\tGoogle, accepted\n"), "\(two)")

        let removed = try await place.run("evidence", "roots", "remove", pin, "--yes")
        #expect(removed.status == 0 && removed.output.hasSuffix("removed\t\(pin)\n"), "\(removed.errors)")
        let one = try await place.run("evidence", "roots").output
        #expect(!one.contains(pin) && one.contains("\(otherPin)\tGoogle, accepted\n"), "\(one)")
        let twice = try await place.run("evidence", "roots", "remove", pin, "--yes")
        #expect(twice.status == 1 && twice.errors.contains("No accepted root"), "\(twice.errors)")
        #expect(try await place.run("evidence", "roots", "remove", otherPin, "--yes").status == 0, "the last one too")
        #expect(try await place.run("evidence", "roots").output == built.output)
        #expect(try await place.run("evidence", "roots", "update", "--file", list, "--accept", pin).status == 0)
        let log = try await place.run("audit", "export")
        #expect(log.output.components(separatedBy: #""event":"evidence-roots""#).count == 6, "\(log.output)")

        try "no roots".write(toFile: list, atomically: true, encoding: .utf8)
        let damaged = try await place.run("evidence", "roots", "update", "--file", list, "--accept", pin)
        #expect(damaged.status == 1 && damaged.errors.contains("\(list): ") && damaged.errors.contains("array of texts in PEM"))
    }

    private static func spkiSHA256(_ root: TestAuthority) -> String {
        root.spkiSHA256.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func withApple(_ members: String) -> String { #""without_evidence":"lower","apple":{\#(members)}"# }

    static func withApple(
        id: String = app, environment: String = "production", device: String = "mobile", more: String = ""
    ) -> String {
        withApple(#""app_ids":["\#(id)"],"environment":"\#(environment)","device":"\#(device)"\#(more)"#)
    }

    static func withAndroid(digests: String, whenUnknown: String) -> String {
        let apps = #"[{"package":"p","signing_digests":[\#(digests)]}]"#
        let status = #"{"longest_days":7,"when_unknown":"\#(whenUnknown)"}"#
        return #""without_evidence":"lower","android":{"apps":\#(apps),"status":\#(status)}"#
    }

    @Test(
        "a mistake in the policy is reported with its place",
        arguments: [
            (#""apple":{}"#, "without_evidence"),
            (#""without_evidence":"Refuse""#, #"without_evidence: is "Refuse"; takes lower or refuse"#),
            (#""without_evidence":"lower","unknown":1"#, "unknown"),
            (#""without_evidence":"lower","apple":{"app_ids":[],"environment":"production","device":"mobile"}"#, "apple.app_ids"),
            (withApple(#""app_ids":["\#(app)"],"device":"mobile""#), "apple"),
            (withApple(id: "com.example.bank"), #"apple.app_ids: "com.example.bank" is not a team id"#),
            (withApple(environment: "test"), #"apple.environment: is "test"; takes development or production"#),
            (withApple(device: "phone"), #"apple.device: is "phone"; takes mobile or mac"#),
            (withApple(more: #","roots":["no"]"#), "apple.roots: no cannot be read"),
            (withApple(more: #","roots":[]"#), "apple.roots: is empty"),
            (withApple(more: #","categories":[]"#), "apple.categories: is empty"),
            (withAndroid(digests: "", whenUnknown: "refuse"), "signing_digests of p is empty"),
            (
                withAndroid(digests: #""\#(digest)""#, whenUnknown: "no"),
                #"android.status.when_unknown: is "no"; takes refuse or accept"#
            ),
            (
                #""without_evidence":"lower","android":{"apps":[],"status":{"longest_days":7,"when_unknown":"refuse"}}"#,
                "android.apps"
            ),
            (
                #""without_evidence":"lower","android":{"apps":[{"package":"p","signing_digests":["0a"]}],"#
                    + #""status":{"longest_days":7,"when_unknown":"refuse"}}"#, "a signing digest is a SHA-256"
            ),
            (
                #""without_evidence":"lower","android":{"apps":[{"package":"p","signing_digests":["\#(digest)"]}],"#
                    + #""status":{"longest_days":0,"when_unknown":"refuse"}}"#, "android.status.longest_days"
            ),
            (
                #""without_evidence":"lower","android":{"apps":[{"package":"p","signing_digests":["\#(digest)"]}],"#
                    + #""minimum_patch_level":"202607","status":{"longest_days":7,"when_unknown":"refuse"}}"#,
                "android.minimum_patch_level: is written as 2026-07"
            ),
            (
                #""without_evidence":"lower","groups":{"No Name":{"protection":"software","verification":"none"}}"#,
                "groups.No Name"
            ),
            (
                #""without_evidence":"lower","groups":{"staff":{"protection":"hardware","verification":"none"}}"#,
                #"groups.staff.protection: is "hardware"; takes none, software, attestedApp or attestedHardware"#
            ),
            (
                #""without_evidence":"lower","groups":{"staff":{"protection":"none","verification":"pin"}}"#,
                "groups.staff: with the protection none there is no key"
            ),
        ])
    func mistakes(_ members: String, _ place: String) async throws {
        let here = try Place()
        defer { here.remove() }
        try here.write(members)
        let serve = try await here.run("serve", "--evidence", here.policy, "--listen", "127.0.0.1:0")
        #expect(serve.status == 1 && serve.errors.contains(place), "\(serve.errors)")
        let check = try await here.check()
        #expect(check.status == 1 && check.errors.contains(place), "\(check.errors)")
    }

    @Test func aGoodPolicyIsCheckedAndItsMeaningPrinted() async throws {
        let place = try Place()
        defer { place.remove() }
        try place.write(#""without_evidence":"lower",\#(Self.staff),\#(Self.apple),\#(Self.android)"#)
        let check = try await place.check()
        #expect(
            check.output == """
                without evidence: lower
                group staff: at least urn:thumbturn:acr:attestedHardware:biometric
                App Attest: TEAM123456.com.example.bank, production, mobile
                Android key attestation: com.example.bank, status list of at most 7 days, otherwise refuse

                """, "\(check.errors)")
        #expect(check.status == 0)
    }
}
#endif
