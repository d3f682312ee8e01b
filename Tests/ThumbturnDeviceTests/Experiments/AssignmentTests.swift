import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The arms that devices get.
@Suite struct AssignmentTests {
    private static func experiment(_ name: TelemetryLabel, _ arms: [(TelemetryLabel, Int)]) throws -> Experiment {
        try Experiment(name, arms: arms.map { .init($0, weight: $1, policy: .unlock) })
    }

    private static func tokens(_ count: Int, seed: UInt64) -> [AssignmentToken] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in AssignmentToken((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }) }
    }

    /// Computed with another program.
    @Test(
        "the assignment is the documented one",
        arguments: [
            ([UInt8](repeating: 0, count: 16), ["usual", "early", "early"]),
            ([UInt8](repeating: 255, count: 16), ["usual", "usual", "early"]),
            (Array(0..<16), ["early", "late", "early"]), (Array(16..<32), ["early", "late", "early"]),
            (
                [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF],
                ["usual", "usual", "early"]
            ),
            ([UInt8](repeating: 7, count: 16), ["usual", "early", "early"]),
        ])
    func vectors(_ token: [UInt8], _ names: [String]) throws {
        let arms: [(TelemetryLabel, Int)] = [("usual", 5000), ("early", 3000), ("late", 2000)]
        let experiments = [
            try Self.experiment("hint", arms), try Self.experiment("hint 2", arms),
            try Self.experiment("hint", [("usual", 1), ("early", 10_000)]),
        ]
        #expect(experiments.map { $0.arm(for: AssignmentToken(token)).name.text } == names)
    }

    @Test func everyArmHasItsShareOfRealTokens() throws {
        let experiment = try Self.experiment("hint", [("usual", 3), ("early", 1)])
        let tokens = Self.tokens(20_000, seed: 3)
        let early = tokens.filter { experiment.arm(for: $0).name == "early" }.count
        #expect(abs(early - 5000) < 350, "\(early), seed 3")
    }

    @Test func experimentsAreIndependentOfEachOther() throws {
        let (one, other) = (
            try Self.experiment("one", [("a", 1), ("b", 1)]), try Self.experiment("other", [("a", 1), ("b", 1)])
        )
        let tokens = Self.tokens(20_000, seed: 4)
        let both = tokens.filter { one.arm(for: $0).name == "a" && other.arm(for: $0).name == "a" }.count
        #expect(abs(both - 5000) < 350, "\(both), seed 4")
    }

    @Test func aNewArmTakesDevicesAndMovesNoneBetweenTheOthers() throws {
        let before = try Self.experiment("e", [("a", 1), ("b", 1)])
        let after = try Self.experiment("e", [("a", 1), ("b", 1), ("c", 1)])
        for token in Self.tokens(2000, seed: 5) {
            let (old, new) = (before.arm(for: token).name, after.arm(for: token).name)
            #expect(new == old || new == "c")
        }
    }

    @Test func theTokenIsMadeOnceAndIsSecret() async throws {
        let (phone, other) = (SimulatedPhone(.plain), SimulatedPhone(.plain))
        let token = try await AssignmentToken.ofThisDevice(for: "https://login.example", on: phone.platform())
        let again = try await AssignmentToken.ofThisDevice(for: "https://login.example", on: phone.platform())
        let another = try await AssignmentToken.ofThisDevice(for: "https://login.example", on: other.platform())
        let elsewhere = try await AssignmentToken.ofThisDevice(for: "https://other.example", on: phone.platform())
        #expect(token == again && token != another && token != elsewhere && token.bytes.count == 16)
        #expect("\(token)" == "AssignmentToken" && String(reflecting: [token]) == "[AssignmentToken]")
    }

    /// The next enrolment may be another person's, whose arms must not tell of this one.
    @Test func theEndOfAnEnrolmentForgetsTheToken() async throws {
        try await World.enrolled { world in
            func token() async throws -> AssignmentToken {
                try await AssignmentToken.ofThisDevice(for: world.auth.assignmentRealm, on: world.auth.platform)
            }
            let before = try await token()
            expect(try await token(), is: before)
            try await world.auth.revoke()
            #expect(try await token() != before)
            let other = try Authenticator(server: InMemoryServer.url, account: "other", platform: world.auth.platform)
            #expect(other.assignmentRealm != world.auth.assignmentRealm)
        }
    }

    @Test func aDamagedTokenIsMadeAnew() async throws {
        let platform = SimulatedPhone(.plain).platform()
        try await platform.secrets.write([1, 2, 3], as: "assignment token https://login.example")
        let token = try await AssignmentToken.ofThisDevice(for: "https://login.example", on: platform)
        #expect(token.bytes.count == 16)
        let again = try await AssignmentToken.ofThisDevice(for: "https://login.example", on: platform)
        #expect(token == again)
    }
}
