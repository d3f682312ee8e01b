#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad

/// The policy file, checked by the command and read by the server.
@Suite struct PolicyCommandTests {
    private struct File {
        let path = Built.temporaryFolder() + ".json"
        func write(_ actions: String) throws {
            try write(whole: #"{"format":"thumbturn-policy/1","actions":{\#(actions)}}"#)
        }
        func write(whole text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func check(_ file: File) async throws -> Finished {
        try await Built.run(Built.path("thumbturn-server"), ["config", "check", file.path])
    }

    @Test func theRulesOfAValidFileArePrinted() async throws {
        let file = File()
        defer { file.remove() }
        try file.write(
            #""card-details":{"max_age":60},"new-recipient":{"max_age":0,"#
                + #""thresholds":[{"currency":"EUR","above":100000,"one_of":["two-keys","second-approver"]}]},"#
                + #""existing-recipient":{"max_age":300},"statement-export":{"max_age":300},"#
                + #""change-password":{"max_age":0,"keys":["biometric"]}"#)
        let finished = try await Self.check(file)
        #expect(finished.status == 0 && finished.errors.isEmpty)
        #expect(finished.output.contains("card-details: at most 60 s old, by biometric or pin\n"))
        #expect(
            finished.output.contains(
                "new-recipient: a signature each, by biometric or pin, "
                    + "above 100000 minor units of EUR with two-keys or second-approver\n"))
    }

    @Test func aMistakeIsReportedWithItsPlace() async throws {
        let file = File()
        defer { file.remove() }
        try file.write(#""pay":{"max_age":0,"thresholds":[{"currency":"EUR","above":1.5,"one_of":["two-keys"]}]}"#)
        let finished = try await Self.check(file)
        #expect(finished.status == 1 && finished.errors.contains("\(file.path): actions.pay.thresholds[0].above: "))
        let serve = try await Built.run(
            Built.path("thumbturn-server"), ["serve", "--policy", file.path, "--data", file.path + ".data"])
        #expect(serve.status == 1 && serve.errors.contains("actions.pay.thresholds[0].above: "))
        file.remove()
        let gone = try await Self.check(file)
        #expect(gone.status == 1 && gone.errors.contains("\(file.path): cannot be read"))
    }

    @Test func aWeakerRuleIsAWarningAndNoMistake() async throws {
        let file = File()
        defer { file.remove() }
        try file.write(#""card-details":{"max_age":300,"keys":["passcode"]}"#)
        let finished = try await Self.check(file)
        #expect(finished.status == 0)
        #expect(
            finished.errors.contains("warning: \(file.path): actions.card-details.max_age: is 300 s, and 120 s in standard\n"))
        #expect(finished.errors.contains("actions.card-details.keys: anyone who knows the device's passcode may do it\n"))
    }

    @Test func thePagesUnlockPoliciesAreFollowedByAppsWithThePresets() async throws {
        let file = File()
        defer { file.remove() }
        let page = try String(contentsOf: repository.appendingPathComponent("docs/telemetry.md"), encoding: .utf8)
        let block = try #require(page.split(separator: "```json\n").dropFirst().first?.split(separator: "```").first)
        let example = String(block)
        try file.write(whole: example)
        let checked = try await Self.check(file)
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked.errors)")
        #expect(checked.output.hasSuffix("unlock: experiment early-hint: control 1, early 1\n"))
        try file.write(whole: example.replacing(#""delays": {"limit": 3}, "#, with: ""))
        let warned = try await Self.check(file)
        #expect(
            warned.status == 0
                && warned.errors.hasPrefix(
                    "warning: \(file.path): policies.transaction.policy.delays: are not the app's own: apps with"),
            "\(warned.errors)")
        let preset = try await Built.run(Built.path("thumbturn-server"), ["config", "unlock-policy", "transaction"])
        #expect(try UnlockPolicy(json: Array(preset.output.utf8)) == .transaction)
        let none = try await Built.run(Built.path("thumbturn-server"), ["config", "unlock-policy", "pay"])
        #expect(none.status == 64 && none.errors.contains("Choose one of dataAtRest"))
    }

    @Test func unlockPoliciesAreCheckedServedAndReadAgain() async throws {
        let (file, folder) = (File(), Built.temporaryFolder())
        let log = folder + ".log"
        defer {
            file.remove()
            for path in [folder, log] { try? FileManager.default.removeItem(atPath: path) }
        }
        func write(version: Int) throws {
            let policy = #"{"ladder": ["biometric", "fullCredentials"]}"#
            let arms = ["usual", "early"].map { #"{"name": "\#($0)", "weight": 1, "policy": \#(policy)}"# }.joined(separator: ",")
            try file.write(
                whole: #"{"format": "thumbturn-unlock-policies/1", "version": \#(version), "#
                    + #""policies": {"pay": {"policy": \#(policy)}, "#
                    + #""unlock": {"experiment": {"name": "hint", "arms": [\#(arms)]}}}}"#)
        }
        try write(version: 1)
        let checked = try await Self.check(file)
        #expect(checked.status == 0)
        #expect(
            checked.output == "version 1\npay: one policy for every device\nunlock: experiment hint: usual 1, early 1\n")
        let port = try await Built.freePort()
        let server = try await ServerProcess.start(
            "thumbturn-server",
            ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)", "--unlock-policies", file.path], port: port,
            log: log)
        defer { server.stop() }
        let connection = try await server.connect()
        func version() async throws -> Int64? {
            let answer = try await connection.send("GET", "/v1/unlock-policies")
            return try CompactJWS(String(decoding: answer.body, as: UTF8.self)).map {
                try StrictJSON.decode(PolicyDocument.self, from: $0.payload).ver
            }
        }
        expect(try await version(), is: 1)
        try write(version: 2)
        for request in 1...20_000 {
            if request % 500 == 1 { server.hangUp() }
            if try await version() == 2 { break }
        }
        expect(try await version(), is: 2)
        // The row comes a moment after the change.
        func rows() async throws -> Int {
            let exported = try await Built.run(Built.path("thumbturn-server"), ["audit", "export", "--data", folder])
            return exported.output.split(separator: "\n").count { $0.contains(#""unlock-policies""#) }
        }
        for _ in 1...50 where try await rows() < 2 {}
        expect(try await rows(), is: 2)
        let told = try String(contentsOfFile: log, encoding: .utf8)
        for text in ["version=1", "version=2", "policies.unlock.experiment.arms[0].policy.ladder: is not the app's own"] {
            #expect(told.contains(text), "\(text) in \(told)")
        }
        try file.write(whole: #"{"format": "thumbturn-unlock-policies/1", "version": "x", "policies": {}}"#)
        let mistaken = try await Self.check(file)
        #expect(mistaken.status == 1 && mistaken.errors.contains("\(file.path): version: "))
        let serve = try await Built.run(
            Built.path("thumbturn-server"), ["serve", "--unlock-policies", file.path, "--data", folder])
        #expect(serve.status == 1 && serve.errors.contains("version: "))
    }

    @Test func withoutAPolicyTheSignalChangesNothing() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let port = try await Built.freePort()
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)"], port: port)
        defer { server.stop() }
        let connection = try await server.connect()
        for _ in 1...200 {
            server.hangUp()
            #expect(try await connection.send("GET", "/health").status == 200)
        }
    }

    @Test func aSignalReloadsThePolicyAndAMalformedFileChangesNothing() async throws {
        let (file, folder) = (File(), Built.temporaryFolder())
        defer {
            file.remove()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try file.write(#""one":{"max_age":60}"#)
        try await ServerProcess.addAccount(in: folder)
        let port = try await Built.freePort()
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)", "--policy", file.path], port: port)
        defer { server.stop() }
        let (connection, device) = (try await server.connect(), LoadDevice(server: "http://127.0.0.1:\(port)"))
        func knows(_ act: String) async throws -> Bool {
            let request = ChallengeRequest(purpose: .stepUp, act: act, kids: [device.kid], jkt: device.sessionKid)
            return try await connection.send(
                "POST", "/v1/challenges", type: "application/json", body: Signing.encode(request)
            ).status == 200
        }
        /// Repeats requests until the action is known. The server handles the signal between requests, within few of them.
        func becomesKnown(_ act: String) async throws -> Bool {
            for request in 1...20_000 {
                if request % 500 == 1 { server.hangUp() }
                if try await knows(act) { return true }
            }
            return false
        }
        #expect(try await knows("one"))
        #expect(try await !knows("two"))
        try file.write(#""two":{"max_age":60}"#)
        #expect(try await becomesKnown("two"))
        #expect(try await !knows("one"))
        try file.write(whole: #"{"format":"thumbturn-policy/1","actions":{"three":{"max_age":"#)
        server.hangUp()
        for _ in 1...200 { #expect(try await knows("two")) }
        try file.write(#""four":{"max_age":60}"#)
        #expect(try await becomesKnown("four"), "after a malformed file, signals still reload the policy")
    }
}
#endif
