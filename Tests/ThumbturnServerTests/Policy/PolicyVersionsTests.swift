#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

/// Nodes with policy files of different versions.
@Suite struct PolicyVersionsTests {
    private static func stepUp(_ version: Int?) -> String {
        #"{"format": "thumbturn-policy/1", \#(version.map { #""version": \#($0), "# } ?? "")"preset": "standard"}"#
    }

    private static func evidence(_ version: Int?) -> String {
        #"{"format": "thumbturn-evidence/1", \#(version.map { #""version": \#($0), "# } ?? "")"without_evidence": "lower"}"#
    }

    /// Runs a test with a path for a file and one for a data folder.
    private func with(_ test: (_ file: String, _ folder: String) async throws -> Void) async throws {
        let (file, folder) = (LiveServer.temporaryFolder() + ".json", LiveServer.temporaryFolder())
        defer { for path in [file, folder] { try? FileManager.default.removeItem(atPath: path) } }
        try await test(file, folder)
    }

    @Test(
        "a node does not start with a lower version of a policy than another one has used",
        arguments: [PolicyKind.stepUp, .evidence, .unlock])
    func starting(_ kind: PolicyKind) async throws {
        try await with { file, folder in
            func start(_ version: Int?) async throws {
                var settings = try ServerSettings(publicURL: "http://localhost", dataFolder: folder)
                if TestStore.kind == .postgres { settings.database = try PostgresAddress(TestDatabases.of(folder)) }
                let text: String? =
                    switch kind {
                    case .stepUp: Self.stepUp(version)
                    case .evidence: Self.evidence(version)
                    case .unlock: version.map { UnlockPoliciesTests.text(version: $0) }
                    }
                try text?.write(toFile: file, atomically: true, encoding: .utf8)
                switch kind {
                case .stepUp: settings.stepUp = try StepUpPolicy(file: file)
                case .evidence: settings.evidence = try EvidenceRules(file: file)
                case .unlock: settings.unlockPolicies = try text.map { _ in try UnlockPolicies(file: file) }
                }
                _ = try await AuthorizationServer(settings)
            }
            // Before any has a version, none needs one.
            try await start(nil)
            try await start(2)
            let error = await #expect(throws: SetupError.self) { try await start(1) }
            #expect(error?.description.contains("version 2 of the \(kind.rawValue) policy") == true)
            try await start(2)
            try await start(3)
            await #expect(throws: SetupError.self) { try await start(2) }
            if kind == .unlock {
                // Devices then go back to the policies of their apps.
                try await start(nil)
            } else {
                await #expect(throws: SetupError.self) { try await start(nil) }
            }
        }
    }

    @Test("a running node is not ready while another one has used a later version, and finds its own new file")
    func running() async throws {
        try await with { file, folder in
            try Self.stepUp(1).write(toFile: file, atomically: true, encoding: .utf8)
            let policy = try StepUpPolicy(file: file)
            try await LiveServer.run(folder: folder, configure: { $0.stepUp = policy }) { live in
                func isReady() async throws -> Bool { try await live.connect().send("GET", "/ready").status == 200 }
                #expect(try await isReady())
                try Self.stepUp(2).write(toFile: file, atomically: true, encoding: .utf8)
                try await live.service.store.raise(policyVersions: [.stepUp: 2])
                for _ in 0..<200 {
                    if policy.current.version == 2 { break }
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await isReady() && policy.current.version == 2)
                try await live.service.store.raise(policyVersions: [.stepUp: 3])
                #expect(try await !isReady())
                await #expect(throws: SetupError.self, "it does not judge stored evidence") {
                    try await live.service.keepUpEvidence()
                }
            }
        }
    }

    @Test("what an older evidence policy demands of accounts does not reach the database")
    func minimums() async throws {
        try await with { file, folder in
            try Self.evidence(1).write(toFile: file, atomically: true, encoding: .utf8)
            let rules = try EvidenceRules(file: file)
            try await LiveServer.run(folder: folder, configure: { $0.evidence = rules }) { live in
                let store = live.service.store
                // Another node, with a later version that knows a group.
                try await store.setMinimums(["payments": .withoutKey], version: 2)
                let account = AccountID.random()
                expect(try await store.addAccount(Account(id: account, name: "carol", passwordHash: "x")), is: true)
                expect(try await store.setGroup("payments", of: account), is: true)
                await #expect(throws: SetupError.self) { try await live.service.applyEvidencePolicy() }
                await #expect(throws: SetupError.self, "nor does a command judge evidence by it") {
                    _ = try await live.server.judgeEvidence(by: rules.current)
                }
                for version in [nil, 1] as [Int64?] {
                    await #expect(throws: SetupError.self) { try await store.setMinimums([:], version: version) }
                }
                expect(try await store.setGroup("payments", of: account), is: true)
                try await store.setMinimums([:], version: 3)
                expect(try await store.setGroup("payments", of: account), is: false)
            }
        }
    }

    @Test("a file with a lower version than the one in use changes nothing")
    func lower() async throws {
        try await with { file, _ in
            for (text, reload) in [
                (
                    Self.stepUp,
                    { (path: String) in
                        let policy = try StepUpPolicy(file: path)
                        return (policy.reload, { policy.current.version })
                    }
                ),
                (
                    Self.evidence,
                    { (path: String) in
                        let rules = try EvidenceRules(file: path)
                        return (rules.reload, { rules.current.version })
                    }
                ),
            ] as [((Int?) -> String, (String) throws -> (() throws -> Void, () -> Int64?))] {
                func write(_ version: Int?) throws {
                    try text(version).write(toFile: file, atomically: true, encoding: .utf8)
                }
                try write(2)
                let (again, version) = try reload(file)
                for lower in [1, nil] {
                    try write(lower)
                    #expect(throws: PolicyFileError.self) { try again() }
                    #expect(version() == 2)
                }
                for later in [2, 3] {
                    try write(later)
                    try again()
                    #expect(version() == Int64(later))
                }
            }
        }
    }

    @Test("stored evidence is judged anew in another epoch")
    func epochs() throws {
        let rules = EvidenceRules()
        let policy = rules.current
        for epoch in [0, 7] as [Int64] {
            for _ in 0..<2 {
                #expect(rules.isDue(policy, in: epoch))
                rules.wasJudged(by: policy, in: epoch)
            }
            #expect(!rules.isDue(policy, in: epoch))
        }
    }

    @Test("a version that nothing could follow is refused", arguments: ["0", "-1", "99999999999", "1.5", "\"1\""])
    func impossible(_ version: String) async throws {
        try await with { file, _ in
            for text in [Self.stepUp(7), Self.evidence(7)] {
                try text.replacing("7", with: version).write(toFile: file, atomically: true, encoding: .utf8)
                #expect(throws: PolicyFileError.self) { try StepUpPolicy(file: file) }
                #expect(throws: PolicyFileError.self, "as resource servers and `config check` read it") {
                    try StepUpTable(file: file)
                }
                #expect(throws: PolicyFileError.self) { try EvidenceRules(file: file) }
            }
        }
    }
}
#endif
